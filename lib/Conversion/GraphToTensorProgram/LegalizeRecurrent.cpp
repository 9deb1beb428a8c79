//===- LegalizeRecurrent.cpp - Steps of a recurrent layer, as a program ---===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Buffer form: the state of one sequence is kept in a workspace while its steps
// are done one after the other; products with the input were taken before.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/ProgramLibrary.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphRecurrentOps.h"
#include "ScalarBodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace {
class ScanWriter {
public:
  ScanWriter(RecurrentScanOp op, ProgramBody &body)
      : op(op), body(body), builder(body.builder), loc(body.loc),
        type(cast<RankedTensorType>(op.getType()).getElementType()), cell(op.getCell()) {
    unsigned next = 0;
    input = body.getInput(next++);
    recurrence = body.getInput(next++);
    state = body.getInput(next++);
    SmallVector<SymExpr> dims = body.getInputDims(1);
    if (op.getLengths())
      lengths = body.getInput(next++);
    if (op.getPeephole())
      peephole = body.getInput(next++);
    if (op.getBias())
      bias = body.getInput(next++);
    zero = body.getConstant(0);
    one = body.getConstant(1);
    steps = body.getIndex(body.getInputDims(0)[0]);
    batch = body.getIndex(body.getInputDims(0)[1]);
    hidden = body.getIndex(dims[1]);
    stateSize = cell == "lstm" ? add(hidden, hidden) : hidden;
    present = body.getWorkspace(0);
    gates = body.getWorkspace(1);
  }

  void write() {
    forEach(batch, [&](Value sequence) {
      forEach(stateSize, [&](Value k) { store(load(state, {sequence, k}), present, k); });
      Value length = getLength(sequence);
      forEach(length, [&](Value step) { writeStep(sequence, step, length); });
      scf::ForOp::create(builder, loc, length, steps, one, {}, [&](OpBuilder &, Location, Value step, ValueRange) {
        forEach(stateSize, [&](Value k) { store(scalar(0), body.getOut(), {step, sequence, k}); });
        scf::YieldOp::create(builder, loc);
      });
      forEach(stateSize, [&](Value k) { store(load(present, k), body.getOut(), {steps, sequence, k}); });
    });
  }

private:
  Value add(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
  Value addF(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
  Value subF(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
  Value mulF(Value a, Value b) { return arith::MulFOp::create(builder, loc, a, b); }
  Value divF(Value a, Value b) { return arith::DivFOp::create(builder, loc, a, b); }
  Value scalar(double value) { return createScalar(builder, loc, type, value); }
  Value load(Value buffer, ValueRange indices) { return memref::LoadOp::create(builder, loc, buffer, indices); }
  void store(Value value, Value buffer, ValueRange indices) {
    memref::StoreOp::create(builder, loc, value, buffer, indices);
  }
  void forEach(Value count, function_ref<void(Value)> visit) {
    scf::ForOp::create(builder, loc, zero, count, one, {}, [&](OpBuilder &, Location, Value index, ValueRange) {
      visit(index);
      scf::YieldOp::create(builder, loc);
    });
  }
  /// Element `index` of gate `number`.
  Value at(unsigned number, Value index) {
    return number == 0 ? index
                       : add(arith::MulIOp::create(builder, loc, hidden, body.getConstant(number)).getResult(), index);
  }

  Value getLength(Value sequence) {
    if (!lengths)
      return steps;
    Value length = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), load(lengths, sequence));
    // A negative length is a large unsigned one.
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, length, steps);
    tp::AssertOp::create(builder, loc, fits, "length of a sequence is out of range");
    return arith::SelectOp::create(builder, loc, fits, length, zero);
  }

  Value writeActivation(unsigned number, Value x) {
    if (auto clip = op.getClip()) {
      double bound = clip->convertToDouble();
      x = arith::MaximumFOp::create(builder, loc, arith::MinimumFOp::create(builder, loc, x, scalar(bound)),
                                    scalar(-bound));
    }
    StringRef name = cast<StringAttr>(op.getActivations()[number]).getValue();
    Value alpha = scalar(op.getAlpha()[number]), beta = scalar(op.getBeta()[number]);
    auto exp = [&](Value y) -> Value { return math::ExpOp::create(builder, loc, y); };
    auto negate = [&](Value y) -> Value { return arith::NegFOp::create(builder, loc, y); };
    auto max = [&](Value a, Value b) -> Value { return arith::MaximumFOp::create(builder, loc, a, b); };
    auto less = [&](Value a, Value b) -> Value {
      return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a, b);
    };
    auto select = [&](Value condition, Value a, Value b) -> Value {
      return arith::SelectOp::create(builder, loc, condition, a, b);
    };
    auto magnitude = [&](Value y) -> Value { return math::AbsFOp::create(builder, loc, y); };
    if (name == "sigmoid")
      return divF(scalar(1), addF(scalar(1), exp(negate(x))));
    if (name == "tanh")
      return math::TanhOp::create(builder, loc, x);
    if (name == "relu")
      return max(x, scalar(0));
    if (name == "affine")
      return addF(mulF(alpha, x), beta);
    if (name == "scaled_tanh")
      return mulF(alpha, math::TanhOp::create(builder, loc, mulF(beta, x)));
    if (name == "leaky_relu")
      return select(less(x, scalar(0)), mulF(alpha, x), x);
    if (name == "thresholded_relu")
      return select(less(x, alpha), scalar(0), x);
    if (name == "elu")
      return select(less(x, scalar(0)), mulF(alpha, subF(exp(x), scalar(1))), x);
    if (name == "softsign")
      return divF(x, addF(scalar(1), magnitude(x)));
    if (name == "softplus") {
      Value rest = math::LogOp::create(builder, loc, addF(scalar(1), exp(negate(magnitude(x)))));
      return addF(max(x, scalar(0)), rest);
    }
    Value line = addF(mulF(alpha, x), beta); // hard_sigmoid
    return max(arith::MinimumFOp::create(builder, loc, line, scalar(1)), scalar(0));
  }

  /// Row `row` of R times what `element` gives.
  Value writeProduct(Value row, function_ref<Value(Value)> element) {
    auto loop = scf::ForOp::create(
        builder, loc, zero, hidden, one, scalar(0), [&](OpBuilder &, Location, Value k, ValueRange sum) {
          Value next = addF(sum[0], mulF(element(k), load(recurrence, {row, k})));
          // Lets the sum be taken in vector lanes.
          auto flags = arith::FastMathFlagsAttr::get(op.getContext(),
                                                     arith::FastMathFlags::reassoc | arith::FastMathFlags::contract);
          cast<arith::AddFOp>(next.getDefiningOp()).setFastmathAttr(flags);
          scf::YieldOp::create(builder, loc, next);
        });
    return loop.getResult(0);
  }

  void writeStep(Value sequence, Value step, Value length) {
    Value position = step;
    if (op.getReverse())
      position = arith::SubIOp::create(builder, loc, arith::SubIOp::create(builder, loc, length, one), step);
    auto state = [&](Value k) { return load(present, k); };
    auto in = [&](Value gate) { return load(input, {position, sequence, gate}); };
    auto writeSums = [&](unsigned number) { // x + h R
      forEach(hidden, [&](Value j) {
        Value gate = at(number, j);
        store(addF(in(gate), writeProduct(gate, state)), gates, gate);
      });
    };
    if (cell == "rnn") {
      writeSums(0);
      forEach(hidden, [&](Value j) { store(writeActivation(0, load(gates, j)), present, j); });
    } else if (cell == "gru") {
      writeGRU(in, state, writeSums);
    } else {
      for (unsigned number = 0; number != 4; ++number)
        writeSums(number);
      forEach(hidden, [&](Value j) { writeLSTM(j); });
    }
    forEach(stateSize, [&](Value k) { store(load(present, k), body.getOut(), {position, sequence, k}); });
  }

  void writeGRU(function_ref<Value(Value)> in, function_ref<Value(Value)> state,
                function_ref<void(unsigned)> writeSums) {
    for (unsigned number = 0; number != 2; ++number) {
      writeSums(number);
      forEach(hidden, [&](Value j) {
        Value gate = at(number, j);
        store(writeActivation(0, load(gates, gate)), gates, gate);
      });
    }
    auto reset = [&](Value k) { return load(gates, at(1, k)); };
    forEach(hidden, [&](Value j) {
      Value gate = at(2, j), product;
      if (op.getLinearBeforeReset()) {
        product = writeProduct(gate, state);
        if (bias)
          product = addF(product, load(bias, j));
        product = mulF(reset(j), product);
      } else {
        product = writeProduct(gate, [&](Value k) { return mulF(reset(k), state(k)); });
      }
      store(writeActivation(1, addF(in(gate), product)), gates, gate);
    });
    forEach(hidden, [&](Value j) {
      Value update = load(gates, j), fresh = load(gates, at(2, j));
      store(addF(mulF(subF(scalar(1), update), fresh), mulF(update, state(j))), present, j);
    });
  }

  void writeLSTM(Value j) {
    Value cellIndex = add(hidden, j), memory = load(present, cellIndex);
    auto gate = [&](unsigned number, unsigned peepholes, Value content) {
      Value sum = load(gates, at(number, j));
      if (peephole && content)
        sum = addF(sum, mulF(load(peephole, at(peepholes, j)), content));
      return sum;
    };
    Value inputGate = writeActivation(0, gate(0, 0, memory));
    Value forget = op.getInputForget() ? subF(scalar(1), inputGate) : writeActivation(0, gate(2, 2, memory));
    Value fresh = writeActivation(1, gate(3, 0, nullptr));
    Value next = addF(mulF(forget, memory), mulF(inputGate, fresh));
    Value output = writeActivation(0, gate(1, 1, next));
    store(next, present, cellIndex);
    store(mulF(output, writeActivation(2, next)), present, j);
  }

  RecurrentScanOp op;
  ProgramBody &body;
  OpBuilder &builder;
  Location loc;
  Type type;
  StringRef cell;
  Value input, recurrence, state, lengths, peephole, bias;
  Value zero, one, steps, batch, hidden, stateSize;
  Value present, gates; // state of the sequence; sums and gates of the step
};

struct LegalizeRecurrentScan final : OpRewritePattern<RecurrentScanOp> {
  LegalizeRecurrentScan(MLIRContext *context, ProgramLibrary &library) : OpRewritePattern(context), library(library) {}

  LogicalResult matchAndRewrite(RecurrentScanOp op, PatternRewriter &rewriter) const override {
    if (!isPrepared(op))
      return rewriter.notifyMatchFailure(op, "an extent is unknown");
    ProgramRequest request;
    request.name = "recurrent_scan";
    request.inputs = llvm::to_vector(op->getOperands());
    request.results = {op.getType()};
    Type type = op.getType().getElementType();
    SymExpr hidden = sym::getSymbolicDims(op.getRecurrence().getType())[1];
    SymExpr gates = hidden * getNumGates(op.getCell()), state = op.getCell() == "lstm" ? hidden * 2 : hidden;
    request.workspaces = {sym::getTensorType(state, type), sym::getTensorType(gates, type)};
    request.bufferForm = true;
    auto write = [&](ProgramBody &body) {
      ScanWriter(op, body).write();
      return SmallVector<Value>();
    };
    request.body = write;
    return library.replaceWithCall(rewriter, op, request);
  }

  ProgramLibrary &library;
};
} // namespace

void relax::populateRecurrentToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library) {
  patterns.add<LegalizeRecurrentScan>(patterns.getContext(), library);
}
