//===- ProgramInliner.cpp - Bodies of tensor programs in place ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/TensorProgram/Transforms/ProgramInliner.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::tp;

/// A divisor that is not positive is an error that somebody else reports; it must not be a signal here.
static Value emitDivisor(OpBuilder &builder, Location loc, Value divisor, sym::SymExpr expr) {
  if (expr.getConstant())
    return divisor;
  return arith::MaxSIOp::create(builder, loc, divisor, arith::ConstantIndexOp::create(builder, loc, 1));
}

static Value emitAtom(OpBuilder &builder, Location loc, const sym::SymAtom &atom,
                      const llvm::StringMap<Value> &symbols) {
  if (atom.kind == sym::SymAtom::Kind::Symbol)
    return symbols.lookup(atom.name);
  auto operands = llvm::map_to_vector(atom.operands,
                                      [&](sym::SymExpr operand) { return emitExpr(builder, loc, operand, symbols); });
  Value result = operands.front();
  for (auto [value, expr] : llvm::drop_begin(llvm::zip_equal(operands, atom.operands)))
    result = atom.kind == sym::SymAtom::Kind::FloorDiv
                 ? arith::FloorDivSIOp::create(builder, loc, result, emitDivisor(builder, loc, value, expr)).getResult()
                 : arith::MaxSIOp::create(builder, loc, result, value).getResult();
  return result;
}

Value tp::emitExpr(OpBuilder &builder, Location loc, sym::SymExpr expr, const llvm::StringMap<Value> &symbols) {
  Value sum;
  for (const sym::SymTerm &term : sym::getTerms(expr)) {
    Value product;
    auto multiply = [&](Value factor) {
      product = product ? arith::MulIOp::create(builder, loc, product, factor).getResult() : factor;
    };
    for (auto [atom, power] : term.factors)
      for (Value factor = emitAtom(builder, loc, *atom, symbols); power != 0; --power)
        multiply(factor);
    if (!product || term.coefficient != 1)
      multiply(arith::ConstantIndexOp::create(builder, loc, term.coefficient));
    sum = sum ? arith::AddIOp::create(builder, loc, sum, product).getResult() : product;
  }
  return sum ? sum : arith::ConstantIndexOp::create(builder, loc, 0);
}

Value ProgramInliner::getExtent(unsigned input, unsigned dim) {
  return builder.createOrFold<tensor::DimOp>(loc, inputs[input], static_cast<int64_t>(dim));
}

/// The verifier guarantees that inputs and scalars determine every symbol: each extent gets a name, and each symbol an
/// expression of these names.
void ProgramInliner::solveSymbols() {
  if (solved)
    return;
  solved = true;
  MLIRContext *context = builder.getContext();
  SmallVector<std::pair<sym::SymExpr, sym::SymExpr>> equations;
  SmallVector<std::pair<std::string, std::function<Value()>>> sources;
  llvm::StringMap<bool> isSymbol;
  auto addSource = [&](Position position, sym::SymExpr expr, std::function<Value()> source) {
    if (!expr || expr.getConstant())
      return;
    for (StringRef name : expr.getSymbols())
      isSymbol[name] = true;
    if (std::optional<StringRef> name = expr.getSymbol()) {
      if (!symbols.contains(*name)) {
        symbols[*name] = source();
        defining.insert(position);
      }
      return;
    }
    sources.emplace_back("$" + std::to_string(sources.size()), std::move(source));
    equations.emplace_back(expr, sym::SymExpr::symbol(context, sources.back().first));
  };
  for (unsigned input = 0; input != program.getNumInputs(); ++input)
    for (auto [dim, expr] : llvm::enumerate(program.getArgumentDims(input)))
      addSource({input, dim}, expr, [this, input, dim = static_cast<unsigned>(dim)] { return getExtent(input, dim); });
  for (unsigned scalar = 0; scalar != program.getNumScalars(); ++scalar)
    addSource({kScalarPosition, scalar}, program.getProgramScalar(scalar), [this, scalar] { return scalars[scalar]; });
  if (symbols.size() == isSymbol.size())
    return;

  // Symbols that stand alone are known values for the rest.
  sym::Prover prover(context);
  sym::Solution solution =
      prover.solve(equations, [&](StringRef name) { return isSymbol.contains(name) && !symbols.contains(name); });
  llvm::StringMap<Value> values = symbols;
  for (auto &[name, source] : sources)
    values[name] = source();
  for (const auto &entry : solution.values)
    symbols[entry.first()] = emitExpr(builder, loc, entry.second, values);
}

void ProgramInliner::emitShapeConditions(llvm::function_ref<void(Value condition, const Twine &message)> emit) {
  solveSymbols();
  auto check = [&](Position position, sym::SymExpr expected, llvm::function_ref<Value()> getActual, const Twine &what) {
    if (!expected || defining.contains(position))
      return;
    Value actual = getActual(), value = emitExpr(builder, loc, expected, symbols);
    emit(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value, actual),
         what + " of @" + program.getSymName() + " must be " + expected.str());
  };
  for (unsigned input = 0; input != program.getNumInputs(); ++input)
    for (auto [dim, expr] : llvm::enumerate(program.getArgumentDims(input)))
      check(
          {input, dim}, expr, [&, dim = dim] { return getExtent(input, dim); },
          "dimension " + Twine(dim) + " of input " + Twine(input));
  for (unsigned scalar = 0; scalar != program.getNumScalars(); ++scalar)
    check(
        {kScalarPosition, scalar}, program.getProgramScalar(scalar), [&] { return scalars[scalar]; },
        "scalar " + Twine(scalar));
}

Value ProgramInliner::castTo(Value tensor, Type type) {
  if (tensor.getType() == type)
    return tensor;
  return tensor::CastOp::create(builder, loc, type, tensor);
}

/// A tensor (buffer in buffer form) for an out or workspace.
Value ProgramInliner::emitDestination(unsigned argument) {
  solveSymbols();
  auto type = cast<ShapedType>(program.getArgumentTypes()[argument]);
  SmallVector<Value> sizes;
  SmallVector<sym::SymExpr> dims = program.getArgumentDims(argument);
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(extent))
      sizes.push_back(emitExpr(builder, loc, dims[dim], symbols));
  if (auto memref = dyn_cast<MemRefType>(type))
    return memref::AllocOp::create(builder, loc, memref, sizes);
  return tensor::EmptyOp::create(builder, loc, type, sizes);
}

SmallVector<Value> ProgramInliner::inlineBody() {
  bool isBufferForm = program.isBufferForm();
  unsigned firstOut = program.getNumInputs(), firstWorkspace = firstOut + program.getNumOuts();
  IRMapping mapping;
  for (auto [index, argument] : llvm::enumerate(program.getInputs())) {
    Value value = inputs[index];
    if (auto memref = dyn_cast<MemRefType>(argument.getType())) {
      value = castTo(value, RankedTensorType::get(memref.getShape(), memref.getElementType()));
      value = bufferization::ToBufferOp::create(builder, loc, memref, value, /*read_only=*/true);
    } else {
      value = castTo(value, argument.getType());
    }
    mapping.map(argument, value);
  }
  for (auto [argument, value] : llvm::zip_equal(program.getScalars(), scalars))
    mapping.map(argument, value);
  for (unsigned index = firstOut; index != firstWorkspace + program.getNumWorkspaces(); ++index) {
    Value given = isBufferForm ? Value() : destinations.lookup(index - firstOut);
    BlockArgument argument = program.getBody().getArgument(index);
    if (given && index < firstWorkspace)
      mapping.map(argument, castTo(given, argument.getType()));
    else if (isBufferForm || !argument.use_empty())
      mapping.map(argument, emitDestination(index));
  }
  for (Operation &op : program.getBody().front().without_terminator())
    builder.clone(op, mapping);

  SmallVector<Value> results;
  if (isBufferForm)
    for (BlockArgument out : program.getOuts()) {
      auto memref = cast<MemRefType>(out.getType());
      auto tensor = RankedTensorType::get(memref.getShape(), memref.getElementType());
      results.push_back(bufferization::ToTensorOp::create(builder, loc, tensor, mapping.lookup(out), /*restrict=*/true,
                                                          /*writable=*/true));
    }
  for (Value value : program.getYield().getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}
