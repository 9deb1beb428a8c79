//===- SymScope.cpp - Each symbol has one binder ---------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Upstream inlining, unrolling and loop canonicalization clone whatever they
// move. A cloned binder would give one name to two sizes, so the attribute
// `relax_sym.scope` re-checks the function whenever it is verified (Spec.md
// section 1.4). That happens before the body is verified: nothing here relies on
// ops being valid.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;

namespace {
/// Only these functions have a scope. Names, because their dialects are above this library.
bool hasScope(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return name == "func.func" || name == "relax_tp.func";
}

bool isOurs(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "relax" || dialect == "relax_tp" || dialect == "relax_ext";
}

class ScopeVerifier {
public:
  ScopeVerifier(Operation *function, ScopeAttr scope) : function(function), scope(scope), dominance(function) {}

  LogicalResult verify() {
    if (function->getNumRegions() != 1 || function->getRegion(0).empty())
      return success(); // a declaration binds nothing
    auto typeAttr = function->getAttrOfType<TypeAttr>("function_type");
    auto type = typeAttr ? dyn_cast<FunctionType>(typeAttr.getValue()) : FunctionType();
    if (!type)
      return success(); // the function's own verifier reports this
    if (failed(bindArguments(type)) || failed(bindOps()))
      return failure();
    WalkResult result = walkBody([&](Operation *op) { return verifyOp(op); });
    return failure(result.wasInterrupted());
  }

private:
  /// Visits every op of the body but those of nested functions.
  WalkResult walkBody(llvm::function_ref<LogicalResult(Operation *)> visit) {
    return function->walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
      if (op == function)
        return WalkResult::advance();
      if (isa<FunctionOpInterface>(op))
        return WalkResult::skip();
      return WalkResult(visit(op));
    });
  }

  /// A copy: the cache moves when it grows.
  SmallVector<StringRef> symbolsOf(Type type) {
    auto [it, isNew] = symbols.try_emplace(type);
    if (isNew && type)
      collectSymbols(type, it->second);
    return it->second;
  }

  //===--------------------------------------------------------------------===//
  // Binders
  //===--------------------------------------------------------------------===//

  /// Expressions that the arguments show.
  SmallVector<SymExpr> shownByArguments(FunctionType type) {
    SmallVector<SymExpr> shown;
    for (Type input : type.getInputs())
      shown.append(getSymbolicDims(input));
    // Tensor programs have plain types; shapes are argument attributes.
    if (auto attrs = function->getAttrOfType<ArrayAttr>("arg_attrs")) {
      for (Attribute attr : attrs) {
        auto dictionary = dyn_cast<DictionaryAttr>(attr);
        if (!dictionary)
          continue;
        if (auto shape = dictionary.getAs<ShapeAttr>(kShapeAttrName))
          llvm::append_range(shown, shape.getDims());
        if (auto expr = dictionary.getAs<ExprAttr>(kExprAttrName))
          shown.push_back(expr.getValue());
      }
    }
    llvm::erase(shown, SymExpr());
    return shown;
  }

  LogicalResult bindArguments(FunctionType type) {
    SmallVector<SymExpr> shown = shownByArguments(type);
    llvm::StringSet<> mentioned;
    for (SymExpr expr : shown) {
      if (std::optional<StringRef> name = expr.getSymbol())
        binders[*name] = nullptr;
      for (StringRef name : expr.getSymbols())
        mentioned.insert(name);
    }
    // The others are solved for; a symbol that stands alone is known and keeps its name, so that facts apply to it.
    std::string prefix = "$";
    while (llvm::any_of(mentioned, [&](auto &entry) { return entry.first().starts_with(prefix); }))
      prefix += '$';
    SmallVector<std::pair<SymExpr, SymExpr>> equations;
    for (auto [index, expr] : llvm::enumerate(shown))
      if (llvm::any_of(expr.getSymbols(), [&](StringRef name) { return !binders.contains(name); }))
        equations.push_back({expr, SymExpr::symbol(expr.getContext(), prefix + std::to_string(index))});
    if (equations.empty())
      return success();
    Prover prover(function->getContext(), scope);
    Solution solution =
        prover.solve(equations, [&](StringRef name) { return mentioned.contains(name) && !binders.contains(name); });
    for (auto &[expr, value] : equations) {
      for (StringRef name : expr.getSymbols()) {
        if (binders.contains(name) || solution.values.contains(name))
          continue;
        return function->emitOpError("symbol '") << name << "' is ambiguous: arguments show it only in " << expr;
      }
    }
    for (auto &entry : solution.values)
      binders[entry.first()] = nullptr;
    return success();
  }

  LogicalResult bindOps() {
    WalkResult result = walkBody([&](Operation *op) -> LogicalResult {
      auto binder = dyn_cast<SymbolBinderOpInterface>(op);
      if (!binder)
        return success();
      // The interface reads attributes: the op has to be valid before it can be asked.
      if (operandTypes(op).size() != op->getNumOperands())
        return op->emitOpError("has a null operand");
      if (failed(op->getName().verifyInvariants(op)))
        return failure();
      for (StringRef name : binder.getBoundSymbols()) {
        auto [it, isNew] = binders.try_emplace(name, op);
        if (isNew)
          continue;
        InFlightDiagnostic diag = op->emitOpError("is a second binder of symbol '") << name << "'";
        noteBinder(diag, it->second);
        return diag;
      }
      return success();
    });
    return failure(result.wasInterrupted());
  }

  void noteBinder(InFlightDiagnostic &diag, Operation *binder) {
    if (binder)
      diag.attachNote(binder->getLoc()) << "bound here";
    else
      diag.attachNote(function->getLoc()) << "bound by the arguments";
  }

  //===--------------------------------------------------------------------===//
  // Uses
  //===--------------------------------------------------------------------===//

  LogicalResult verifyOp(Operation *op) {
    if (!op->getBlock() || !dominance.isReachableFromEntry(op->getBlock()))
      return success();
    for (Type type : op->getResultTypes())
      for (StringRef name : symbolsOf(type))
        if (failed(verifyUse(op, name, "result", [&](Operation *binder) {
              return binder == op || dominance.properlyDominates(binder, op, /*enclosingOpOk=*/false);
            })))
          return failure();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          for (StringRef name : symbolsOf(type))
            if (failed(
                    verifyUse(op, name, "block argument", [&](Operation *binder) { return reaches(binder, block); })))
              return failure();
    return isOurs(op) ? success() : verifyForeignOp(op);
  }

  LogicalResult verifyUse(Operation *op, StringRef name, StringRef what,
                          llvm::function_ref<bool(Operation *)> isVisible) {
    auto binder = binders.find(name);
    if (binder == binders.end())
      return op->emitOpError("has a ") << what << " type with symbol '" << name << "', which nothing binds";
    if (!binder->second || isVisible(binder->second))
      return success();
    InFlightDiagnostic diag = op->emitOpError("has a ")
                              << what << " type with symbol '" << name << "', whose binder does not dominate it";
    noteBinder(diag, binder->second);
    return diag;
  }

  /// The binder has run when control enters `block`.
  bool reaches(Operation *binder, Block &block) {
    if (!dominance.isReachableFromEntry(&block))
      return true;
    Region *region = block.getParent();
    if (binder->getParentRegion() == region)
      return binder->getBlock() != &block && dominance.properlyDominates(binder->getBlock(), &block);
    Operation *parent = region->getParentOp();
    return binder == parent || dominance.properlyDominates(binder, parent, /*enclosingOpOk=*/false);
  }

  //===--------------------------------------------------------------------===//
  // Ops of other dialects
  //===--------------------------------------------------------------------===//

  LogicalResult verifyForeignOp(Operation *op) {
    auto mentions = [&](Type type) { return !symbolsOf(type).empty(); };
    if (isa<CallOpInterface>(op)) {
      if (llvm::any_of(op->getResultTypes(), mentions) || llvm::any_of(operandTypes(op), mentions))
        return op->emitOpError("cannot pass symbols to another function; expected relax.call");
      return success();
    }
    if (op->getName().getStringRef() == "tensor.cast" && failed(verifyTensorCast(op)))
      return failure();

    llvm::StringSet<> known;
    auto addTypes = [&](Operation *source) {
      for (Type type : operandTypes(source))
        for (StringRef name : symbolsOf(type))
          known.insert(name);
    };
    for (Type type : op->getResultTypes()) {
      for (StringRef name : symbolsOf(type)) {
        if (known.empty()) {
          addTypes(op);
          for (Region &region : op->getRegions())
            for (Block &block : region)
              if (block.mightHaveTerminator())
                addTypes(&block.back());
        }
        if (!known.contains(name))
          return op->emitOpError("has a result type with symbol '") << name << "' that its operands do not show";
      }
    }
    return success();
  }

  /// Operands may still be missing in an op that was not verified.
  static SmallVector<Type> operandTypes(Operation *op) {
    SmallVector<Type> types;
    for (Value operand : op->getOperands())
      if (operand)
        types.push_back(operand.getType());
    return types;
  }

  /// A tensor.cast may forget an extent, never claim one: upstream folds chains of casts without the check.
  LogicalResult verifyTensorCast(Operation *op) {
    SmallVector<Type> types = operandTypes(op);
    if (types.size() != 1 || op->getNumResults() != 1)
      return success();
    SmallVector<SymExpr> source = getSymbolicDims(types[0]), result = getSymbolicDims(op->getResult(0).getType());
    for (auto [index, dim] : llvm::enumerate(result)) {
      SymExpr known = index < source.size() ? source[index] : SymExpr();
      if (!dim || known == dim)
        continue;
      // Of plain types a cast to a static extent is upstream's own business, except between graph ops: canonicalization
      // makes one of a loop that grows a tensor of static initial size.
      if (dim.getConstant() && !known && !isGraphFunction())
        continue;
      InFlightDiagnostic diag = op->emitOpError("claims that dimension ") << index << " is " << dim;
      if (index < source.size() && source[index])
        diag << ", but its operand has " << source[index];
      else
        diag << ", but its operand does not show it";
      return diag;
    }
    return success();
  }

  /// A func.func with ops of the graph dialect.
  bool isGraphFunction() {
    return function->getName().getStringRef() == "func.func" &&
           function
               ->walk([](Operation *op) {
                 return op->getName().getDialectNamespace() == "relax" ? WalkResult::interrupt()
                                                                       : WalkResult::advance();
               })
               .wasInterrupted();
  }

  Operation *function;
  ScopeAttr scope;
  DominanceInfo dominance;
  llvm::StringMap<Operation *> binders; // null: the arguments
  DenseMap<Type, SmallVector<StringRef>> symbols;
};
} // namespace

LogicalResult sym::verifyScope(Operation *function, ScopeAttr scope) {
  if (!hasScope(function))
    return success();
  return ScopeVerifier(function, scope).verify();
}
