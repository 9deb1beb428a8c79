//===- FuseTensorPrograms.cpp - One program for each group ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "CallExtents.h"
#include "FuseGroup.h"
#include "GraphRegions.h"
#include "MergeLoops.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/PatternKinds.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/ProgramInliner.h"
#include "RelaxDialect/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "relax-fuse-tensor-programs"

using namespace mlir;
using namespace mlir::relax;

namespace mlir::relax {
#define GEN_PASS_DEF_FUSETENSORPROGRAMSPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

namespace {
/// Makes the program of one group.
class GroupFuser {
public:
  GroupFuser(graph::FusionGroupOp group, SymbolTable &symbols) : group(group), symbols(symbols) {}

  /// Failure means that the group cannot become a program; `reason` says why.
  LogicalResult analyze();
  graph::CallTPOp fuse();
  /// All that decides outcome and program, with values counted: groups with one key become calls of one program. The
  /// programs that are called stay as they are meanwhile.
  ArrayAttr getKey();
  /// The same for a group whose key is that of a group that became `program`.
  graph::CallTPOp reuse(tp::ProgramOp program);

  StringRef getReason() const { return reason; }
  ArrayRef<tp::ProgramOp> getPrograms() const { return programs.getArrayRef(); }

private:
  LogicalResult analyzeCall(Operation &op);
  void collect();
  LogicalResult fail(const Twine &why) {
    reason = why.str();
    return failure();
  }
  void addSymbols(ArrayRef<sym::SymExpr> dims);
  std::string getName();
  tp::ProgramOp createProgram();
  void emitBody(tp::ProgramOp program);
  graph::CallTPOp emitCall(tp::ProgramOp program);
  Value emitShape(OpBuilder &builder);
  graph::YieldOp getYield() { return cast<graph::YieldOp>(group.getBody().front().getTerminator()); }

  graph::FusionGroupOp group;
  SymbolTable &symbols;
  SmallVector<graph::CallTPOp> calls;
  llvm::SetVector<tp::ProgramOp> programs;
  llvm::SetVector<Value> inputs;            // tensors from outside
  llvm::SetVector<Value> shapes;            // shape values from outside
  llvm::SetVector<StringRef> shown, hidden; // symbols that inputs show, and the others that are needed
  std::string reason;
};
} // namespace

//===- Analysis -----------------------------------------------------------===//

LogicalResult GroupFuser::analyzeCall(Operation &op) {
  auto call = dyn_cast<graph::CallTPOp>(op);
  if (!call)
    return fail("'" + op.getName().getStringRef() + "' is not a call of a tensor program");
  auto program = symbols.lookup<tp::ProgramOp>(call.getCallee());
  if (!program || program.isBufferForm())
    return fail("@" + call.getCallee() + " is not in tensor form");
  if (!call.getDestinations().empty() || program.getNumExtents() != 0)
    return fail("the call of @" + call.getCallee() + " has destinations or finds extents");
  sym::ScopeAttr scope = sym::getScope(group);
  FailureOr<graph::CallUnification> unification =
      graph::unifyProgramCall(call, cast<sym::TensorProgramInterface>(program.getOperation()), scope);
  if (failed(unification) || !unification->isProved())
    return fail("the extents of the call of @" + call.getCallee() + " are not proved");
  for (Type type : llvm::concat<const Type>(call->getOperandTypes(), call->getResultTypes()))
    if (llvm::is_contained(sym::getSymbolicDims(type), sym::SymExpr()))
      return fail("the call of @" + call.getCallee() + " has unknown extents");
  sym::Prover prover(call.getContext(), scope);
  if (!haveProvedDivisors(call->getResultTypes(), prover))
    return fail("the call of @" + call.getCallee() + " has extents with divisors that are not proved positive");
  programs.insert(program);
  return success();
}

void GroupFuser::addSymbols(ArrayRef<sym::SymExpr> dims) {
  for (sym::SymExpr dim : dims)
    for (StringRef name : dim.getSymbols())
      if (!shown.contains(name))
        hidden.insert(name);
}

LogicalResult GroupFuser::analyze() {
  for (Operation &op : group.getBody().front().without_terminator())
    if (failed(analyzeCall(op)))
      return failure();
  for (Value value : getYield().getValues())
    if (!value.getDefiningOp() || value.getParentBlock() != &group.getBody().front())
      return fail("the group gives a value from outside");
  collect();
  return success();
}

/// What the program reads and needs.
void GroupFuser::collect() {
  for (graph::CallTPOp call : group.getBody().front().getOps<graph::CallTPOp>()) {
    for (Value input : call.getInputs())
      if (input.getParentBlock() != &group.getBody().front())
        inputs.insert(input);
    if (Value shape = call.getShape())
      shapes.insert(shape);
    calls.push_back(call);
  }
  for (Value input : inputs)
    for (sym::SymExpr dim : sym::getSymbolicDims(input.getType()))
      if (std::optional<StringRef> name = dim.getSymbol())
        shown.insert(*name);
  for (Value input : inputs)
    addSymbols(sym::getSymbolicDims(input.getType()));
  for (Value shape : shapes)
    addSymbols(sym::getSymbolicDims(shape.getType()));
  for (Type type : group.getResultTypes())
    addSymbols(sym::getSymbolicDims(type));
}

ArrayAttr GroupFuser::getKey() {
  Builder builder(group.getContext());
  sym::ScopeAttr scope = sym::getScope(group);
  DenseMap<Value, int64_t> numbers;
  SmallVector<Attribute> key{scope ? Attribute(scope) : builder.getUnitAttr()};
  SmallVector<int64_t> values;
  auto visit = [&](Operation &op) {
    for (Value operand : op.getOperands()) {
      auto [it, isNew] = numbers.try_emplace(operand, numbers.size());
      values.push_back(it->second);
      if (isNew) // from outside
        key.push_back(TypeAttr::get(operand.getType()));
    }
    for (Value result : op.getResults())
      numbers.try_emplace(result, numbers.size());
    key.push_back(builder.getTypeArrayAttr(op.getResultTypes()));
  };
  for (Operation &op : group.getBody().front()) {
    visit(op);
    key.push_back(builder.getStringAttr(op.getName().getStringRef()));
    key.push_back(op.getAttrDictionary());
  }
  key.push_back(builder.getTypeArrayAttr(group.getResultTypes()));
  key.push_back(builder.getDenseI64ArrayAttr(values));
  return builder.getArrayAttr(key);
}

//===- Construction -------------------------------------------------------===//

/// Short and readable: the first callees' names.
std::string GroupFuser::getName() {
  constexpr size_t kLimit = 60;
  std::string name = "fused";
  for (graph::CallTPOp call : calls) {
    StringRef callee = call.getCallee();
    callee.consume_front("fused_");
    if (name.size() + callee.size() >= kLimit)
      break;
    name += "_" + callee.str();
  }
  return name;
}

tp::ProgramOp GroupFuser::createProgram() {
  OpBuilder builder(group.getContext());
  auto scalars =
      llvm::map_to_vector(hidden, [&](StringRef name) { return sym::SymExpr::symbol(group.getContext(), name); });
  // Programs know no signs of integers.
  auto inputTypes = llvm::map_to_vector(inputs, [](Value input) { return sym::getProgramType(input.getType()); });
  auto resultTypes = llvm::map_to_vector(group.getResultTypes(), sym::getProgramType);
  auto program =
      tp::ProgramOp::create(builder, group.getLoc(), getName(), inputTypes, resultTypes, TypeRange(), scalars);
  symbols.insert(program, Block::iterator(programs.back()->getNextNode()));
  return program;
}

void GroupFuser::emitBody(tp::ProgramOp program) {
  OpBuilder builder = OpBuilder::atBlockEnd(&program.getBody().front());
  llvm::DenseMap<Value, Value> values;
  llvm::StringMap<Value> symbolValues;
  for (auto [input, argument] : llvm::zip_equal(inputs, program.getInputs())) {
    values[input] = argument;
    for (auto [index, dim] : llvm::enumerate(sym::getSymbolicDims(input.getType())))
      if (std::optional<StringRef> name = dim.getSymbol(); name && !symbolValues.contains(*name))
        symbolValues[*name] =
            tensor::DimOp::create(builder, group.getLoc(), argument, static_cast<int64_t>(index)).getResult();
  }
  for (auto [name, argument] : llvm::zip_equal(hidden, program.getScalars()))
    symbolValues[name] = argument;

  llvm::DenseMap<Value, Value> destinations;
  for (auto [value, out] : llvm::zip_equal(getYield().getValues(), program.getOuts()))
    destinations.try_emplace(value, out);
  for (graph::CallTPOp call : calls) {
    auto callee = symbols.lookup<tp::ProgramOp>(call.getCallee());
    auto arguments = llvm::map_to_vector(call.getInputs(), [&](Value input) { return values.lookup(input); });
    SmallVector<Value> scalars;
    if (Value shape = call.getShape())
      for (sym::SymExpr dim : sym::getSymbolicDims(shape.getType()))
        scalars.push_back(tp::emitExpr(builder, call.getLoc(), dim, symbolValues));
    tp::ProgramInliner inliner(builder, call.getLoc(), callee, arguments, scalars);
    for (OpResult result : call->getResults())
      if (Value out = destinations.lookup(result))
        inliner.setDestination(result.getResultNumber(), out);
    for (auto [result, value] : llvm::zip_equal(call->getResults(), inliner.inlineBody()))
      values[result] = value;
  }

  SmallVector<Value> results;
  for (auto [value, out] : llvm::zip_equal(getYield().getValues(), program.getOuts())) {
    Value result = values.lookup(value);
    if (result.getType() != out.getType())
      result = tensor::CastOp::create(builder, group.getLoc(), out.getType(), result);
    results.push_back(result);
  }
  tp::YieldOp::create(builder, group.getLoc(), results);
}

/// A shape with the hidden symbols as entries.
Value GroupFuser::emitShape(OpBuilder &builder) {
  if (hidden.empty())
    return {};
  auto entries =
      llvm::map_to_vector(hidden, [&](StringRef name) { return sym::SymExpr::symbol(group.getContext(), name); });
  auto type = graph::ShapeType::get(group.getContext(), entries);
  SmallVector<Value> sources;
  llvm::SetVector<StringRef> missing(hidden.begin(), hidden.end());
  auto addSource = [&](Value source) {
    SmallVector<StringRef> names;
    sym::collectSymbols(source.getType(), names);
    if (llvm::none_of(names, [&](StringRef name) { return missing.contains(name); }))
      return;
    for (StringRef name : names)
      missing.remove(name);
    if (isa<RankedTensorType>(source.getType())) {
      auto shapeType = graph::ShapeType::get(group.getContext(), sym::getSymbolicDims(source.getType()));
      source = graph::ShapeOfOp::create(builder, group.getLoc(), shapeType, source);
    }
    sources.push_back(source);
  };
  for (Value shape : shapes) {
    if (shape.getType() == type)
      return shape;
    addSource(shape);
  }
  for (Value input : inputs)
    addSource(input);
  return graph::MakeShapeOp::create(builder, group.getLoc(), type, sources);
}

graph::CallTPOp GroupFuser::emitCall(tp::ProgramOp program) {
  OpBuilder builder(group);
  Value shape = emitShape(builder);
  auto call = graph::CallTPOp::create(builder, group.getLoc(), group.getResultTypes(),
                                      FlatSymbolRefAttr::get(program.getSymNameAttr()), inputs.getArrayRef(), shape,
                                      /*destinations=*/ValueRange());
  group->replaceAllUsesWith(call->getResults());
  group.erase();
  return call;
}

/// In both cases the reader of remarks sees each group.
static void noteFused(graph::FusionGroupOp group, size_t numCalls, tp::ProgramOp program) {
  remark::passed(group.getLoc(), remark::RemarkOpts::name("Fused").category(DEBUG_TYPE))
      << ("fused " + Twine(numCalls) + " calls into @" + program.getSymName()).str();
}

graph::CallTPOp GroupFuser::reuse(tp::ProgramOp program) {
  collect();
  noteFused(group, calls.size(), program);
  return emitCall(program);
}

graph::CallTPOp GroupFuser::fuse() {
  tp::ProgramOp program = createProgram();
  emitBody(program);
  mergeLoops(program);
  program->setAttr(tp::kPatternKindAttrName,
                   StringAttr::get(program.getContext(), tp::stringifyPatternKind(tp::computePatternKind(program))));
  noteFused(group, calls.size(), program);
  return emitCall(program);
}

FailureOr<graph::CallTPOp> relax::fuseGroup(graph::FusionGroupOp group, SymbolTable &symbols, std::string &reason) {
  GroupFuser fuser(group, symbols);
  if (succeeded(fuser.analyze()))
    return fuser.fuse();
  reason = fuser.getReason();
  return failure();
}

//===- Pass ---------------------------------------------------------------===//

namespace {
struct FuseTensorProgramsPass final : relax::impl::FuseTensorProgramsPassBase<FuseTensorProgramsPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::SetVector<tp::ProgramOp> replaced;
    DenseMap<Attribute, tp::ProgramOp> known;
    SmallVector<graph::FusionGroupOp> groups;
    getOperation().walk([&](graph::FusionGroupOp group) { groups.push_back(group); });
    for (graph::FusionGroupOp group : groups) {
      GroupFuser fuser(group, symbols);
      tp::ProgramOp &program = known[fuser.getKey()];
      if (program) {
        fuser.reuse(program);
        continue;
      }
      if (failed(fuser.analyze())) {
        remark::missed(group.getLoc(), remark::RemarkOpts::name("NotFused").category(DEBUG_TYPE))
            << ("dissolved a group: " + fuser.getReason()).str();
        dissolveGraphRegion(group);
        continue;
      }
      replaced.insert_range(fuser.getPrograms());
      program = symbols.lookup<tp::ProgramOp>(fuser.fuse().getCallee());
    }
    eraseUnused(replaced.takeVector(), symbols);
  }

  /// Programs may call others: until nothing changes.
  void eraseUnused(SmallVector<tp::ProgramOp> programs, SymbolTable &symbols) {
    while (!programs.empty()) {
      std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(&getOperation().getBodyRegion());
      if (!uses)
        return;
      DenseSet<StringAttr> used;
      for (SymbolTable::SymbolUse use : *uses)
        used.insert(use.getSymbolRef().getRootReference());
      size_t before = programs.size();
      llvm::erase_if(programs, [&](tp::ProgramOp program) {
        if (!program.isPrivate() || used.contains(program.getSymNameAttr()))
          return false;
        symbols.erase(program);
        return true;
      });
      if (programs.size() == before)
        return;
    }
  }
};
} // namespace
