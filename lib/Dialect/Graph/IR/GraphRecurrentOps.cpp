//===- GraphRecurrentOps.cpp - LSTM, GRU, RNN -----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphRecurrentOps.h"
#include "GraphFamilies.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphRecurrentOps.cpp.inc"

void graph::addRecurrentOps(Dialect &dialect) {
  addFamily<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphRecurrentOps.cpp.inc"
      >(dialect);
}

unsigned graph::getNumGates(StringRef cell) {
  return StringSwitch<unsigned>(cell).Case("rnn", 1).Case("gru", 3).Case("lstm", 4).Default(0);
}

unsigned graph::getNumActivations(StringRef cell) {
  return StringSwitch<unsigned>(cell).Case("rnn", 1).Case("gru", 2).Case("lstm", 3).Default(0);
}

static LogicalResult verifyCell(TypeInference &inference, StringRef cell, ArrayAttr activations, size_t numAlpha,
                                size_t numBeta, unsigned directions, std::optional<APFloat> clip) {
  if (getNumGates(cell) == 0)
    return inference.fail("cell is expected to be rnn, gru or lstm, got ", cell);
  size_t count = getNumActivations(cell) * directions;
  for (auto [name, size] :
       {std::pair<StringRef, size_t>("activations", activations.size()),
        std::pair<StringRef, size_t>("alpha", numAlpha), std::pair<StringRef, size_t>("beta", numBeta)})
    if (size != count)
      return inference.fail(name, " is expected to have ", count, " entries, got ", size);
  static constexpr StringLiteral known[] = {"affine",   "elu",         "hard_sigmoid",    "leaky_relu",
                                            "relu",     "scaled_tanh", "sigmoid",         "softplus",
                                            "softsign", "tanh",        "thresholded_relu"};
  for (auto name : activations.getAsRange<StringAttr>())
    if (!llvm::is_contained(known, name.getValue()))
      return inference.fail("there is no activation ", name);
  if (clip && !(clip->convertToDouble() >= 0))
    return inference.fail("clip is expected to be at least 0");
  return success();
}

/// `operand` has the element type of `like` and exactly the extents `expected`. An absent one fits.
static LogicalResult requireOperand(TypeInference &inference, StringRef name, Value like, Value operand,
                                    ArrayRef<SymExpr> expected) {
  if (!operand)
    return success();
  Type type = getElementTypeOrSelf(operand.getType());
  if (isa<FloatType>(type) && failed(inference.requireSameElementType(like.getType(), type)))
    return failure();
  SmallVector<SymExpr> dims = sym::getSymbolicDims(operand.getType());
  if (dims.size() != expected.size())
    return inference.fail(name, " is expected to have rank ", expected.size(), ", got ", dims.size());
  for (auto [dim, actual, wanted] : llvm::enumerate(dims, expected))
    if (failed(inference.requireEqual("dimension " + Twine(dim) + " of the " + name, actual, wanted)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// recurrent
//===----------------------------------------------------------------------===//

LogicalResult RecurrentOp::inferTypes(TypeInference &inference, Adaptor adaptor,
                                      SmallVectorImpl<RankedTensorType> &types) {
  StringRef cell = adaptor.getCell(), direction = adaptor.getDirection();
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return inference.fail("direction is expected to be forward, reverse or bidirectional, got ", direction);
  unsigned directions = direction == "bidirectional" ? 2 : 1;
  if (failed(verifyCell(inference, cell, adaptor.getActivations(), adaptor.getAlpha().size(), adaptor.getBeta().size(),
                        directions, adaptor.getClip())))
    return failure();
  if (cell != "lstm" && (adaptor.getInitialCell() || adaptor.getPeephole()))
    return inference.fail("only lstm has a cell and a peephole");
  Value input = adaptor.getInput();
  SmallVector<SymExpr> x = sym::getSymbolicDims(input.getType()),
                       r = sym::getSymbolicDims(adaptor.getRecurrence().getType());
  if (x.size() != 3 || r.size() != 3)
    return inference.fail("input and recurrence are expected to have rank 3, got ", x.size(), " and ", r.size());
  SymExpr hidden = r[2], count = inference.constant(directions);
  SymExpr gates = hidden ? hidden * getNumGates(cell) : SymExpr(), biases = gates ? gates * 2 : SymExpr();
  SymExpr peepholes = hidden ? hidden * 3 : SymExpr();
  if (hidden && (!biases || !peepholes))
    return inference.fail("number of gates does not fit 64 bits");
  if (failed(requireOperand(inference, "recurrence", input, adaptor.getRecurrence(), {count, gates, hidden})) ||
      failed(requireOperand(inference, "weight", input, adaptor.getWeight(), {count, gates, x[2]})) ||
      failed(requireOperand(inference, "bias", input, adaptor.getBias(), {count, biases})) ||
      failed(requireOperand(inference, "lengths", input, adaptor.getLengths(), {x[1]})) ||
      failed(requireOperand(inference, "initial state", input, adaptor.getInitial(), {count, x[1], hidden})) ||
      failed(requireOperand(inference, "initial cell", input, adaptor.getInitialCell(), {count, x[1], hidden})) ||
      failed(requireOperand(inference, "peephole", input, adaptor.getPeephole(), {count, peepholes})))
    return failure();
  Type type = getElementTypeOrSelf(input.getType());
  types.push_back(inference.makeType({x[0], count, x[1], hidden}, type));
  for (unsigned i = 0; i != (cell == "lstm" ? 2 : 1); ++i)
    types.push_back(inference.makeType({count, x[1], hidden}, type));
  return success();
}

LogicalResult RecurrentOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  TypeInference inference(context, location, getOperationName());
  SmallVector<RankedTensorType> inferred;
  if (failed(inferTypes(inference, adaptor, inferred)))
    return failure();
  llvm::append_range(types, inferred);
  return success();
}

LogicalResult RecurrentOp::verify() {
  TypeInference inference(getContext(), getLoc(), getOperationName());
  SmallVector<RankedTensorType> inferred;
  if (failed(inferTypes(inference, Adaptor(*this), inferred)))
    return failure();
  if (inferred.size() != getNumResults())
    return emitOpError("is expected to have ") << inferred.size() << " results, got " << getNumResults();
  for (auto [type, result] : llvm::zip_equal(inferred, getResultTypes()))
    if (failed(inference.verifyResult(type, result, /*mayClaim=*/false)))
      return failure();
  return success();
}

SmallVector<ShapeRule> RecurrentOp::getShapeRules() {
  TypeInference inference(getOperation());
  SmallVector<RankedTensorType> inferred;
  if (failed(inferTypes(inference, Adaptor(*this), inferred)))
    return {};
  return inference.takeRules(inferred.front(), getResult(0).getType());
}

//===----------------------------------------------------------------------===//
// recurrent_scan
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType> RecurrentScanOp::inferType(TypeInference &inference, Adaptor adaptor) {
  StringRef cell = adaptor.getCell();
  if (failed(verifyCell(inference, cell, adaptor.getActivations(), adaptor.getAlpha().size(), adaptor.getBeta().size(),
                        1, adaptor.getClip())))
    return failure();
  if (cell != "lstm" && adaptor.getPeephole())
    return inference.fail("only lstm has a peephole");
  bool isLinear = cell == "gru" && adaptor.getLinearBeforeReset();
  if (!isLinear && adaptor.getBias())
    return inference.fail("only gru with linear_before_reset has a bias");
  Value input = adaptor.getInput();
  SmallVector<SymExpr> x = sym::getSymbolicDims(input.getType()),
                       r = sym::getSymbolicDims(adaptor.getRecurrence().getType());
  if (x.size() != 3 || r.size() != 2)
    return inference.fail("input and recurrence are expected to have rank 3 and 2, got ", x.size(), " and ", r.size());
  SymExpr hidden = r[1], gates = hidden ? hidden * getNumGates(cell) : SymExpr();
  SymExpr peepholes = hidden ? hidden * 3 : SymExpr(), state = hidden;
  if (hidden && cell == "lstm")
    state = hidden * 2;
  if (hidden && (!gates || !peepholes || !state))
    return inference.fail("number of gates does not fit 64 bits");
  if (failed(requireOperand(inference, "recurrence", input, adaptor.getRecurrence(), {gates, hidden})) ||
      failed(requireOperand(inference, "input", input, input, {x[0], x[1], gates})) ||
      failed(requireOperand(inference, "state", input, adaptor.getState(), {x[1], state})) ||
      failed(requireOperand(inference, "lengths", input, adaptor.getLengths(), {x[1]})) ||
      failed(requireOperand(inference, "peephole", input, adaptor.getPeephole(), {peepholes})) ||
      failed(requireOperand(inference, "bias", input, adaptor.getBias(), {hidden})))
    return failure();
  SymExpr steps = x[0] ? x[0] + 1 : SymExpr();
  if (x[0] && !steps)
    return inference.fail("dimension 0 of the result does not fit 64 bits");
  return inference.makeType({steps, x[1], state}, getElementTypeOrSelf(input.getType()));
}
