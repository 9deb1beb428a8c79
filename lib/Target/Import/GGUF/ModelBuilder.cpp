//===- ModelBuilder.cpp - From a GGUF model to a function -----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A decoder: embedding, layers of attention and feed-forward networks around a
// residual stream, logits. Everything is checked against the metadata before the
// first op is made.
//
//===----------------------------------------------------------------------===//
#include "ModelBuilder.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphAttentionOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphBlockOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphNNOps.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::gguf;
using sym::Fact;
using sym::SymExpr;

ModelBuilder::ModelBuilder(const GGUFFile &file, const ModelConfig &config, MLIRContext *context,
                           const GGUFImportOptions &options)
    : file(file), config(config), context(context), options(options), builder(context),
      loc(FileLineColLoc::get(context, file.getPath(), 0, 0)), batch(SymExpr::symbol(context, "batch")),
      seq(SymExpr::symbol(context, "seq")), past(SymExpr::symbol(context, "past")),
      local(SymExpr::symbol(context, "local")), slots(SymExpr::symbol(context, "slots")),
      pages(SymExpr::symbol(context, "pages")) {}

OwningOpRef<ModuleOp> ModelBuilder::run() {
  if (failed(checkTensors()) || failed(readFacts()))
    return {};
  createFunction();
  Value x = createEmbedding();
  for (int64_t layer = 0; layer < config.layers; ++layer)
    x = createLayer(layer, x);
  createResults(createLogits(x));
  return std::move(module);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

LogicalResult ModelBuilder::checkTensors() {
  int64_t width = config.width, queries = config.heads * config.keyLength, keys = config.kvHeads * config.keyLength,
          values = config.kvHeads * config.valueLength;
  const StoredTensor *embedding = file.findTensor("token_embd.weight");
  if (!embedding || embedding->dims.size() != 2)
    return fail("tensor 'token_embd.weight' is expected to be there with 2 dimensions");
  int64_t vocabulary = embedding->dims[1];
  if (failed(require("token_embd.weight", {width, vocabulary})) ||
      failed(require("output_norm.weight", {width}, /*isVector=*/true)) ||
      failed(requireIfPresent("output.weight", {width, vocabulary})) ||
      failed(requireIfPresent("rope_freqs.weight", {config.rotated / 2})))
    return failure();
  for (StringRef name : {"rope_factors_long.weight", "rope_factors_short.weight"})
    if (has(name))
      return fail("tensor '" + name + "', factors of angles that depend on the length, is not supported");
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    std::string prefix = "blk." + std::to_string(layer) + ".";
    for (StringRef name : {"attn_norm", "ffn_norm"})
      if (failed(require(prefix + name + ".weight", {width}, /*isVector=*/true)))
        return failure();
    for (StringRef name : {"post_attention_norm", "post_ffw_norm"})
      if (failed(requireIfPresent(prefix + name + ".weight", {width})))
        return failure();
    for (StringRef name : {"attn_q_norm", "attn_k_norm"})
      if (failed(requireIfPresent(prefix + name + ".weight", {config.keyLength})))
        return failure();
    SmallVector<std::pair<StringRef, SmallVector<int64_t>>> matrices = {
        {"attn_output", {config.heads * config.valueLength, width}}};
    if (has(prefix + "attn_qkv.weight"))
      matrices.push_back({"attn_qkv", {width, queries + keys + values}});
    else
      matrices.append({{"attn_q", {width, queries}}, {"attn_k", {width, keys}}, {"attn_v", {width, values}}});
    int64_t hidden = config.hidden, experts = config.experts;
    if (experts != 0)
      matrices.append({{"ffn_gate_inp", {width, experts}},
                       {"ffn_gate_exps", {width, hidden, experts}},
                       {"ffn_up_exps", {width, hidden, experts}},
                       {"ffn_down_exps", {hidden, width, experts}}});
    else if (has(prefix + "ffn_gate.weight"))
      matrices.append({{"ffn_gate", {width, hidden}}, {"ffn_up", {width, hidden}}, {"ffn_down", {hidden, width}}});
    else
      matrices.append({{"ffn_up", {width, 2 * hidden}}, {"ffn_down", {hidden, width}}});
    for (const auto &[name, dims] : matrices) {
      if (failed(require(prefix + name + ".weight", dims)))
        return failure();
      // Only matrices that are used as a whole have one.
      bool isPart = name == "attn_qkv" || name.ends_with("_exps") || (name == "ffn_up" && dims[1] != hidden);
      if (isPart && has(prefix + name + ".bias"))
        return fail("tensor '" + prefix + name + ".bias' is not supported");
      if (failed(requireIfPresent(prefix + name + ".bias", {dims.back()})))
        return failure();
    }
  }
  return success();
}

LogicalResult ModelBuilder::require(const Twine &name, ArrayRef<int64_t> dims, bool isVector) {
  const StoredTensor *tensor = file.findTensor(name.str());
  if (!tensor)
    return fail("there is no tensor '" + name + "'");
  if (ArrayRef<int64_t>(tensor->dims) != dims) {
    auto text = [](ArrayRef<int64_t> extents) {
      return "[" + llvm::join(llvm::map_range(extents, [](int64_t extent) { return std::to_string(extent); }), ", ") +
             "]";
    };
    return fail("tensor '" + name + "' has dimensions " + text(tensor->dims) + ", the metadata say " + text(dims));
  }
  StringRef format = tensor->format->name;
  bool known = isVector ? format == "f32" : format == "f32" || graph::BlockFormat::parse(format);
  if (!known)
    return fail("tensor '" + name + "' has type '" + format + "', expected f32" +
                (isVector ? "" : ", f16, bf16 or a block format"));
  return success();
}

LogicalResult ModelBuilder::requireIfPresent(const Twine &name, ArrayRef<int64_t> dims) {
  return has(name) ? require(name, dims, /*isVector=*/dims.size() == 1) : success();
}

LogicalResult ModelBuilder::readFacts() {
  // The last token has a place, and no place is beyond what the model knows.
  if (!options.allLogits)
    facts.push_back({seq, Fact::Op::GreaterEqual, constant(1)});
  bool isPaged = options.pageSize != 0;
  if (options.pageSize < 0 || options.pageSize > config.context)
    return fail("option: a page size of " + Twine(options.pageSize) + ", expected 1 to " + Twine(config.context));
  if (isPaged) {
    facts.push_back({seq, Fact::Op::LessEqual, constant(config.context)});
    facts.push_back({slots, Fact::Op::LessEqual, constant(llvm::divideCeil(config.context, options.pageSize))});
  } else {
    facts.push_back({past + seq, Fact::Op::LessEqual, constant(config.context)});
  }
  if (!isPaged && getKept(0) != past) {
    // The keys that queries of local layers see.
    facts.push_back({local, Fact::Op::LessEqual, past});
    facts.push_back({local, Fact::Op::GreaterEqual, SymExpr::min({past, constant(config.window - 1)})});
  }
  for (const std::string &text : options.facts) {
    std::string error;
    FailureOr<Fact> fact = Fact::parse(context, text, error);
    if (failed(fact))
      return fail("option: fact '" + printable(text) + "': " + error);
    SmallVector<StringRef> names = fact->lhs.getSymbols();
    llvm::append_range(names, fact->rhs.getSymbols());
    for (StringRef name : names)
      if (name != "batch" && name != "seq" && (isPaged ? name != "slots" && name != "pages" : name != "past"))
        return fail("option: fact '" + printable(text) + "' names '" + name + "', expected batch, seq" +
                    (isPaged ? ", slots and pages" : " and past"));
    facts.push_back(*fact);
  }
  return success();
}

/// Keys before those of this call. Without other layers nothing but the caches of local ones tells the past.
SymExpr ModelBuilder::getKept(int64_t layer) const {
  bool mixed = false;
  for (int64_t other = 0; other < config.layers; ++other)
    mixed |= config.isLocal(other) != config.isLocal(0);
  return mixed && config.isLocal(layer) ? local : past;
}

//===----------------------------------------------------------------------===//
// Function
//===----------------------------------------------------------------------===//

void ModelBuilder::createFunction() {
  module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> types = {sym::getTensorType({batch, seq}, builder.getI32Type())};
  SmallVector<std::string> names = {"tokens"};
  Type f32 = builder.getF32Type();
  if (options.pageSize != 0)
    addPageArguments(types, names);
  for (int64_t layer = 0; options.pageSize == 0 && layer < config.layers; ++layer) {
    SymExpr kept = getKept(layer);
    types.push_back(sym::getTensorType({kept, batch, constant(config.kvHeads), constant(config.keyLength)}, f32));
    types.push_back(sym::getTensorType({kept, batch, constant(config.kvHeads), constant(config.valueLength)}, f32));
    names.push_back("past_key_" + std::to_string(layer));
    names.push_back("past_value_" + std::to_string(layer));
  }
  function = func::FuncOp::create(builder, loc, options.functionName, builder.getFunctionType(types, {}));
  function->setAttr(sym::kScopeAttrName, sym::ScopeAttr::get(context, facts));
  for (auto [index, name] : llvm::enumerate(names))
    function.setArgAttr(index, graph::kNameAttrName, builder.getStringAttr(name));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  tokens = function.getArgument(0);
  auto shapeOf = [&](Value value) {
    return make<graph::ShapeOfOp>(graph::ShapeType::get(context, sym::getSymbolicDims(value.getType())), value);
  };
  tokensShape = shapeOf(tokens);
  if (options.pageSize != 0) {
    tableShape = shapeOf(function.getArgument(1));
    positions = createPagedPositions();
    return;
  }
  for (int64_t layer = config.layers; layer-- > 0;)
    (getKept(layer) == past ? pastShape : localShape) = shapeOf(function.getArgument(layer * 2 + 1));
}

void ModelBuilder::createResults(Value logits) {
  SmallVector<Value> results = {logits};
  results.append(present);
  func::ReturnOp::create(builder, loc, results);
  function.setType(builder.getFunctionType(function.getArgumentTypes(), ValueRange(results).getTypes()));
  function.setResultAttr(0, graph::kNameAttrName, builder.getStringAttr("logits"));
  for (size_t index = 0; index < present.size(); ++index)
    function.setResultAttr(index + 1, graph::kNameAttrName,
                           builder.getStringAttr(std::string(options.pageSize != 0 ? "new_" : "present_") +
                                                 (index % 2 == 0 ? "key_" : "value_") + std::to_string(index / 2)));
}

//===----------------------------------------------------------------------===//
// Parts of a model
//===----------------------------------------------------------------------===//

Value ModelBuilder::createEmbedding() {
  Value table = getWeight("token_embd.weight");
  Value rows = make<graph::TakeOp>(table, tokens, builder.getI64IntegerAttr(0));
  StringRef format = file.findTensor("token_embd.weight")->format->name;
  if (format != "f32")
    rows = make<graph::DequantizeBlockOp>(rows, builder.getStringAttr(format));
  // As f32, in which the models were made.
  return config.architecture->scalesEmbedding ? scaled(rows, std::sqrt(static_cast<float>(config.width))) : rows;
}

Value ModelBuilder::createLayer(int64_t layer, Value x) {
  std::string prefix = "blk." + std::to_string(layer) + ".";
  auto addPart = [&](Value part, StringRef postNorm) {
    if (has(prefix + postNorm))
      part = createNorm(part, prefix + postNorm);
    x = make<graph::AddOp>(x, part);
  };
  addPart(createAttention(layer, createNorm(x, prefix + "attn_norm.weight")), "post_attention_norm.weight");
  addPart(createFeedForward(layer, createNorm(x, prefix + "ffn_norm.weight")), "post_ffw_norm.weight");
  return x;
}

Value ModelBuilder::createAttention(int64_t layer, Value x) {
  std::string prefix = "blk." + std::to_string(layer) + ".";
  bool local = config.isLocal(layer);
  // Local layers have angles of their own only where they have a base or where the others are stretched.
  std::optional<Angles> &angles = local && config.architecture->localRopeBase != 0 ? localAngles : globalAngles;
  if (!angles)
    angles = createAngles(local);
  // (batch, seq, heads * depth) to (batch, heads, seq, depth).
  // Queries, keys and values may be rows of one matrix.
  bool isJoined = has(prefix + "attn_qkv.weight");
  int64_t nextRow = 0;
  auto split = [&](StringRef name, int64_t heads, int64_t depth, const Twine &norm) {
    Value value =
        isJoined ? createLinear(x, prefix + "attn_qkv", Rows{nextRow, heads * depth}) : createLinear(x, prefix + name);
    nextRow += heads * depth;
    value = reshape(value, {batch, seq, constant(heads), constant(depth)});
    if (has(norm))
      value = createNorm(value, norm);
    return permute(value, {0, 2, 1, 3});
  };
  auto rotate = [&](Value value) {
    return make<graph::RotaryEmbeddingOp>(value, angles->cos, angles->sin,
                                          config.architecture->interleavedRope ? builder.getUnitAttr() : UnitAttr());
  };
  Value query = rotate(split("attn_q", config.heads, config.keyLength, prefix + "attn_q_norm.weight"));
  Value key = rotate(split("attn_k", config.kvHeads, config.keyLength, prefix + "attn_k_norm.weight"));
  Value value = split("attn_v", config.kvHeads, config.valueLength, "");
  auto project = [&](Value heads) {
    heads = reshape(permute(heads, {0, 2, 1, 3}), {batch, seq, constant(config.heads * config.valueLength)});
    return createLinear(heads, prefix + "attn_output");
  };
  if (options.pageSize != 0)
    return project(createPagedAttention(layer, query, key, value));
  // A cache has a row for each token, so that it grows at its end.
  auto append = [&](int64_t argument, Value rows) {
    Value joined = make<graph::ConcatOp>(ValueRange{function.getArgument(argument), permute(rows, {2, 0, 1, 3})},
                                         builder.getI64IntegerAttr(0));
    present.push_back(joined);
    return permute(joined, {1, 2, 0, 3});
  };
  key = append(layer * 2 + 1, key);
  value = append(layer * 2 + 2, value);

  auto number = [&](double x) { return x == 0 ? FloatAttr() : builder.getF64FloatAttr(x); };
  return project(make<graph::AttentionOp>(
      query, key, value, Value(), number(config.attentionScale), number(config.attentionCap), builder.getUnitAttr(),
      local ? builder.getI64IntegerAttr(config.window) : IntegerAttr(), sym::ExprAttr::get(context, getKept(layer))));
}

Value ModelBuilder::createFeedForward(int64_t layer, Value x) {
  std::string prefix = "blk." + std::to_string(layer) + ".";
  if (config.experts != 0)
    return createExperts(layer, x);
  Value gate, up;
  if (has(prefix + "ffn_gate.weight")) {
    gate = createLinear(x, prefix + "ffn_gate");
    up = createLinear(x, prefix + "ffn_up");
  } else {
    gate = createLinear(x, prefix + "ffn_up", Rows{0, config.hidden});
    up = createLinear(x, prefix + "ffn_up", Rows{config.hidden, config.hidden});
  }
  return createLinear(make<graph::MultiplyOp>(createActivation(gate), up), prefix + "ffn_down");
}

Value ModelBuilder::createActivation(Value x) {
  if (config.architecture->usesGelu)
    return make<graph::GeluOp>(x, builder.getUnitAttr());
  return make<graph::SiluOp>(x, builder.getF64FloatAttr(1));
}

ModelBuilder::Angles ModelBuilder::createAngles(bool local) {
  bool ownBase = local && config.architecture->localRopeBase != 0;
  double base = ownBase ? config.architecture->localRopeBase : config.ropeBase;
  double stretch = ownBase ? 1 : config.ropeFactor;
  int64_t half = config.rotated / 2;
  SmallVector<float> frequencies;
  const StoredTensor *factors = file.findTensor("rope_freqs.weight");
  for (int64_t i = 0; i < half; ++i) {
    double frequency = std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(config.rotated)) / stretch;
    if (factors) {
      float factor = 0;
      std::memcpy(&factor, file.getBytes(*factors).data() + i * sizeof(float), sizeof(float));
      frequency /= factor;
    }
    frequencies.push_back(static_cast<float>(frequency));
  }
  Value row = make<graph::ConstantOp>(
      DenseElementsAttr::get(RankedTensorType::get({1, half}, builder.getF32Type()), ArrayRef<float>(frequencies)));
  Type i64 = builder.getI64Type();
  Value position = positions;
  if (!position) {
    position = make<graph::IotaOp>(shape({seq, constant(1)}), builder.getI64IntegerAttr(0), TypeAttr::get(i64));
    Value first = make<graph::ShapeToTensorOp>(RankedTensorType::get({1}, i64), shape({past}));
    position = make<graph::AddOp>(position, first);
  }
  position = make<graph::AsTypeOp>(position, TypeAttr::get(builder.getF32Type()));
  Value angle = make<graph::MultiplyOp>(position, row);
  return {make<graph::CosOp>(angle), make<graph::SinOp>(angle)};
}

Value ModelBuilder::createLogits(Value x) {
  if (!options.allLogits) {
    x = make<graph::SliceOp>(x, Value(), ArrayRef<int64_t>{1}, ArrayRef<SymExpr>{seq - 1}, ArrayRef<SymExpr>{seq},
                             ArrayRef<int64_t>{1});
    x = reshape(x, {batch, constant(config.width)});
  }
  x = createNorm(x, "output_norm.weight");
  Value logits = createLinear(x, has("output.weight") ? "output" : "token_embd");
  return config.logitCap != 0 ? capped(logits, config.logitCap) : logits;
}

//===----------------------------------------------------------------------===//
// Small ops
//===----------------------------------------------------------------------===//

Value ModelBuilder::scalar(double value) {
  auto type = RankedTensorType::get({}, builder.getF32Type());
  return make<graph::ConstantOp>(DenseElementsAttr::get(type, static_cast<float>(value)));
}

Value ModelBuilder::shape(ArrayRef<SymExpr> dims) {
  SmallVector<Value> sources;
  auto uses = [&](StringRef name) { return llvm::any_of(dims, [&](SymExpr dim) { return dim.usesSymbol(name); }); };
  if (uses("batch") || uses("seq"))
    sources.push_back(tokensShape);
  if (uses("past"))
    sources.push_back(pastShape);
  if (uses("local"))
    sources.push_back(localShape);
  if (uses("slots"))
    sources.push_back(tableShape);
  return make<graph::MakeShapeOp>(graph::ShapeType::get(context, dims), sources);
}

Value ModelBuilder::capped(Value value, double cap) {
  return scaled(make<graph::TanhOp>(make<graph::DivideOp>(value, scalar(cap))), cap);
}
