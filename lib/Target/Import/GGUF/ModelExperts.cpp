//===- ModelExperts.cpp - Feed-forward networks of experts ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A router chooses a few experts for each token. The tokens of an expert are
// found at run time: their number is a symbol of its own, and together they
// are tokens * chosen, however unevenly they fall. An expert without tokens
// reads none of its weights.
//
//===----------------------------------------------------------------------===//
#include "ModelBuilder.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphNNOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::gguf;
using sym::SymExpr;

Value ModelBuilder::createExperts(int64_t layer, Value x) {
  std::string prefix = "blk." + std::to_string(layer) + ".";
  SymExpr count = batch * seq, width = constant(config.width), chosen = constant(config.expertsUsed);
  Value rows = reshape(x, {count, width});
  auto last = builder.getI64IntegerAttr(1);
  Value scores = make<graph::SoftmaxOp>(createLinear(rows, prefix + "ffn_gate_inp"), last);
  auto best = graph::TopKOp::create(builder, loc, scores, shape(chosen), last, UnitAttr());
  Value weights = best.getValues(), experts = best.getIndices();
  // The weights of the chosen ones add up to 1.
  Value sum = make<graph::SumOp>(weights, builder.getDenseI64ArrayAttr(1), builder.getUnitAttr());
  weights = make<graph::DivideOp>(weights, sum);

  Value result = make<graph::MultiplyOp>(rows, scalar(0));
  for (int64_t expert = 0; expert < config.experts; ++expert) {
    auto number = DenseElementsAttr::get(RankedTensorType::get({}, builder.getI64Type()),
                                         builder.getI64IntegerAttr(expert).getValue());
    Value isChosen = make<graph::EqualOp>(experts, make<graph::ConstantOp>(number));
    // (2, u): tokens, and which of their choices this expert is.
    std::string name = "tokens" + std::to_string(layer) + "_" + std::to_string(expert);
    Value places = make<graph::NonzeroOp>(isChosen, builder.getStrArrayAttr(StringRef(name)));
    places = permute(places, {1, 0});
    Value tokens = make<graph::SliceOp>(places, Value(), ArrayRef<int64_t>{1}, ArrayRef<SymExpr>{constant(0)},
                                        ArrayRef<SymExpr>{constant(1)}, ArrayRef<int64_t>{1});
    Value own = make<graph::GatherNDOp>(rows, tokens, builder.getI64IntegerAttr(0));
    Value hidden =
        createActivation(createLinear(own, prefix + "ffn_gate_exps", Rows{expert * config.hidden, config.hidden}));
    hidden = make<graph::MultiplyOp>(
        hidden, createLinear(own, prefix + "ffn_up_exps", Rows{expert * config.hidden, config.hidden}));
    Value made = createLinear(hidden, prefix + "ffn_down_exps", Rows{expert * config.width, config.width});
    Value factor = make<graph::GatherNDOp>(weights, places, builder.getI64IntegerAttr(0));
    made = make<graph::MultiplyOp>(made, make<graph::ExpandDimsOp>(factor, builder.getDenseI64ArrayAttr(1)));
    result = make<graph::ScatterNDOp>(result, tokens, made, builder.getStringAttr("add"));
  }
  return reshape(result, {batch, seq, width});
}
