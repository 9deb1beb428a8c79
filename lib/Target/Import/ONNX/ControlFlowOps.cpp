//===- ControlFlowOps.cpp - If, Loop and Scan -----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A branch that follows from the shapes is imported in place. Else branches and
// bodies are regions of scf ops. An extent that each branch or iteration keeps
// stays in the type, one that differs is unknown and named behind the op: which
// those are is found by importing a body again until nothing changes.
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "Scopes.h"
#include "TensorData.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;
using relax_onnx_wire::GraphProto;

//===----------------------------------------------------------------------===//
// Values that leave a region
//===----------------------------------------------------------------------===//

/// The outputs of a subgraph from the one with index `first` on, as tensors made at the insertion point. Empty after an
/// error.
static SmallVector<Value> getOutputs(NodeEmitter &e, const GraphProto &graph, int first = 0) {
  SmallVector<Value> tensors;
  for (int index = first; index < graph.output_size(); ++index) {
    GraphValue *value = e.getImporter().lookUp(graph.output(index).name());
    Value tensor = value ? e.getImporter().getTensor(*value, e.getLoc()) : Value();
    if (!tensor) {
      e.fail("output '" + printable(graph.output(index).name()) + "' of a subgraph is not defined");
      return {};
    }
    tensors.push_back(tensor);
  }
  return tensors;
}

/// Extents that both have and that mean the same outside; null for the others. Nullopt where type or rank differ.
static std::optional<SmallVector<SymExpr>> joinTypes(NodeEmitter &e, Region &inside, Type a, Type b) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(a), others = sym::getSymbolicDims(b);
  if (getElementTypeOrSelf(a) != getElementTypeOrSelf(b) || dims.size() != others.size())
    return std::nullopt;
  for (auto [dim, other] : llvm::zip(dims, others))
    if (dim != other || !dim || !e.getImporter().isKnownOutside(dim, inside))
      dim = {};
  return dims;
}

/// Forgets extents that the type does not have.
static Value eraseTo(NodeEmitter &e, Value value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  return graph::EraseShapeOp::create(e.getImporter().getBuilder(), e.getLoc(), type, value);
}

static std::string describe(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static Value extractScalar(NodeEmitter &e, Value tensor) {
  tensor = e.reshape(tensor, {});
  return tensor ? tensor::ExtractOp::create(e.getImporter().getBuilder(), e.getLoc(), tensor, ValueRange()) : Value();
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

/// Imports a branch in place; its outputs become the node's.
static void inlineBranch(NodeEmitter &e, const GraphProto &branch) {
  GraphImporter &importer = e.getImporter();
  GraphProto own = instantiate(branch, importer.makePrefix(e.getSymbolStem()));
  if (mlir::failed(importer.importSubgraph(own, {}, e.getLoc())))
    return e.markFailed();
  for (int index = 0; index < own.output_size(); ++index) {
    GraphValue *value = importer.lookUp(own.output(index).name());
    if (!value)
      return e.fail("output '" + printable(branch.output(index).name()) + "' of a branch is not defined");
    if (e.wants(index) && !importer.alias(e.getNode().output(index), *value, e.getLoc()))
      return e.markFailed();
  }
}

/// What follows branches of different ranks can only be meant for one of them: for the one of a condition about sizes,
/// as exporters write for squeezing a dimension that may be 1. That it holds is checked.
static bool chooseBranch(NodeEmitter &e, const GraphProto &branch) {
  std::optional<sym::Fact> fact = e.getFact(0);
  if (!fact)
    return false;
  GraphImporter &importer = e.getImporter();
  if (!importer.assume(*fact))
    assertFact(e, *fact, "the branches of an If have different ranks");
  inlineBranch(e, branch);
  return true;
}

/// Imports a branch into a region; gives its outputs.
static SmallVector<Value> importBranch(NodeEmitter &e, const GraphProto &branch, Region &region) {
  GraphImporter &importer = e.getImporter();
  OpBuilder::InsertionGuard guard(importer.getBuilder());
  importer.getBuilder().setInsertionPointToEnd(&region.emplaceBlock());
  GraphProto own = instantiate(branch, importer.makePrefix(e.getSymbolStem()));
  GraphImporter::Snapshot snapshot = importer.takeSnapshot();
  SmallVector<Value> results;
  if (mlir::failed(importer.importSubgraph(own, {}, e.getLoc())))
    e.markFailed();
  else
    results = getOutputs(e, own);
  importer.restore(std::move(snapshot));
  return results;
}

static void emitRuntimeIf(NodeEmitter &e, const GraphProto &thenBranch, const GraphProto &elseBranch) {
  GraphImporter &importer = e.getImporter();
  OpBuilder &builder = importer.getBuilder();
  Value condition = extractScalar(e, e.getTensor(0));
  if (!condition)
    return;
  // The types of the results come from the branches, so those are imported first.
  auto draft = scf::IfOp::create(builder, e.getLoc(), TypeRange(), condition, /*addThenBlock=*/false,
                                 /*addElseBlock=*/false);
  SmallVector<Value> thenValues = importBranch(e, thenBranch, draft.getThenRegion());
  SmallVector<Value> elseValues;
  if (!e.failed())
    elseValues = importBranch(e, elseBranch, draft.getElseRegion());
  if (e.failed())
    return draft.erase();
  SmallVector<Type> types;
  auto getRank = [](Value value) { return cast<RankedTensorType>(value.getType()).getRank(); };
  for (auto [a, b] : llvm::zip(thenValues, elseValues)) {
    if (getRank(a) == getRank(b) || !e.getFact(0))
      continue;
    draft.erase();
    chooseBranch(e, thenBranch);
    return;
  }
  for (auto [index, a, b] : llvm::enumerate(thenValues, elseValues)) {
    std::optional<SmallVector<SymExpr>> dims = joinTypes(e, draft.getThenRegion(), a.getType(), b.getType());
    if (dims)
      dims = joinTypes(e, draft.getElseRegion(), sym::getTensorType(*dims, getElementTypeOrSelf(a.getType())),
                       b.getType());
    if (!dims) {
      e.fail("output " + Twine(index) + " is " + describe(a.getType()) + " in one branch and " + describe(b.getType()) +
             " in the other");
      return draft.erase();
    }
    types.push_back(sym::getTensorType(*dims, getElementTypeOrSelf(a.getType())));
  }
  auto yieldAs = [&](Region &region, ArrayRef<Value> values) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&region.front());
    SmallVector<Value> yielded;
    for (auto [value, type] : llvm::zip(values, types))
      yielded.push_back(eraseTo(e, value, cast<RankedTensorType>(type)));
    scf::YieldOp::create(builder, e.getLoc(), yielded);
  };
  yieldAs(draft.getThenRegion(), thenValues);
  yieldAs(draft.getElseRegion(), elseValues);
  auto ifOp = scf::IfOp::create(builder, e.getLoc(), types, condition, /*addThenBlock=*/false, /*addElseBlock=*/false);
  ifOp.getThenRegion().takeBody(draft.getThenRegion());
  ifOp.getElseRegion().takeBody(draft.getElseRegion());
  draft.erase();
  for (auto [index, result] : llvm::enumerate(ifOp.getResults()))
    e.setResult(index, result);
}

static void emitIf(NodeEmitter &e) {
  const GraphProto *thenBranch = e.getGraph("then_branch"), *elseBranch = e.getGraph("else_branch");
  if (e.failed())
    return;
  if (!thenBranch || !elseBranch)
    return e.fail("needs then_branch and else_branch");
  for (const GraphProto *branch : {thenBranch, elseBranch}) {
    if (branch->input_size())
      return e.fail("a branch has " + Twine(branch->input_size()) + " inputs, expected none");
    if (branch->output_size() != e.getNode().output_size())
      return e.fail("has " + Twine(e.getNode().output_size()) + " outputs, a branch has " +
                    Twine(branch->output_size()));
  }
  RankedTensorType type = e.getType(0);
  if (!type.getElementType().isInteger(1) || !type.hasStaticShape() || type.getNumElements() != 1)
    return e.fail("the condition must be one bool");
  std::optional<SmallVector<int64_t>> condition = e.getIntegers(0);
  if (condition && condition->size() == 1)
    return inlineBranch(e, (*condition)[0] ? *thenBranch : *elseBranch);
  emitRuntimeIf(e, *thenBranch, *elseBranch);
}

//===----------------------------------------------------------------------===//
// Loop and Scan
//===----------------------------------------------------------------------===//

namespace {
/// A Loop or a Scan: what the node brings, and the types that are found by trying.
struct LoopPlan {
  const GraphProto *body = nullptr;
  bool isScan = false;
  SmallVector<Value> initial;   // of what is carried
  SmallVector<Value> sequences; // of a Scan
  SmallVector<int64_t> sequenceAxes;
  SmallVector<bool> isBackward;            // by sequence
  SmallVector<bool> prepends;              // by scan output
  Value count;                             // index; null without a bound
  SymExpr length;                          // of a Scan
  Value condition;                         // tensor<i1>; null when it is true
  bool hasCondition = false;               // the body decides on it: a while loop
  SmallVector<RankedTensorType> carried;   // as they are between iterations
  SmallVector<RankedTensorType> collected; // element types of scan outputs; empty until they are known

  int64_t getNumCollected() const {
    return body->output_size() - static_cast<int64_t>(initial.size()) - (isScan ? 0 : 1);
  }
};
} // namespace

static RankedTensorType makeScalarType(Type type) { return RankedTensorType::get({}, type); }

/// A vector of values of that type: unknown length.
static RankedTensorType getStackType(RankedTensorType element) {
  SmallVector<SymExpr> dims = {SymExpr()};
  llvm::append_range(dims, sym::getSymbolicDims(element));
  return sym::getTensorType(dims, element.getElementType());
}

/// The arguments of the region: the number of the iteration, the condition where there is one, what is carried, stacks.
static SmallVector<Type> getStateTypes(NodeEmitter &e, const LoopPlan &plan) {
  SmallVector<Type> types = {makeScalarType(e.getI64())};
  if (plan.hasCondition)
    types.push_back(makeScalarType(e.getI1()));
  types.append(plan.carried.begin(), plan.carried.end());
  for (RankedTensorType element : plan.collected)
    types.push_back(getStackType(element));
  return types;
}

static GraphValue makeValue(NodeEmitter &e, Value tensor) {
  GraphValue value;
  value.tensor = e.getImporter().nameExtents(tensor, e.getSymbolStem(), e.getLoc());
  value.type = cast<RankedTensorType>(value.tensor.getType());
  return value;
}

/// Values of the subgraph's inputs from the arguments of a region.
static SmallVector<GraphValue> makeInputs(NodeEmitter &e, const LoopPlan &plan, ValueRange state) {
  SmallVector<GraphValue> inputs;
  unsigned next = 1;
  if (!plan.isScan) {
    inputs.push_back(makeValue(e, state[0]));
    Value condition = plan.hasCondition ? state[next++] : Value();
    if (condition) {
      inputs.push_back(makeValue(e, condition));
    } else {
      GraphValue isTrue;
      isTrue.type = makeScalarType(e.getI1());
      isTrue.stored = DenseElementsAttr::get(isTrue.type, true);
      isTrue.elements = Elements{e.constant(1)};
      inputs.push_back(isTrue);
    }
  }
  for (size_t index = 0; index < plan.initial.size(); ++index)
    inputs.push_back(makeValue(e, state[next++]));
  for (auto [sequence, axis, isBackward] : llvm::zip(plan.sequences, plan.sequenceAxes, plan.isBackward)) {
    Value position = state[0];
    if (isBackward)
      position = e.subtract(e.dimScalar(plan.length - 1, e.getI64()), position);
    if (Value element = e.create<graph::TakeOp>({sequence, position}, e.attr("axis", axis)))
      inputs.push_back(makeValue(e, element));
  }
  return inputs;
}

/// A stack with one more value. Where only the body knows the value's size, the first one says what it is and the
/// others must have the same.
static Value growStack(NodeEmitter &e, Value iteration, Value stack, Value value, bool prepends,
                       RankedTensorType element) {
  OpBuilder &builder = e.getImporter().getBuilder();
  RankedTensorType type = getStackType(element);
  Value single = e.expandDims(value, {0});
  auto join = [&](Value longer) {
    Value joined = prepends ? e.concat({single, longer}, 0) : e.concat({longer, single}, 0);
    return joined ? eraseTo(e, joined, type) : Value();
  };
  if (!llvm::is_contained(sym::getSymbolicDims(element), SymExpr()))
    return join(e.getImporter().nameExtents(stack, e.getSymbolStem(), e.getLoc()));
  Value isFirst = extractScalar(e, e.create<graph::EqualOp>({iteration, e.makeScalar(0, e.getI64())}));
  if (!isFirst || !single)
    return {};
  auto choice = scf::IfOp::create(builder, e.getLoc(), type, isFirst, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(choice.thenBlock());
  scf::YieldOp::create(builder, e.getLoc(), eraseTo(e, single, type));
  builder.setInsertionPointToEnd(choice.elseBlock());
  NamedAttribute binds = bindsAttr(e, 1);
  SmallVector<SymExpr> dims = sym::getSymbolicDims(value.getType());
  dims.insert(dims.begin(), getBound(e, binds)[0]);
  Value longer = join(graph::MatchCastOp::create(builder, e.getLoc(), sym::getTensorType(dims, type.getElementType()),
                                                 stack, cast<ArrayAttr>(binds.getValue())));
  if (!longer)
    return {};
  scf::YieldOp::create(builder, e.getLoc(), longer);
  return choice.getResult(0);
}

/// What importing the body once found.
enum class Found { Fits, Changed, Error };

/// Imports the body at the insertion point and ends the region. On Changed the plan has other types.
static Found importBody(NodeEmitter &e, LoopPlan &plan, Region &region, ValueRange state) {
  GraphImporter &importer = e.getImporter();
  OpBuilder &builder = importer.getBuilder();
  GraphProto own = instantiate(*plan.body, importer.makePrefix(e.getSymbolStem()));
  SmallVector<GraphValue> inputs = makeInputs(e, plan, state);
  if (e.failed())
    return Found::Error;
  if (mlir::failed(importer.importSubgraph(own, inputs, e.getLoc()))) {
    e.markFailed();
    return Found::Error;
  }
  unsigned firstCarried = plan.isScan ? 0 : 1;
  SmallVector<Value> yielded = {e.add(state[0], e.makeScalar(1, e.getI64()))};
  if (!plan.isScan) {
    GraphValue *condition = importer.lookUp(own.output(0).name());
    bool isTrue = condition && condition->elements && condition->elements->size() == 1 && (*condition->elements)[0] &&
                  (*condition->elements)[0].getConstant() == 1;
    if (!plan.hasCondition && !isTrue) {
      plan.hasCondition = true;
      return Found::Changed;
    }
    if (plan.hasCondition) {
      Value tensor = condition ? importer.getTensor(*condition, e.getLoc()) : Value();
      if (!tensor || !getElementTypeOrSelf(tensor.getType()).isInteger(1)) {
        e.fail("the body's condition is not a defined bool");
        return Found::Error;
      }
      yielded.push_back(e.reshape(tensor, {}));
    }
  }
  SmallVector<Value> outputs = getOutputs(e, own, firstCarried);
  if (e.failed())
    return Found::Error;
  bool hasChanged = false;
  for (auto [index, type] : llvm::enumerate(plan.carried)) {
    std::optional<SmallVector<SymExpr>> dims = joinTypes(e, region, type, outputs[index].getType());
    if (!dims) {
      e.fail("the body turns carried value " + Twine(index) + " from " + describe(type) + " into " +
             describe(outputs[index].getType()));
      return Found::Error;
    }
    RankedTensorType joined = sym::getTensorType(*dims, type.getElementType());
    hasChanged |= joined != type;
    type = joined;
  }
  ArrayRef<Value> collected = ArrayRef(outputs).drop_front(plan.carried.size());
  SmallVector<RankedTensorType> found;
  for (Value value : collected)
    found.push_back(sym::getTensorType(*joinTypes(e, region, value.getType(), value.getType()),
                                       getElementTypeOrSelf(value.getType())));
  hasChanged |= found != plan.collected;
  plan.collected = found;
  if (hasChanged)
    return Found::Changed;
  for (auto [value, type] : llvm::zip(outputs, plan.carried))
    yielded.push_back(eraseTo(e, value, type));
  ValueRange stacks = state.take_back(collected.size());
  for (auto [index, value] : llvm::enumerate(collected)) {
    bool prepends = !plan.prepends.empty() && plan.prepends[index];
    yielded.push_back(growStack(e, state[0], stacks[index], value, prepends, plan.collected[index]));
  }
  if (e.failed() || llvm::is_contained(yielded, Value()))
    return Found::Error;
  scf::YieldOp::create(builder, e.getLoc(), yielded);
  return Found::Fits;
}

/// What the loop starts with.
static SmallVector<Value> makeInitialState(NodeEmitter &e, const LoopPlan &plan) {
  SmallVector<Value> state = {e.makeScalar(0, e.getI64())};
  if (plan.hasCondition) {
    DenseElementsAttr isTrue = DenseElementsAttr::get(makeScalarType(e.getI1()), true);
    state.push_back(plan.condition ? e.reshape(plan.condition, {}) : e.makeConstant(isTrue));
  }
  for (auto [value, type] : llvm::zip(plan.initial, plan.carried))
    state.push_back(eraseTo(e, value, type));
  for (RankedTensorType element : plan.collected) {
    // What is unknown is 0 until there is a value.
    SmallVector<SymExpr> dims = {e.constant(0)};
    for (SymExpr dim : sym::getSymbolicDims(element))
      dims.push_back(dim ? dim : e.constant(0));
    TypedAttr zero = e.getImporter().getBuilder().getZeroAttr(element.getElementType());
    if (Value none = e.full(dims, zero))
      state.push_back(eraseTo(e, none, getStackType(element)));
  }
  return state;
}

/// Makes the loop with the types of the plan. On Changed it is gone again.
static Found makeLoop(NodeEmitter &e, LoopPlan &plan, Operation *&loop) {
  GraphImporter &importer = e.getImporter();
  OpBuilder &builder = importer.getBuilder();
  Location loc = e.getLoc();
  SmallVector<Type> types = getStateTypes(e, plan);
  SmallVector<Value> state = makeInitialState(e, plan);
  if (e.failed())
    return Found::Error;
  OpBuilder::InsertionGuard guard(builder);
  Region *body;
  if (!plan.hasCondition) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto counted =
        scf::ForOp::create(builder, loc, zero, plan.count, one, state, [](OpBuilder &, Location, Value, ValueRange) {});
    loop = counted;
    body = &counted.getRegion();
    builder.setInsertionPointToEnd(counted.getBody());
  } else {
    auto open = scf::WhileOp::create(builder, loc, types, state);
    loop = open;
    SmallVector<Location> locs(types.size(), loc);
    Block *before = builder.createBlock(&open.getBefore(), {}, types, locs);
    Value goes = tensor::ExtractOp::create(builder, loc, before->getArgument(1), ValueRange());
    if (plan.count) {
      Value done = tensor::ExtractOp::create(builder, loc, before->getArgument(0), ValueRange());
      Value index = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), done);
      Value isLess = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, index, plan.count);
      goes = arith::AndIOp::create(builder, loc, goes, isLess);
    }
    scf::ConditionOp::create(builder, loc, goes, before->getArguments());
    builder.createBlock(&open.getAfter(), {}, types, locs);
    body = &open.getAfter();
  }
  ValueRange arguments = body->front().getArguments();
  if (!plan.hasCondition)
    arguments = arguments.drop_front(); // the counter, as an index
  GraphImporter::Snapshot snapshot = importer.takeSnapshot();
  Found found = importBody(e, plan, *body, arguments);
  importer.restore(std::move(snapshot));
  if (found != Found::Fits) {
    loop->erase();
    loop = nullptr;
  }
  return found;
}

/// Makes the loop and gives what it ends with: the carried values, then the stacks.
static SmallVector<Value> runLoop(NodeEmitter &e, LoopPlan &plan) {
  for (Value value : plan.initial)
    plan.carried.push_back(cast<RankedTensorType>(value.getType()));
  if (!plan.hasCondition && !plan.count)
    plan.hasCondition = true;
  // Each try forgets an extent at least.
  Operation *loop = nullptr;
  Found found = Found::Changed;
  while (found == Found::Changed && !e.failed())
    found = makeLoop(e, plan, loop);
  if (found != Found::Fits || e.failed())
    return {};
  ResultRange results = loop->getResults().drop_front(plan.hasCondition ? 2 : 1);
  return SmallVector<Value>(results.begin(), results.end());
}

static void emitLoop(NodeEmitter &e) {
  LoopPlan plan;
  plan.body = e.getGraph("body");
  if (!plan.body)
    return e.fail("needs a body");
  for (unsigned index = 2; index < e.getNumInputs(); ++index) {
    if (!e.has(index))
      return e.fail("required input " + Twine(index) + " is missing");
    plan.initial.push_back(e.getTensor(index));
  }
  int64_t carried = plan.initial.size();
  if (plan.body->input_size() != carried + 2 || plan.getNumCollected() < 0)
    return e.fail("the body has " + Twine(plan.body->input_size()) + " inputs and " + Twine(plan.body->output_size()) +
                  " outputs, expected " + Twine(carried + 2) + " and at least " + Twine(carried + 1));
  if (e.getNode().output_size() > carried + plan.getNumCollected())
    return e.fail("has " + Twine(e.getNode().output_size()) + " outputs, the body gives " +
                  Twine(carried + plan.getNumCollected()));
  OpBuilder &builder = e.getImporter().getBuilder();
  if (e.has(0)) {
    if (!isa<IntegerType>(e.getType(0).getElementType()))
      return e.fail("the trip count is no integer");
    Value count = extractScalar(e, e.cast(e.getTensor(0), e.getI64()));
    if (!count)
      return;
    plan.count = arith::IndexCastOp::create(builder, e.getLoc(), builder.getIndexType(), count);
  }
  if (e.has(1)) {
    if (!e.getType(1).getElementType().isInteger(1))
      return e.fail("the condition is no bool");
    std::optional<SmallVector<int64_t>> known = e.getIntegers(1);
    plan.condition = e.getTensor(1);
    plan.hasCondition = !known || known->size() != 1 || (*known)[0] == 0;
  }
  if (e.failed())
    return;
  SmallVector<Value> results = runLoop(e, plan);
  for (auto [index, result] : llvm::enumerate(results))
    e.setResult(index, result);
}

/// One attribute value per element, `absent` for all when it is missing.
static SmallVector<int64_t> getList(NodeEmitter &e, StringRef name, int64_t count, int64_t absent) {
  if (!e.hasAttr(name))
    return SmallVector<int64_t>(std::max<int64_t>(count, 0), absent);
  SmallVector<int64_t> values = e.getInts(name);
  if (static_cast<int64_t>(values.size()) != count)
    e.fail("attribute '" + name + "' has " + Twine(values.size()) + " values, expected " + Twine(count));
  return values;
}

static void emitScan(NodeEmitter &e) {
  if (e.getOpset() < 9)
    return e.fail("the operator is supported from opset 9 on");
  LoopPlan plan;
  plan.isScan = true;
  plan.body = e.getGraph("body");
  int64_t count = e.getInt("num_scan_inputs", 0), inputs = e.getNumInputs(), states = inputs - count;
  if (!plan.body)
    return e.fail("needs a body");
  if (count < 1 || states < 0 || plan.body->input_size() != inputs || plan.body->output_size() < states)
    return e.fail("num_scan_inputs is " + Twine(count) + ", the node has " + Twine(inputs) + " inputs, its body has " +
                  Twine(plan.body->input_size()) + " inputs and " + Twine(plan.body->output_size()) +
                  " outputs: they do not fit");
  for (int64_t index = 0; index < states; ++index)
    plan.initial.push_back(e.getTensor(index));
  int64_t collected = plan.getNumCollected();
  SmallVector<int64_t> axes = getList(e, "scan_input_axes", count, 0);
  SmallVector<int64_t> directions = getList(e, "scan_input_directions", count, 0);
  SmallVector<int64_t> outputAxes = getList(e, "scan_output_axes", collected, 0);
  SmallVector<int64_t> outputDirections = getList(e, "scan_output_directions", collected, 0);
  if (e.failed())
    return;
  for (int64_t index = 0; index < count; ++index) {
    int64_t axis = e.normalizeAxis(axes[index], e.getRank(states + index));
    if (e.failed())
      return;
    SymExpr length = e.getDims(states + index)[axis];
    if (plan.length && plan.length != length) {
      if (e.getProver().isEqual(plan.length, length) == sym::Verdict::False)
        return e.fail("the sequences have lengths " + Twine(plan.length.str()) + " and " + length.str());
    } else {
      plan.length = length;
    }
    plan.sequences.push_back(e.getTensor(states + index));
    plan.sequenceAxes.push_back(axis);
    plan.isBackward.push_back(directions[index] != 0);
  }
  for (int64_t direction : outputDirections)
    plan.prepends.push_back(direction != 0);
  Value shape = e.makeShape({plan.length});
  if (!shape || e.failed())
    return;
  OpBuilder &builder = e.getImporter().getBuilder();
  plan.count =
      graph::EvalExprOp::create(builder, e.getLoc(), builder.getIndexType(), shape, sym::ExprAttr::get(plan.length));
  SmallVector<Value> results = runLoop(e, plan);
  for (auto [index, result] : llvm::enumerate(results)) {
    int64_t stack = static_cast<int64_t>(index) - states;
    if (stack >= 0) {
      // The new dimension comes to the place of its axis.
      int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
      int64_t axis = e.normalizeAxis(outputAxes[stack], rank);
      result = e.getImporter().nameExtents(result, e.getSymbolStem(), e.getLoc());
      SmallVector<SymExpr> dims = sym::getSymbolicDims(result.getType());
      dims[0] = plan.length;
      // As many as there are elements in a sequence.
      if (!e.failed() && sym::getTensorType(dims, getElementTypeOrSelf(result.getType())) != result.getType())
        result = graph::MatchCastOp::create(builder, e.getLoc(),
                                            sym::getTensorType(dims, getElementTypeOrSelf(result.getType())), result,
                                            builder.getArrayAttr({}));
      SmallVector<int64_t> permutation;
      for (int64_t dim = 1; dim < rank; ++dim)
        permutation.push_back(dim);
      permutation.insert(permutation.begin() + axis, 0);
      result = axis ? e.permute(result, permutation) : result;
    }
    e.setResult(index, result);
  }
}

ArrayRef<OpEntry> mlir::relax::onnx::getControlFlowOps() {
  static constexpr OpEntry entries[] = {
      {"If", 1, 1, 1, kVariadic, emitIf},
      {"Loop", 1, 0, kVariadicOptional, kVariadic, emitLoop},
      {"Scan", 8, 1, kVariadic, kVariadic, emitScan},
  };
  return entries;
}
