//===- EmitDotPanels.cpp - Sums of small products of many rows ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Both sides are copied to scratch memory as the innermost loop wants them:
//
//   used rows, as many as some vectors have lanes      [vector][group][quad][lane]
//     made rows, a few                                 [row][group][quad]
//       vectors, which stay in the first cache while all of these made rows pass
//         tiles of made rows
//           groups, which hand on eight sums for each made row
//
// The eight sums are those that EmitDotSums.cpp has in the lanes of a vector, and
// are added up in the same order.
//
//===----------------------------------------------------------------------===//
#include "DotPanels.h"
#include "DotValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::relax;

/// Made rows that are decoded together.
constexpr int64_t kPart = 8;
constexpr int64_t kQuads = DotSum::kGroup / DotSum::kQuad;

namespace {
/// Numbers in scratch memory.
struct Copy {
  Value value;
  DotCopy kind;
  bool ofUsed;
  /// How many numbers of a group there are for each row, and how many quads share one.
  int64_t pieces, quads;
  Value memory;
};

class DotPanelEmitter {
public:
  DotPanelEmitter(OpBuilder &builder, linalg::GenericOp op, const DotSum &sum, const DotPanel &panel,
                  ValueRange extents, DotProducts dots)
      : builder(builder), op(op), loc(op.getLoc()), sum(sum), panel(panel), dots(dots), extents(extents),
        at(extents.size()), loopsOf(findLoopsOfValues(op)), values(builder, op, sum, at, loopsOf),
        groupDots(builder, loc, dots), laneDots(builder, loc, dots, panel.lanes), ranges(op.getStaticLoopRanges()),
        combiner(cast<arith::AddFOp>(op.getBody()->getTerminator()->getOperand(0).getDefiningOp())) {
    for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
      if (iterator == utils::IteratorType::reduction)
        reductions.push_back(loop);
    for (unsigned loop = sum.firstLane; loop < ranges.size(); ++loop)
      at[loop] = constant(0);
  }

  Value emit() {
    allocate();
    Value usedEnd = getRowExtent(builder, loc, sum.sides.used, extents);
    Value madeEnd = getRowExtent(builder, loc, sum.sides.made, extents);
    // A vector whose lanes are half full is worth it.
    Value rest = builder.createOrFold<arith::RemUIOp>(loc, usedEnd, constant(panel.lanes));
    Value whole = builder.createOrFold<arith::SubIOp>(loc, usedEnd, rest);
    Value isEnough =
        builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::uge, rest, constant(panel.lanes / 2));
    Value end = builder.createOrFold<arith::SelectOp>(loc, isEnough, usedEnd, whole);
    forEach(constant(0), end, panel.lanes * panel.vectors, [&](Value first) {
      Value count = minimum(subtract(end, first), panel.lanes * panel.vectors);
      Value vectors = builder.createOrFold<arith::CeilDivUIOp>(loc, count, constant(panel.lanes));
      forEach(constant(0), vectors, 1, [&](Value vector) { copyUsed(vector, add(first, atLane(vector)), end); });
      forEach(constant(0), madeEnd, kPart, [&](Value part) {
        Value rows = minimum(subtract(madeEnd, part), kPart);
        forEach(constant(0), rows, 1, [&](Value row) { copyMade(row, add(part, row)); });
        forEach(constant(0), vectors, 1, [&](Value vector) {
          forEach(constant(0), rows, panel.tile, [&](Value row) { emitTile(vector, row); });
          Value lanes = minimum(subtract(count, atLane(vector)), panel.lanes);
          addResults(add(first, atLane(vector)), lanes, part, rows);
        });
      });
    });
    return end;
  }

private:
  Value constant(int64_t value) {
    Value &known = constants[value];
    if (!known) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(op->getBlock());
      known = arith::ConstantIndexOp::create(builder, loc, value);
    }
    return known;
  }
  Value add(Value a, Value b) { return builder.createOrFold<arith::AddIOp>(loc, a, b); }
  Value subtract(Value a, Value b) { return builder.createOrFold<arith::SubIOp>(loc, a, b); }
  Value multiply(Value a, int64_t b) { return builder.createOrFold<arith::MulIOp>(loc, a, constant(b)); }
  Value minimum(Value a, int64_t b) { return builder.createOrFold<arith::MinUIOp>(loc, a, constant(b)); }
  Value atLane(Value vector) { return multiply(vector, panel.lanes); }

  void forEach(Value from, Value to, int64_t step, function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(builder, loc, from, to, constant(step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    forget();
    body(loop.getInductionVar());
    forget();
  }
  void forget() {
    values.forget();
    groupDots.forget();
    laneDots.forget();
    known.clear();
  }
  void moveTo(ArrayRef<unsigned> loops, Value row) {
    for (auto [loop, index] : llvm::zip_equal(loops, getRowIndices(builder, loc, loops, extents, row, 1).front()))
      at[loop] = index;
  }

  //===--------------------------------------------------------------------===//
  // Scratch memory
  //===--------------------------------------------------------------------===//

  Value allocate(ArrayRef<int64_t> shape, Type element) {
    OpBuilder entry = OpBuilder::atBlockBegin(&op->getParentOfType<func::FuncOp>().getBody().front());
    return memref::AllocaOp::create(entry, loc, MemRefType::get(shape, element), entry.getI64IntegerAttr(64));
  }

  void allocate() {
    forEachDotCopy(op, sum, dots, [&](Value value, DotCopy kind, bool ofUsed) {
      if (find(value, kind))
        return;
      Copy copy{value, kind, ofUsed, kQuads, 1, Value()};
      Type element = builder.getI32Type();
      if (kind == DotCopy::Factors) {
        copy.quads = values.countSame(value) / DotSum::kQuad;
        copy.pieces = kQuads / copy.quads;
        element = builder.getF32Type();
      }
      SmallVector<int64_t> shape = {ofUsed ? panel.vectors : kPart, panel.groups, copy.pieces};
      if (ofUsed)
        shape.push_back(panel.lanes);
      copy.memory = allocate(shape, element);
      copies.push_back(copy);
    });
    results = allocate({kPart, panel.lanes}, builder.getF32Type());
  }

  const Copy *find(Value value, DotCopy kind) const {
    const auto *found =
        llvm::find_if(copies, [&](const Copy &copy) { return copy.value == value && copy.kind == kind; });
    return found == copies.end() ? nullptr : found;
  }

  /// All groups: the loops around them, of which the innermost ones are written out when `writeOut` is set.
  void forEachGroup(bool writeOut, function_ref<void(Value)> body, unsigned number = 0, Value group = Value()) {
    if (number == reductions.size() || reductions[number] >= sum.firstLane)
      return body(group ? group : constant(0));
    unsigned loop = reductions[number];
    auto step = [&](Value index) {
      at[loop] = index;
      forEachGroup(writeOut, body, number + 1, group ? add(multiply(group, ranges[loop]), index) : index);
    };
    if (!writeOut || number + sum.unrolled < reductions.size())
      return forEach(constant(0), constant(ranges[loop]), 1, step);
    for (int64_t index = 0; index < ranges[loop]; ++index)
      step(constant(index));
  }

  /// The numbers of a copy at the present place, as vector of quads.
  Value evaluateQuads(const Copy &copy) {
    Value bytes = values.evaluate(copy.value, DotValues::kNumbers);
    switch (copy.kind) {
    case DotCopy::Sums:
      return groupDots.emitSum(bytes);
    case DotCopy::Offsets:
      return groupDots.emitOffset(bytes);
    case DotCopy::Shifted:
      bytes = groupDots.emitShifted(bytes);
      break;
    case DotCopy::Magnitude:
      bytes = groupDots.emitMagnitude(bytes);
      break;
    case DotCopy::Bytes:
    case DotCopy::Factors:
      break;
    }
    return vector::BitCastOp::create(builder, loc, VectorType::get(kQuads, builder.getI32Type()), bytes);
  }

  /// The different factors of a group at the present place.
  SmallVector<Value> evaluateFactors(const Copy &copy) {
    if (!values.movesInGroup(copy.value))
      return {values.evaluateScalar(copy.value)};
    Value factors = values.evaluate(copy.value, DotValues::kSums);
    SmallVector<Value> pieces;
    for (int64_t piece = 0; piece < copy.pieces; ++piece)
      pieces.push_back(vector::ExtractOp::create(builder, loc, factors, piece * copy.quads));
    return pieces;
  }

  void copyMade(Value row, Value madeRow) {
    moveTo(sum.sides.made, madeRow);
    forEachGroup(/*writeOut=*/true, [&](Value group) {
      for (const Copy &copy : copies) {
        if (copy.ofUsed)
          continue;
        if (copy.kind != DotCopy::Factors) {
          vector::StoreOp::create(builder, loc, evaluateQuads(copy), copy.memory, ValueRange{row, group, constant(0)});
          continue;
        }
        for (auto [piece, factor] : llvm::enumerate(evaluateFactors(copy)))
          memref::StoreOp::create(builder, loc, factor, copy.memory, ValueRange{row, group, constant(piece)});
      }
    });
  }

  /// Lanes behind the last row have that row again.
  void copyUsed(Value vector, Value first, Value end) {
    Value last = subtract(end, constant(1));
    SmallVector<RowIndices> rows;
    for (int64_t lane = 0; lane < panel.lanes; ++lane) {
      Value row = builder.createOrFold<arith::MinUIOp>(loc, add(first, constant(lane)), last);
      llvm::append_range(rows, getRowIndices(builder, loc, sum.sides.used, extents, row, 1));
    }
    auto forEachLane = [&](function_ref<void(int64_t)> body) {
      for (auto [lane, row] : llvm::enumerate(rows)) {
        for (auto [loop, index] : llvm::zip_equal(sum.sides.used, row))
          at[loop] = index;
        body(lane);
      }
    };
    forEachGroup(/*writeOut=*/false, [&](Value group) {
      for (const Copy &copy : copies) {
        if (!copy.ofUsed)
          continue;
        SmallVector<Value> pieces;
        if (copy.kind == DotCopy::Factors) {
          SmallVector<SmallVector<Value>> elements(copy.pieces);
          forEachLane([&](int64_t) {
            for (auto [piece, factor] : llvm::enumerate(evaluateFactors(copy)))
              elements[piece].push_back(factor);
          });
          auto type = VectorType::get(panel.lanes, builder.getF32Type());
          for (const SmallVector<Value> &lanes : elements)
            pieces.push_back(vector::FromElementsOp::create(builder, loc, type, lanes));
        } else {
          SmallVector<Value> quads;
          forEachLane([&](int64_t) { quads.push_back(evaluateQuads(copy)); });
          transpose(quads, kQuads, pieces);
        }
        for (auto [piece, lanes] : llvm::enumerate(pieces))
          vector::StoreOp::create(builder, loc, lanes, copy.memory,
                                  ValueRange{vector, group, constant(piece), constant(0)});
      }
    });
  }

  /// From a vector of `quads` for each row, or for neighbours the rows of each quad, to a vector of all rows for each
  /// quad.
  void transpose(ArrayRef<Value> rows, int64_t quads, SmallVectorImpl<Value> &result) {
    int64_t lanes = cast<VectorType>(rows.front().getType()).getDimSize(0), together = lanes / quads;
    if (rows.size() == 1)
      return result.push_back(rows.front());
    auto join = [&](int64_t from, int64_t to) {
      SmallVector<int64_t> chosen;
      for (int64_t quad = from; quad < to; ++quad)
        for (int64_t side : {0, 1})
          for (int64_t row = 0; row < together; ++row)
            chosen.push_back(side * lanes + quad * together + row);
      SmallVector<Value> joined;
      for (size_t row = 0; row < rows.size(); row += 2)
        joined.push_back(vector::ShuffleOp::create(builder, loc, rows[row], rows[row + 1], chosen));
      return joined;
    };
    if (lanes < panel.lanes)
      return transpose(join(0, quads), quads, result);
    transpose(join(0, quads / 2), quads / 2, result);
    transpose(join(quads / 2, quads), quads / 2, result);
  }

  //===--------------------------------------------------------------------===//
  // Sums
  //===--------------------------------------------------------------------===//

  VectorType getType(Type element) { return VectorType::get(panel.lanes, element); }

  void emitTile(Value vector, Value row) {
    presentVector = vector;
    presentRows = {row};
    for (int64_t next = 1; next < panel.tile; ++next)
      presentRows.push_back(add(row, constant(next)));
    auto type = getType(builder.getF32Type());
    Value zero = arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
    SmallVector<Value> sums(kQuads * panel.tile, zero);
    auto groups = scf::ForOp::create(builder, loc, constant(0), constant(panel.groups), constant(1), sums);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(groups.getBody());
      forget();
      presentGroup = groups.getInductionVar();
      sums = llvm::to_vector_of<Value>(groups.getRegionIterArgs());
      Value addend = combiner.getOperand(combiner.getLhs() == op.getRegionOutputArgs()[0] ? 1 : 0);
      for (presentQuad = 0; presentQuad < kQuads; ++presentQuad)
        for (tileRow = 0; tileRow < panel.tile; ++tileRow) {
          Value &total = sums[tileRow * kQuads + presentQuad];
          total = addTerms(total, addend, false);
        }
      scf::YieldOp::create(builder, loc, sums);
      forget();
    }
    for (int64_t next = 0; next < panel.tile; ++next) {
      SmallVector<Value> quads(groups.getResults().slice(next * kQuads, kQuads));
      // Halves, as sums across lanes are made.
      for (size_t half = quads.size() / 2; half > 0; half /= 2)
        for (size_t quad = 0; quad < half; ++quad)
          quads[quad] =
              arith::AddFOp::create(builder, loc, quads[quad], quads[quad + half], arith::FastMathFlags::none);
      vector::StoreOp::create(builder, loc, quads.front(), results, ValueRange{presentRows[next], constant(0)});
    }
  }

  void addResults(Value first, Value lanes, Value part, Value rows) {
    OpOperand &init = *op.getDpsInitOperand(0);
    forEach(constant(0), lanes, 1, [&](Value lane) {
      moveTo(sum.sides.used, add(first, lane));
      forEach(constant(0), rows, 1, [&](Value row) {
        moveTo(sum.sides.made, add(part, row));
        SmallVector<Value> indices = getAccessIndices(builder, op, init, at);
        Value total = memref::LoadOp::create(builder, loc, init.get(), indices);
        Value result = memref::LoadOp::create(builder, loc, results, ValueRange{row, lane});
        total = arith::AddFOp::create(builder, loc, total, result, arith::FastMathFlags::none);
        memref::StoreOp::create(builder, loc, total, init.get(), indices);
      });
    });
  }

  /// The same terms in the same order as without panels.
  Value addTerms(Value total, Value value, bool isNegative) {
    Operation *inner = value.getDefiningOp();
    if (isa<arith::AddFOp, arith::SubFOp>(inner)) {
      total = addTerms(total, inner->getOperand(0), isNegative);
      return addTerms(total, inner->getOperand(1), isNegative != isa<arith::SubFOp>(inner));
    }
    Value term = evaluateSum(value);
    arith::FastMathFlags flags = combiner.getFastmath();
    if (isNegative)
      return arith::SubFOp::create(builder, loc, total, term, flags);
    return arith::AddFOp::create(builder, loc, total, term, flags);
  }

  /// What was made at the present group, of `value` or a part of it, for all rows of the tile or one.
  Value share(Value value, int64_t what, int64_t quad, bool ofRow, function_ref<Value()> make) {
    auto key = std::make_tuple(value.getAsOpaquePointer(), what, quad, ofRow ? tileRow : -1);
    if (auto found = known.find(key); found != known.end())
      return found->second;
    Value result = make();
    known[key] = result;
    return result;
  }
  bool isOfRow(Value value) const { return values.isMovedBy(value, sum.sides.made); }

  Value evaluateSum(Value value) {
    return share(value, -1, presentQuad, isOfRow(value), [&]() -> Value {
      Operation *inner = value.getDefiningOp();
      if (auto conversion = dyn_cast<arith::SIToFPOp>(inner))
        return arith::SIToFPOp::create(builder, loc, getType(conversion.getType()),
                                       evaluateProducts(conversion.getIn()));
      bool isProduct = isa<arith::MulFOp>(inner);
      return cloneOn(inner, [&](Value operand) {
        return isProduct && values.isFactor(operand) ? evaluateFactor(operand) : evaluateSum(operand);
      });
    });
  }

  Value cloneOn(Operation *inner, function_ref<Value(Value)> evaluate) {
    SmallVector<Value> operands;
    for (Value operand : inner->getOperands())
      operands.push_back(evaluate(operand));
    return builder
        .create(loc, inner->getName().getIdentifier(), operands, TypeRange(getType(inner->getResult(0).getType())),
                inner->getAttrs())
        ->getResult(0);
  }

  Value evaluateFactor(Value value) {
    if (const Copy *copy = find(value, DotCopy::Factors))
      return load(*copy);
    return share(value, -2, presentQuad * DotSum::kQuad / values.countSame(value), isOfRow(value), [&]() -> Value {
      if (!loopsOf.contains(value))
        return vector::BroadcastOp::create(builder, loc, getType(value.getType()), value);
      return cloneOn(value.getDefiningOp(), [&](Value operand) { return evaluateFactor(operand); });
    });
  }

  Value load(const Copy &copy) {
    int64_t piece = presentQuad / copy.quads;
    return share(copy.value, static_cast<int64_t>(copy.kind), piece, !copy.ofUsed, [&]() -> Value {
      Type element = cast<MemRefType>(copy.memory.getType()).getElementType();
      Value result;
      if (copy.ofUsed) {
        result = vector::LoadOp::create(builder, loc, getType(element), copy.memory,
                                        ValueRange{presentVector, presentGroup, constant(piece), constant(0)});
      } else {
        Value scalar = memref::LoadOp::create(builder, loc, copy.memory,
                                              ValueRange{presentRows[tileRow], presentGroup, constant(piece)});
        result = vector::BroadcastOp::create(builder, loc, getType(element), scalar);
      }
      if (copy.kind == DotCopy::Bytes || copy.kind == DotCopy::Shifted || copy.kind == DotCopy::Magnitude)
        result = vector::BitCastOp::create(builder, loc,
                                           VectorType::get(panel.lanes * DotSum::kQuad, builder.getI8Type()), result);
      return result;
    });
  }

  Value load(Value value, DotCopy kind) { return load(*find(value, kind)); }

  Value evaluateProduct(Value a, Value b) {
    bool isUsed = values.isMovedBy(a, sum.sides.used);
    if (!b)
      return isUsed ? laneDots.emitSum(load(a, DotCopy::Bytes)) : load(a, DotCopy::Sums);
    Value used = isUsed ? a : b, made = isUsed ? b : a;
    DotForm form = chooseDotForm(dots, used, made);
    Value number = load(made, DotCopy::Bytes);
    Value numbers = load(used, form == DotForm::FirstShifted ? DotCopy::Shifted : DotCopy::Bytes);
    switch (form) {
    case DotForm::FirstUnsigned:
      return laneDots.emitUnsigned(numbers, number, Value());
    case DotForm::SecondUnsigned:
      return laneDots.emitUnsigned(number, numbers, Value());
    case DotForm::FirstShifted:
      return laneDots.emitUnsigned(numbers, number, load(made, DotCopy::Offsets));
    case DotForm::FirstMagnitude: {
      Value magnitude = load(used, DotCopy::Magnitude);
      return laneDots.emitUnsigned(magnitude, laneDots.emitSigned(number, numbers), Value());
    }
    case DotForm::SecondMagnitude: {
      Value magnitude = load(made, DotCopy::Magnitude);
      return laneDots.emitUnsigned(magnitude, laneDots.emitSigned(numbers, number), Value());
    }
    case DotForm::Wide:
      break;
    }
    llvm_unreachable("no panel has such products");
  }

  Value evaluateProducts(Value value) {
    Value total;
    auto terms = getIntegerTerms(value);
    for (const IntegerTerm &term : *terms) {
      Value product = evaluateProduct(term.a, term.b);
      if (term.factor != 1) {
        VectorType type = getType(builder.getI32Type());
        auto factor = DenseElementsAttr::get(type, static_cast<int32_t>(term.factor));
        product = arith::MulIOp::create(builder, loc, product, arith::ConstantOp::create(builder, loc, type, factor));
      }
      total = total ? arith::AddIOp::create(builder, loc, total, product).getResult() : product;
    }
    return total;
  }

  OpBuilder &builder;
  linalg::GenericOp op;
  Location loc;
  const DotSum &sum;
  const DotPanel &panel;
  DotProducts dots;
  SmallVector<Value> extents;
  /// Current index of each loop.
  SmallVector<Value> at;
  DenseMap<Value, llvm::SmallBitVector> loopsOf;
  DotValues values;
  /// Of vectors along a group, and of vectors of rows.
  DotEmitter groupDots, laneDots;
  SmallVector<int64_t> ranges;
  arith::AddFOp combiner;
  SmallVector<unsigned> reductions;
  SmallVector<Copy> copies;
  /// Sums of a vector with a few made rows: row, lane.
  Value results;
  std::map<int64_t, Value> constants;

  /// What a tile is at.
  Value presentVector, presentGroup;
  SmallVector<Value> presentRows;
  int64_t presentQuad = 0, tileRow = 0;
  std::map<std::tuple<void *, int64_t, int64_t, int64_t>, Value> known;
};
} // namespace

Value relax::emitDotPanels(OpBuilder &builder, linalg::GenericOp op, const DotSum &sum, const DotPanel &panel,
                           ValueRange extents, DotProducts dots) {
  return DotPanelEmitter(builder, op, sum, panel, extents, dots).emit();
}
