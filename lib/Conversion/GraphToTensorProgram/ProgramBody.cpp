//===- ProgramBody.cpp - The inside of a tensor program -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Conversion/GraphToTensorProgram/ProgramLibrary.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;

ProgramBody::ProgramBody(OpBuilder &builder, Location loc, tp::ProgramOp program, sym::Prover &prover)
    : builder(builder), loc(loc), program(program), prover(prover) {}

Value ProgramBody::getConstant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

OpFoldResult ProgramBody::getIndexOrConstant(SymExpr expr) {
  if (std::optional<int64_t> constant = expr.getConstant())
    return builder.getIndexAttr(*constant);
  return getIndex(expr);
}

SmallVector<OpFoldResult> ProgramBody::getSizes(ArrayRef<SymExpr> dims) {
  return llvm::map_to_vector(dims, [&](SymExpr dim) { return getIndexOrConstant(dim); });
}

Value ProgramBody::createEmpty(ArrayRef<SymExpr> dims, Type elementType) {
  return tensor::EmptyOp::create(builder, loc, getSizes(dims), sym::getProgramType(elementType));
}

Value ProgramBody::getIndex(SymExpr expr) {
  // An extent that some argument has needs no arithmetic.
  unsigned numBuffers = program.getInputs().size() + program.getOuts().size();
  if (!expr.getConstant())
    for (unsigned index = 0; index != numBuffers; ++index)
      for (auto [dim, extent] : llvm::enumerate(program.getArgumentDims(index)))
        if (extent == expr) {
          Value argument = program.getArgument(index);
          if (isa<MemRefType>(argument.getType()))
            return memref::DimOp::create(builder, loc, argument, dim);
          return tensor::DimOp::create(builder, loc, argument, dim);
        }
  return emit(expr, [&](StringRef name) { return getSymbol(name); });
}

Value ProgramBody::getSymbol(StringRef name) {
  MLIRContext *context = builder.getContext();
  for (auto [index, scalar] : llvm::enumerate(program.getScalars()))
    if (program.getProgramScalar(index) == SymExpr::symbol(context, name))
      return scalar;
  SymExpr symbol = SymExpr::symbol(context, name);
  for (unsigned index = 0; index != program.getInputs().size(); ++index)
    if (llvm::is_contained(program.getArgumentDims(index), symbol))
      return getIndex(symbol);
  solveSymbols();
  return emit(solution.values.lookup(name), [&](StringRef extent) -> Value {
    int64_t position = -1;
    if (extent.consume_front("$") && !extent.getAsInteger(10, position)) {
      auto [argument, dim] = extents[position];
      return tensor::DimOp::create(builder, loc, argument, dim);
    }
    return getSymbol(extent); // a scalar, or a symbol that stands alone
  });
}

/// Extents get names of their own, so that solving gives symbols in terms of them.
void ProgramBody::solveSymbols() {
  if (solved)
    return;
  solved = true;
  MLIRContext *context = builder.getContext();
  SmallVector<std::pair<SymExpr, SymExpr>> equations;
  llvm::StringMap<char> known;
  for (unsigned index = 0; index != program.getInputs().size(); ++index)
    for (SymExpr extent : program.getArgumentDims(index))
      if (extent && extent.getSymbol())
        known[*extent.getSymbol()] = 1;
  for (unsigned index = 0; index != program.getScalars().size(); ++index)
    if (SymExpr scalar = program.getProgramScalar(index); scalar && scalar.getSymbol())
      known[*scalar.getSymbol()] = 1;
  for (unsigned index = 0; index != program.getInputs().size(); ++index)
    for (auto [dim, extent] : llvm::enumerate(program.getArgumentDims(index)))
      if (extent && !extent.getConstant()) {
        equations.emplace_back(extent, SymExpr::symbol(context, "$" + std::to_string(extents.size())));
        extents.emplace_back(program.getArgument(index), dim);
      }
  solution = sym::Prover(context).solve(
      equations, [&](StringRef name) { return !name.starts_with("$") && !known.contains(name); });
}

Value ProgramBody::emit(SymExpr expr, function_ref<Value(StringRef)> symbol) {
  auto emitAtom = [&](const sym::SymAtom &atom) -> Value {
    if (atom.kind == sym::SymAtom::Kind::Symbol)
      return symbol(atom.name);
    Value result = emit(atom.operands.front(), symbol);
    for (SymExpr operand : ArrayRef<SymExpr>(atom.operands).drop_front()) {
      Value other = emit(operand, symbol);
      if (atom.kind == sym::SymAtom::Kind::Max) {
        result = arith::MaxSIOp::create(builder, loc, result, other);
        continue;
      }
      // The extents of this call exist, so their divisors are positive.
      result = arith::FloorDivSIOp::create(builder, loc, result, other);
    }
    return result;
  };

  Value sum;
  for (const sym::SymTerm &term : sym::getTerms(expr)) {
    Value product;
    if (term.coefficient != 1 || term.factors.empty())
      product = getConstant(term.coefficient);
    for (const auto &[atom, power] : term.factors) {
      Value factor = emitAtom(*atom);
      for (unsigned i = 0; i != power; ++i)
        product = product ? arith::MulIOp::create(builder, loc, product, factor).getResult() : factor;
    }
    sum = sum ? arith::AddIOp::create(builder, loc, sum, product).getResult() : product;
  }
  return sum ? sum : getConstant(0);
}
