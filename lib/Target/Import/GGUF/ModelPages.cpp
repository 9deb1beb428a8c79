//===- ModelPages.cpp - Caches of a GGUF model in pages -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Keys and values lie in pages that sequences of different lengths share. The
// function reads them through a table and returns the new ones: the caller owns
// the pages, so that a failed call changes nothing.
//
//===----------------------------------------------------------------------===//
#include "ModelBuilder.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphAttentionOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::gguf;
using sym::SymExpr;

void ModelBuilder::addPageArguments(SmallVectorImpl<Type> &types, SmallVectorImpl<std::string> &names) const {
  auto number = [&](int64_t value) { return SymExpr::constant(context, value); };
  Type i64 = IntegerType::get(context, 64), f32 = Float32Type::get(context);
  types.push_back(sym::getTensorType({batch, slots}, i64));
  types.push_back(sym::getTensorType({batch}, i64));
  names.append({"page_table", "lengths"});
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    SmallVector<SymExpr> dims = {pages, number(options.pageSize), number(config.kvHeads), number(config.keyLength)};
    types.push_back(sym::getTensorType(dims, f32));
    dims.back() = number(config.valueLength);
    types.push_back(sym::getTensorType(dims, f32));
    names.push_back("key_pages_" + std::to_string(layer));
    names.push_back("value_pages_" + std::to_string(layer));
  }
}

Value ModelBuilder::createPagedPositions() {
  auto count = [&](SymExpr extent, ArrayRef<SymExpr> dims) {
    TypeAttr i64 = TypeAttr::get(builder.getI64Type());
    return reshape(make<graph::IotaOp>(shape({extent}), builder.getI64IntegerAttr(0), i64), dims);
  };
  // What a length may be: a look-up, since a length is no symbol, and a wrong one must not read other places.
  SymExpr limit = SymExpr::min({slots * constant(options.pageSize), constant(config.context) - seq}) + constant(1);
  Value lengths = make<graph::TakeOp>(count(limit, {limit}), function.getArgument(2), builder.getI64IntegerAttr(0));
  lengths = reshape(lengths, {batch, constant(1), constant(1), constant(1)});
  return make<graph::AddOp>(lengths, count(seq, {constant(1), constant(1), seq, constant(1)}));
}

Value ModelBuilder::createPagedMask(bool local) {
  Value &mask = local ? localMask : globalMask;
  if (mask)
    return mask;
  SymExpr one = constant(1), held = slots * constant(options.pageSize);
  IntegerAttr window = local ? builder.getI64IntegerAttr(config.window) : IntegerAttr();
  Value place = make<graph::IotaOp>(shape({held}), builder.getI64IntegerAttr(0), TypeAttr::get(builder.getI64Type()));
  Value lengths = reshape(function.getArgument(2), {batch, one, one, one});
  Value old = make<graph::LessOp>(place, lengths);
  if (local) {
    auto type = RankedTensorType::get({}, builder.getI64Type());
    Value reach = make<graph::ConstantOp>(DenseElementsAttr::get(type, config.window));
    Value inWindow = make<graph::GreaterOp>(make<graph::AddOp>(place, reach), positions);
    old = make<graph::LogicalAndOp>(old, inWindow);
  }
  old = make<graph::BroadcastToOp>(old, shape({batch, one, seq, held}));
  // New tokens see each other as if there was nothing before them.
  Value fresh = make<graph::AttentionMaskOp>(shape({seq, seq}), builder.getUnitAttr(), window);
  fresh = make<graph::BroadcastToOp>(fresh, shape({batch, one, seq, seq}));
  return mask = make<graph::ConcatOp>(ValueRange{old, fresh}, builder.getI64IntegerAttr(3));
}

Value ModelBuilder::createPagedAttention(int64_t layer, Value query, Value key, Value value) {
  SymExpr held = slots * constant(options.pageSize);
  auto join = [&](int64_t argument, Value heads, int64_t length) {
    Value rows = permute(heads, {0, 2, 1, 3});
    present.push_back(rows);
    Value old =
        make<graph::TakeOp>(function.getArgument(argument), function.getArgument(1), builder.getI64IntegerAttr(0));
    old = reshape(old, {batch, held, constant(config.kvHeads), constant(length)});
    Value all = make<graph::ConcatOp>(ValueRange{old, rows}, builder.getI64IntegerAttr(1));
    return permute(all, {0, 2, 1, 3});
  };
  key = join(layer * 2 + 3, key, config.keyLength);
  value = join(layer * 2 + 4, value, config.valueLength);
  auto number = [&](double x) { return x == 0 ? FloatAttr() : builder.getF64FloatAttr(x); };
  return make<graph::AttentionOp>(query, key, value, createPagedMask(config.isLocal(layer)),
                                  number(config.attentionScale), number(config.attentionCap), UnitAttr(), IntegerAttr(),
                                  sym::ExprAttr());
}
