//===- HostSymbols.cpp - Expressions and the checks at entry --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "HostEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::relax;
using sym::Fact;
using sym::SymExpr;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// An operation with an overflow flag, folded for constants; the flag is added to `overflow`.
template <typename OpTy>
static Value createChecked(OpBuilder &builder, Location loc, Value a, Value b, Value &overflow) {
  Type flagType = builder.getI1Type();
  auto pair = LLVM::LLVMStructType::getLiteral(builder.getContext(), {a.getType(), flagType});
  Value both = OpTy::create(builder, loc, pair, a, b);
  Value flag = LLVM::ExtractValueOp::create(builder, loc, both, ArrayRef<int64_t>{1});
  overflow = overflow ? Value(arith::OrIOp::create(builder, loc, overflow, flag)) : flag;
  return LLVM::ExtractValueOp::create(builder, loc, both, ArrayRef<int64_t>{0});
}

Value HostEmitter::addChecked(Value a, Value b, const Twine &message) {
  Value overflow, sum = createChecked<LLVM::SAddWithOverflowOp>(builder, loc, a, b, overflow);
  Value fits =
      arith::XOrIOp::create(builder, loc, overflow, arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
  guard(fits, RELAX_RT_GUARD_FAILED, message, {});
  return sum;
}

Value HostEmitter::countBytes(ArrayRef<Value> dims, Type elementType) {
  Value bytes = constant(llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8)), overflow;
  for (Value dim : dims)
    bytes = createChecked<LLVM::SMulWithOverflowOp>(builder, loc, bytes, dim, overflow);
  if (!overflow)
    return bytes;
  Value fits =
      arith::XOrIOp::create(builder, loc, overflow, arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
  guard(fits, RELAX_RT_GUARD_FAILED, "a tensor needs more memory than 64 bits can count", {});
  return bytes;
}

Value HostEmitter::evaluateAtom(const sym::SymAtom &atom, SymbolValues &values, Value &overflow) {
  switch (atom.kind) {
  case sym::SymAtom::Kind::Symbol:
    return values.lookup(SymExpr::symbol(context, atom.name));
  case sym::SymAtom::Kind::Max: {
    Value result;
    for (SymExpr operand : atom.operands) {
      Value value = evaluateTerms(operand, values, overflow);
      if (!value)
        return Value();
      result = result ? Value(arith::MaxSIOp::create(builder, loc, result, value)) : value;
    }
    return result;
  }
  case sym::SymAtom::Kind::FloorDiv:
    break;
  }
  Value dividend = evaluateTerms(atom.operands[0], values, overflow);
  Value divisor = evaluateTerms(atom.operands[1], values, overflow);
  if (!dividend || !divisor)
    return Value();
  if (!atom.operands[1].getConstant()) {
    Value positive = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, divisor, constant(0));
    guard(positive, RELAX_RT_GUARD_FAILED, "divisor " + atom.operands[1].str() + " is not positive: {0}", {divisor});
  }
  // Rounds to minus infinity; the divisor is positive.
  Value quotient = arith::DivSIOp::create(builder, loc, dividend, divisor);
  Value rest = arith::RemSIOp::create(builder, loc, dividend, divisor);
  Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, rest, constant(0));
  return arith::SubIOp::create(builder, loc, quotient, arith::ExtUIOp::create(builder, loc, i64, below));
}

Value HostEmitter::evaluateTerms(SymExpr expr, SymbolValues &values, Value &overflow) {
  if (std::optional<int64_t> value = expr.getConstant())
    return constant(*value);
  if (Value cached = values.lookup(expr))
    return cached;
  Value sum;
  for (const sym::SymTerm &term : sym::getTerms(expr)) {
    Value product;
    for (const auto &[atom, power] : term.factors) {
      Value factor = evaluateAtom(*atom, values, overflow);
      if (!factor)
        return Value();
      for (unsigned i = 0; i < power; ++i)
        product = product ? createChecked<LLVM::SMulWithOverflowOp>(builder, loc, product, factor, overflow) : factor;
    }
    if (!product)
      product = constant(term.coefficient);
    else if (term.coefficient != 1)
      product = createChecked<LLVM::SMulWithOverflowOp>(builder, loc, product, constant(term.coefficient), overflow);
    sum = sum ? createChecked<LLVM::SAddWithOverflowOp>(builder, loc, sum, product, overflow) : product;
  }
  return sum ? sum : constant(0);
}

Value HostEmitter::evaluate(SymExpr expr, SymbolValues &values) {
  if (!expr)
    return Value();
  Value overflow;
  Value value = evaluateTerms(expr, values, overflow);
  if (!value)
    return Value();
  if (overflow) {
    Value fits = arith::XOrIOp::create(builder, loc, overflow,
                                       arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
    guard(fits, RELAX_RT_GUARD_FAILED, "the value of " + expr.str() + " does not fit 64 bits", {});
  }
  if (!expr.getConstant() && !values.count(expr))
    values.insert(expr, value);
  return value;
}

void HostEmitter::bind(StringRef symbol, Value value) { known.insert(SymExpr::symbol(context, symbol), value); }
bool HostEmitter::isBound(StringRef symbol) { return known.count(SymExpr::symbol(context, symbol)); }

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

Value HostEmitter::evaluateFact(const Fact &fact, SymbolValues &values) {
  Value lhs = evaluate(fact.lhs, values), rhs = evaluate(fact.rhs, values);
  if (!lhs || !rhs)
    return Value();
  auto predicate = [&] {
    switch (fact.op) {
    case Fact::Op::Equal:
      return arith::CmpIPredicate::eq;
    case Fact::Op::LessEqual:
      return arith::CmpIPredicate::sle;
    case Fact::Op::GreaterEqual:
      return arith::CmpIPredicate::sge;
    case Fact::Op::Less:
      return arith::CmpIPredicate::slt;
    case Fact::Op::Greater:
      return arith::CmpIPredicate::sgt;
    }
    llvm_unreachable("all operators are covered");
  }();
  return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
}

static std::string printFact(const Fact &fact) {
  std::string text;
  llvm::raw_string_ostream os(text);
  fact.print(os);
  return text;
}

/// Symbols of a fact, each once.
static SmallVector<StringRef> getSymbols(const Fact &fact) {
  SmallVector<StringRef> symbols = fact.lhs.getSymbols();
  for (StringRef symbol : fact.rhs.getSymbols())
    if (!llvm::is_contained(symbols, symbol))
      symbols.push_back(symbol);
  return symbols;
}

void HostEmitter::guardFact(const Fact &fact, SymbolValues &values, int32_t status, const Twine &message) {
  Value holds = evaluateFact(fact, values);
  if (!holds)
    return;
  // The symbols, then what they make of both sides where that is readable.
  constexpr size_t kReadable = 64;
  SmallVector<SymExpr> composite;
  for (SymExpr side : {fact.lhs, fact.rhs})
    if (!side.getConstant() && !side.getSymbol() && side.str().size() <= kReadable)
      composite.push_back(side);
  std::string text = message.str();
  SmallVector<Value> shown;
  auto show = [&](SymExpr expr, const std::string &origin) {
    text += (shown.empty() ? ": " : ", ") + expr.str() + " = {" + std::to_string(shown.size()) + "}" + origin;
    shown.push_back(expr.getSymbol() ? values.lookup(expr) : evaluate(expr, values));
  };
  for (StringRef symbol : getSymbols(fact))
    if (shown.size() + composite.size() < kMaxGuardValues)
      show(SymExpr::symbol(context, symbol), &values == &known ? origins.lookup(symbol) : std::string());
  for (SymExpr side : composite)
    show(side, "");
  guard(holds, status, text, shown);
}

void HostEmitter::checkFacts(ArrayRef<StringRef> symbols, int32_t status) {
  for (const Fact &fact : facts) {
    SmallVector<StringRef> used = getSymbols(fact);
    bool concerned = llvm::any_of(used, [&](StringRef symbol) { return llvm::is_contained(symbols, symbol); });
    if (concerned && llvm::all_of(used, [&](StringRef symbol) { return isBound(symbol); }))
      guardFact(fact, known, status, "fact " + printFact(fact) + " does not hold");
  }
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

std::string HostEmitter::getInputName(unsigned index) {
  if (form == HostForm::Internal)
    return "call of '" + source.getName().str() + "': argument " + std::to_string(index);
  return "input '" + getOutsideName(source.getArgAttrDict(index), "arg", index) + "'";
}

/// Makes values of the arguments; nothing is checked yet.
LogicalResult HostEmitter::emitArguments() {
  if (form == HostForm::Internal) {
    takeInternalArguments();
  } else {
    Value inputs = loadField(pointerType, invocation, 1);
    for (auto [index, argument] : llvm::enumerate(source.getArguments())) {
      loc = argument.getLoc();
      Value data = loadField(pointerType, inputs, 2 * index), dims = loadField(pointerType, inputs, 2 * index + 1);
      if (failed(makeArgument(index, data, dims)))
        return failure();
    }
  }
  loc = source.getLoc();
  if (failed(bindArguments()))
    return failure();
  checkArgumentExtents();
  SmallVector<StringRef> bound;
  for (Type type : source.getArgumentTypes())
    sym::collectSymbols(type, bound);
  checkFacts(bound, getArgumentStatus());
  return success();
}

LogicalResult HostEmitter::makeArgument(unsigned index, Value data, Value dims) {
  BlockArgument argument = source.getArgument(index);
  if (auto type = dyn_cast<RankedTensorType>(argument.getType())) {
    HostTensor &tensor = tensors[argument];
    tensor.data = data;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      tensor.dims.push_back(loadField(i64, dims, dim));
    return success();
  }
  auto shape = dyn_cast<graph::ShapeType>(argument.getType());
  if (!shape)
    return source.emitError("argument ") << index << " has type " << argument.getType()
                                         << ", expected a tensor or a shape";
  // A shape arrives as a list of int64.
  int64_t rank = shape.getDims().size();
  guardEqual(constant(rank), loadField(i64, dims, 0), RELAX_RT_SHAPE_MISMATCH,
             getInputName(index) + ": dimension 0: expected {0}, actual {1}");
  SmallVector<Value> &entries = shapes[argument];
  for (int64_t entryIndex = 0; entryIndex < rank; ++entryIndex) {
    Value value = loadField(i64, data, entryIndex);
    Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, value, constant(0));
    guard(holds, RELAX_RT_SHAPE_MISMATCH,
          getInputName(index) + ": value " + Twine(entryIndex) + ": expected a size >= 0, actual {0}", {value});
    entries.push_back(value);
  }
  return success();
}

/// A symbol that stands alone is the extent; others are solved for.
LogicalResult HostEmitter::bindArguments() {
  SmallVector<std::pair<SymExpr, SymExpr>> equations;
  SymbolValues extents; // values of the made-up symbols that stand for extents
  SymbolValues::ScopeTy extentScope(extents);
  constexpr StringLiteral kPrefix = "extent of ";
  for (auto [index, argument] : llvm::enumerate(source.getArguments())) {
    if (!isa<RankedTensorType, graph::ShapeType>(argument.getType()))
      continue;
    ArrayRef<Value> actual =
        tensors.count(argument) ? ArrayRef<Value>(tensors[argument].dims) : ArrayRef<Value>(shapes[argument]);
    for (auto [dim, pair] : llvm::enumerate(llvm::zip(sym::getSymbolicDims(argument.getType()), actual))) {
      auto &[expr, value] = pair;
      if (!expr || expr.getConstant())
        continue;
      if (std::optional<StringRef> symbol = expr.getSymbol(); symbol && !isBound(*symbol)) {
        bind(*symbol, value);
        origins[*symbol] = " (" + getInputName(index) + (shapes.count(argument) ? " value " : " dimension ") +
                           std::to_string(dim) + ")";
      }
      SymExpr extent = SymExpr::symbol(context, (kPrefix + Twine(index) + "." + Twine(dim)).str());
      equations.push_back({expr, extent});
      extents.insert(extent, value);
    }
  }
  sym::Solution solution = prover.solve(equations, [&](StringRef symbol) { return !symbol.starts_with(kPrefix); });
  if (solution.kind == sym::Solution::Kind::Ambiguous)
    return source.emitError("its arguments do not determine every symbol: ") << solution.reason;
  if (solution.kind == sym::Solution::Kind::Contradiction)
    return source.emitError("no arguments have these extents: ") << solution.reason;

  SmallVector<StringRef> names;
  for (const auto &entry : solution.values)
    if (!isBound(entry.getKey()))
      names.push_back(entry.getKey());
  llvm::sort(names); // the map has no order
  for (StringRef name : names) {
    SymExpr expr = solution.values.lookup(name);
    Value value = evaluate(expr, extents);
    if (!value)
      return source.emitError("its arguments do not determine symbol '") << name << "'";
    Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, value, constant(0));
    guard(holds, getArgumentStatus(), "the extents of the inputs give " + name + " = {0}, expected a size >= 0",
          {value});
    bind(name, value);
  }
  return success();
}

void HostEmitter::checkArgumentExtents() {
  for (auto [index, argument] : llvm::enumerate(source.getArguments())) {
    if (!isa<RankedTensorType, graph::ShapeType>(argument.getType()))
      continue;
    bool isShape = shapes.count(argument);
    MutableArrayRef<Value> actual = isShape ? MutableArrayRef<Value>(shapes[argument]) : tensors[argument].dims;
    for (auto [dim, pair] : llvm::enumerate(llvm::zip(sym::getSymbolicDims(argument.getType()), actual))) {
      auto [expr, value] = pair;
      if (!expr)
        continue;
      Value expected = evaluate(expr);
      if (!expected || expected == value)
        continue; // this extent gave the symbol its value
      std::string where = getInputName(index) + (isShape ? ": value " : ": dimension ") + std::to_string(dim);
      if (expr.getConstant())
        guard(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, expected, value), getArgumentStatus(),
              where + ": expected " + expr.str() + ", actual {0}", {value});
      else
        guardEqual(expected, value, getArgumentStatus(), where + ": expected " + expr.str() + " = {0}, actual {1}");
      value = expected; // one value for each size: what depends on it depends on the symbol
    }
  }
}
