//===- Report.cpp - A page about one compilation --------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Report.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Transforms/ReportPasses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::relax;
namespace json = llvm::json;

/// The page, with a mark where the data go.
static constexpr StringLiteral kPage =
#include "ReportPage.inc"
    ;
static constexpr StringLiteral kMark = "@DATA@";

/// `f32[n, 4]`
static std::string formatType(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    os << tensor.getElementType() << "[";
    llvm::interleaveComma(sym::getSymbolicDims(tensor), os, [&](sym::SymExpr dim) {
      if (dim)
        os << dim;
      else
        os << "?";
    });
    os << "]";
  } else {
    os << type;
  }
  return text;
}

namespace {
/// Nodes and edges of one function: what computes tensors, what it reads, and in which group it is.
class GraphCollector {
public:
  json::Object collect(func::FuncOp function) {
    for (Value argument : function.getArguments()) {
      auto name = function.getArgAttrOfType<StringAttr>(cast<BlockArgument>(argument).getArgNumber(), "relax.name");
      json::Object node = makeNode("input", name ? name.getValue() : "argument");
      define(node, argument);
      nodes.push_back(std::move(node));
    }
    visit(function.getBody(), /*group=*/-1);
    json::Object graph;
    graph["nodes"] = std::move(nodes);
    graph["groups"] = numGroups;
    return graph;
  }

private:
  json::Object makeNode(StringRef kind, StringRef name) {
    json::Object node;
    node["id"] = static_cast<int64_t>(nodes.size());
    node["kind"] = kind;
    node["name"] = name;
    node["reads"] = json::Array();
    node["types"] = json::Array();
    node["group"] = -1;
    return node;
  }

  void define(json::Object &node, Value value) {
    ids[value] = static_cast<int64_t>(nodes.size());
    node.getArray("types")->push_back(formatType(value.getType()));
  }

  void visit(Region &region, int64_t group) {
    for (Block &block : region)
      for (Operation &op : block) {
        if (auto fused = dyn_cast<graph::FusionGroupOp>(op)) {
          int64_t own = numGroups++;
          visit(fused.getBody(), own);
          for (auto [result, value] :
               llvm::zip_equal(fused->getResults(), fused.getBody().front().getTerminator()->getOperands()))
            if (auto found = ids.find(value); found != ids.end())
              ids[result] = found->second;
          continue;
        }
        visit(op, group);
        for (Region &inner : op.getRegions())
          visit(inner, group);
      }
  }

  void visit(Operation &op, int64_t group) {
    bool isReturn = isa<func::ReturnOp>(op);
    bool hasTensor = llvm::any_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>);
    if (!isReturn && !hasTensor)
      return;
    StringRef name = op.getName().stripDialect();
    if (auto callee = op.getAttrOfType<FlatSymbolRefAttr>("callee"))
      name = callee.getValue();
    json::Object node = makeNode(isReturn ? "output" : "op", isReturn ? "results" : name);
    node["op"] = op.getName().getStringRef();
    node["group"] = group;
    json::Array reads;
    for (Value operand : op.getOperands())
      if (auto found = ids.find(operand); found != ids.end())
        reads.push_back(found->second);
    node["reads"] = std::move(reads);
    for (Value result : op.getResults())
      define(node, result);
    nodes.push_back(std::move(node));
  }

  json::Array nodes;
  DenseMap<Value, int64_t> ids;
  int64_t numGroups = 0;
};

class GraphSnapshot final : public PassInstrumentation {
public:
  explicit GraphSnapshot(std::string &text) : text(text) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    StringRef name = pass->getArgument();
    auto module = dyn_cast<ModuleOp>(op);
    if (!module || (name != "relax-legalize-ops" && name != "relax-fuse-ops"))
      return;
    json::Object graphs;
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (!function.isExternal())
        graphs[function.getName()] = GraphCollector().collect(function);
    text.clear();
    llvm::raw_string_ostream(text) << json::Value(std::move(graphs));
  }

private:
  std::string &text;
};
} // namespace

void Report::attach(PassManager &manager) { manager.addInstrumentation(std::make_unique<GraphSnapshot>(graph)); }

static json::Value parseOrNull(StringRef text) {
  llvm::Expected<json::Value> value = json::parse(text);
  if (value)
    return std::move(*value);
  llvm::consumeError(value.takeError());
  return nullptr;
}

std::string Report::write(ModuleOp module, StringRef title, const Instruments &instruments, StringRef profile) const {
  json::Object data;
  data["title"] = title;
  data["graphs"] = parseOrNull(graph);
  json::Array remarks;
  for (const PassRemark &remark : instruments.getRemarks()) {
    json::Object entry;
    entry["kind"] = remark.kind;
    entry["pass"] = remark.category;
    entry["name"] = remark.name;
    entry["message"] = remark.message;
    entry["place"] = remark.place;
    remarks.push_back(std::move(entry));
  }
  data["remarks"] = std::move(remarks);
  json::Array passes;
  for (const TraceEvent &event : instruments.getEvents()) {
    json::Object entry;
    entry["name"] = event.name;
    entry["microseconds"] = static_cast<int64_t>(event.duration);
    passes.push_back(std::move(entry));
  }
  data["passes"] = std::move(passes);
  data["profile"] = profile.empty() ? json::Value(nullptr) : parseOrNull(profile);
  data["memory"] = drawMemoryReports(collectMemoryReports(module));
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(data));
  auto [before, behind] = StringRef(kPage).split(kMark);
  std::string page = before.str();
  // The end tag of a script ends it wherever it stands. In JSON, this character is only in strings.
  for (char c : text)
    page += c == '<' ? std::string("\\u003c") : std::string(1, c);
  page += behind;
  return page;
}
