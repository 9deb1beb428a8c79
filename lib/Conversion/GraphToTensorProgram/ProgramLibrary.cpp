//===- ProgramLibrary.cpp - Making and calling tensor programs ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Conversion/GraphToTensorProgram/ProgramLibrary.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphProducts.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

bool relax::hasKnownExtents(ValueRange values) {
  return llvm::none_of(
      values, [](Value value) { return llvm::is_contained(sym::getSymbolicDims(value.getType()), SymExpr()); });
}

ProgramLibrary::ProgramLibrary(ModuleOp module) : module(module), symbolTable(module) {}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// Symbols that a request mentions but its inputs do not determine.
static SmallVector<StringRef> findUndetermined(MLIRContext *context, const ProgramRequest &request) {
  llvm::SetVector<StringRef> used;
  llvm::StringMap<char> determined;
  SmallVector<std::pair<SymExpr, SymExpr>> equations;
  for (Value input : request.inputs)
    for (SymExpr dim : sym::getSymbolicDims(input.getType())) {
      if (!dim || dim.getConstant())
        continue;
      used.insert_range(dim.getSymbols());
      if (std::optional<StringRef> symbol = dim.getSymbol())
        determined[*symbol] = 1;
      equations.emplace_back(dim, SymExpr::symbol(context, "$" + std::to_string(equations.size())));
    }
  for (ArrayRef<RankedTensorType> types : {ArrayRef(request.results), ArrayRef(request.workspaces)})
    for (Type type : types)
      for (SymExpr dim : sym::getSymbolicDims(type))
        used.insert_range(dim.getSymbols());
  for (SymExpr expr : request.exprs)
    used.insert_range(expr.getSymbols());

  auto isUnknown = [&](StringRef name) { return !determined.contains(name); };
  if (llvm::any_of(used, isUnknown)) {
    sym::Solution solution = sym::Prover(context).solve(equations, [&](StringRef name) { return used.contains(name); });
    for (const auto &entry : solution.values)
      determined[entry.first()] = 1;
  }
  SmallVector<StringRef> scalars;
  llvm::copy_if(used, std::back_inserter(scalars), isUnknown);
  return scalars;
}

/// The types of a program's arguments, in the symbols of the program.
struct relax::ProgramTypes {
  SmallVector<Type> inputs, results, workspaces;
  SmallVector<SymExpr> scalars;
};

/// Extents of inputs from which no symbol can be found get a symbol of their own, if nothing else needs what they are
/// made of: `exp` of a tensor with n * m elements is a program over any extent.
static bool abstractExtents(MLIRContext *context, const ProgramRequest &request, ArrayRef<StringRef> undetermined,
                            ProgramTypes &types) {
  auto isOpaque = [&](SymExpr expr) {
    return llvm::any_of(undetermined, [&](StringRef symbol) { return expr.usesSymbol(symbol); });
  };
  llvm::StringMap<char> used;
  llvm::MapVector<SymExpr, SymExpr> names;
  auto forEachDim = [&](function_ref<void(SymExpr)> visit) {
    for (Value input : request.inputs)
      for (SymExpr dim : sym::getSymbolicDims(input.getType()))
        visit(dim);
  };
  forEachDim([&](SymExpr dim) {
    for (StringRef symbol : dim.getSymbols())
      used[symbol] = 1;
  });
  unsigned next = 0;
  forEachDim([&](SymExpr dim) {
    if (!isOpaque(dim) || names.contains(dim))
      return;
    std::string name;
    do
      name = "d" + std::to_string(next++);
    while (used.contains(name));
    names[dim] = SymExpr::symbol(context, name);
  });

  bool isPossible = !llvm::any_of(request.exprs, isOpaque);
  auto rewrite = [&](Type type) -> Type {
    SmallVector<SymExpr> dims = sym::getSymbolicDims(type);
    for (SymExpr &dim : dims)
      if (isOpaque(dim)) {
        SymExpr name = names.lookup(dim);
        isPossible &= static_cast<bool>(name);
        dim = name;
      }
    return sym::getTensorType(dims, cast<RankedTensorType>(type).getElementType());
  };
  ProgramTypes abstracted;
  for (Value input : request.inputs)
    abstracted.inputs.push_back(rewrite(input.getType()));
  for (Type type : request.results)
    abstracted.results.push_back(rewrite(type));
  for (Type type : request.workspaces)
    abstracted.workspaces.push_back(rewrite(type));
  if (isPossible)
    types = abstracted;
  return isPossible;
}

/// The value shows the symbol as an extent by itself.
static bool showsSymbol(Value value, StringRef symbol) {
  return llvm::any_of(sym::getSymbolicDims(value.getType()),
                      [&](SymExpr dim) { return dim && dim.getSymbol() == symbol; });
}

/// A value that dominates `op` and knows the symbol: one that shows it, else one that mentions it (the symbol is bound,
/// so its value is known wherever it may be mentioned).
static Value findSource(Operation *op, StringRef symbol) {
  Value mentioning;
  auto offer = [&](Value value) {
    SmallVector<StringRef> symbols;
    sym::collectSymbols(value.getType(), symbols);
    if (!mentioning && llvm::is_contained(symbols, symbol))
      mentioning = value;
    return showsSymbol(value, symbol);
  };
  for (Value operand : op->getOperands())
    if (offer(operand))
      return operand;
  auto function = op->getParentOfType<FunctionOpInterface>();
  for (Value argument : function.getArguments())
    if (offer(argument))
      return argument;
  Value bound;
  DominanceInfo dominance(function);
  function.walk([&](sym::SymbolBinderOpInterface binder) {
    if (!llvm::is_contained(binder.getBoundSymbols(), symbol) || !dominance.properlyDominates(binder, op))
      return WalkResult::advance();
    for (Value result : binder->getResults())
      if (offer(result)) {
        bound = result;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return bound ? bound : mentioning;
}

/// A shape value whose entries are the scalars; null without scalars.
static FailureOr<Value> createScalars(PatternRewriter &rewriter, Operation *op, ArrayRef<SymExpr> scalars) {
  if (scalars.empty())
    return Value();
  Type type = ShapeType::get(rewriter.getContext(), scalars);
  for (Value operand : op->getOperands())
    if (operand.getType() == type)
      return operand;
  llvm::SmallSetVector<Value, 4> sources;
  for (SymExpr scalar : scalars) {
    Value source = findSource(op, *scalar.getSymbol());
    if (!source)
      return rewriter.notifyMatchFailure(op, "no value shows a symbol that the program needs");
    sources.insert(source);
  }
  SmallVector<Value> shapes = llvm::map_to_vector(sources, [&](Value source) -> Value {
    if (isa<ShapeType>(source.getType()))
      return source;
    return ShapeOfOp::create(rewriter, op->getLoc(), source);
  });
  if (shapes.size() == 1 && shapes.front().getType() == type)
    return shapes.front();
  return MakeShapeOp::create(rewriter, op->getLoc(), type, shapes).getResult();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Facts of the caller that only mention symbols of the program.
static sym::ScopeAttr copyFacts(tp::ProgramOp program, sym::ScopeAttr scope) {
  SmallVector<StringRef> symbols;
  llvm::StringMap<char> known;
  unsigned numBuffers = program.getInputs().size() + program.getOuts().size() + program.getWorkspaces().size();
  for (unsigned index = 0; index != numBuffers; ++index)
    for (SymExpr dim : program.getArgumentDims(index))
      if (dim)
        for (StringRef symbol : dim.getSymbols())
          known[symbol] = 1;
  for (unsigned index = 0; index != program.getScalars().size(); ++index)
    for (StringRef symbol : program.getProgramScalar(index).getSymbols())
      known[symbol] = 1;
  SmallVector<sym::Fact> facts;
  for (const sym::Fact &fact : scope.getFacts()) {
    auto isKnown = [&](StringRef symbol) { return known.contains(symbol); };
    if (llvm::all_of(fact.lhs.getSymbols(), isKnown) && llvm::all_of(fact.rhs.getSymbols(), isKnown))
      facts.push_back(fact);
  }
  return sym::ScopeAttr::get(program.getContext(), facts);
}

tp::ProgramOp ProgramLibrary::findOrInsert(tp::ProgramOp program, StringRef base) {
  SmallVector<tp::ProgramOp> &candidates = programs[{program.getFunctionTypeAttr(), program.getArgAttrsAttr()}];
  for (tp::ProgramOp candidate : candidates) {
    program.setSymName(candidate.getSymName());
    if (OperationEquivalence::isEquivalentTo(candidate, program, OperationEquivalence::IgnoreLocations)) {
      program.erase();
      return candidate;
    }
  }
  std::string name = base.str();
  for (unsigned counter = 1; symbolTable.lookup(name); ++counter)
    name = (base + "_" + Twine(counter)).str();
  program.setSymName(name);
  symbolTable.insert(program);
  candidates.push_back(program);
  return program;
}

tp::ProgramOp ProgramLibrary::makeProgram(Operation *op, const ProgramRequest &request, const ProgramTypes &types,
                                          sym::Prover &prover) {
  OpBuilder builder(op->getContext());
  // The place where integers lose their sign: what it decides is in the bodies.
  auto toArgument = [&](Type type) -> Type {
    type = sym::getProgramType(type);
    if (!request.bufferForm)
      return type;
    auto tensor = cast<RankedTensorType>(type);
    return MemRefType::get(tensor.getShape(), tensor.getElementType());
  };
  Operation *anchor = op;
  while (anchor->getParentOp() != module)
    anchor = anchor->getParentOp();
  builder.setInsertionPoint(anchor);
  auto program = tp::ProgramOp::create(
      builder, op->getLoc(), request.name, llvm::map_to_vector(types.inputs, toArgument),
      llvm::map_to_vector(types.results, toArgument), llvm::map_to_vector(types.workspaces, toArgument), types.scalars);
  // Memrefs carry no encoding from which the builder could read the extents.
  if (request.bufferForm)
    for (auto [index, type] : llvm::enumerate(llvm::concat<const Type>(types.inputs, types.results, types.workspaces)))
      program.setArgumentDims(index, sym::getSymbolicDims(type));
  auto mentions = [](Type type) { return sym::mentionsSymbol(type); };
  bool isSymbolic = !types.scalars.empty() ||
                    llvm::any_of(llvm::concat<const Type>(types.inputs, types.results, types.workspaces), mentions);
  if (sym::ScopeAttr scope = sym::getScope(op); scope && isSymbolic)
    program->setAttr(sym::kScopeAttrName, copyFacts(program, scope));

  builder.setInsertionPointToEnd(&program.getBody().front());
  ProgramBody body(builder, op->getLoc(), program, prover);
  SmallVector<Value> results = request.body(body);
  tp::YieldOp::create(builder, op->getLoc(), results);
  return findOrInsert(program, request.name);
}

FailureOr<CallTPOp> ProgramLibrary::createCall(PatternRewriter &rewriter, Operation *op,
                                               const ProgramRequest &request) {
  MLIRContext *context = rewriter.getContext();
  SmallVector<StringRef> undetermined = findUndetermined(context, request);
  ProgramTypes types;
  if (undetermined.empty() || !abstractExtents(context, request, undetermined, types)) {
    llvm::append_range(types.inputs, ValueRange(request.inputs).getTypes());
    llvm::append_range(types.results, request.results);
    llvm::append_range(types.workspaces, request.workspaces);
    for (StringRef symbol : undetermined)
      types.scalars.push_back(SymExpr::symbol(context, symbol));
  }
  FailureOr<Value> shape = createScalars(rewriter, op, types.scalars);
  if (failed(shape))
    return failure();
  sym::Prover prover(context, sym::getScope(op));
  tp::ProgramOp program = makeProgram(op, request, types, prover);
  SmallVector<Type> results(request.results.begin(), request.results.end());
  return CallTPOp::create(rewriter, op->getLoc(), results, FlatSymbolRefAttr::get(program.getSymNameAttr()),
                          request.inputs, *shape, ValueRange());
}

LogicalResult ProgramLibrary::replaceWithCall(PatternRewriter &rewriter, Operation *op, const ProgramRequest &request) {
  FailureOr<CallTPOp> call = createCall(rewriter, op, request);
  if (failed(call))
    return failure();
  if (op->hasAttr(kPinnedAttrName))
    (*call)->setAttr(kPinnedAttrName, rewriter.getUnitAttr());
  sym::Prover prover(rewriter.getContext(), sym::getScope(op));
  rewriter.replaceOp(op, castToType(rewriter, op->getLoc(), call->getResult(0), op->getResult(0).getType(), prover));
  return success();
}
