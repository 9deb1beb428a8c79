//===- GraphCallUnification.cpp - Callee symbols at a call ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "GraphFamilies.h"
#include "RelaxDialect/Dialect/Sym/IR/ProgramSignature.h"
#include "llvm/Support/RWMutex.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

SymExpr graph::applyMapping(SymExpr expr, const sym::SymbolMap &mapping) {
  if (!expr)
    return {};
  for (StringRef symbol : expr.getSymbols())
    if (!mapping.contains(symbol))
      return {};
  return expr.substitute([&](StringRef symbol) { return mapping.lookup(symbol); });
}

Type graph::applyMapping(Type type, const sym::SymbolMap &mapping) {
  if (!sym::mentionsSymbol(type))
    return type;
  SmallVector<SymExpr> dims = sym::getSymbolicDims(type);
  for (SymExpr &dim : dims)
    dim = applyMapping(dim, mapping);
  return withSymbolicDims(type, dims);
}

/// Names the extent in a diagnostic.
static void describe(Diagnostic &diag, const CallExtent &extent) {
  switch (extent.kind) {
  case CallExtent::Kind::Argument:
    diag << "argument " << extent.index << " dimension " << extent.dim;
    return;
  case CallExtent::Kind::Destination:
    diag << "destination " << extent.index << " dimension " << extent.dim;
    return;
  case CallExtent::Kind::Scalar:
    diag << "scalar " << extent.index;
    return;
  }
}

/// Callee's symbols get a prefix that no symbol of the caller has, so that the two name spaces stay apart.
static std::string getCalleePrefix(ArrayRef<CallExtent> extents, const sym::SymbolMap &given) {
  std::string prefix = "@";
  auto avoid = [&](SymExpr expr) {
    if (expr)
      for (StringRef symbol : expr.getSymbols())
        while (symbol.starts_with(prefix))
          prefix += '@';
  };
  for (const CallExtent &extent : extents)
    avoid(extent.actual);
  for (const auto &entry : given)
    avoid(entry.second);
  return prefix;
}

/// How often each of the callee's symbols is mentioned.
static llvm::StringMap<unsigned> countSymbols(ArrayRef<CallExtent> extents) {
  llvm::StringMap<unsigned> counts;
  for (const CallExtent &extent : extents)
    if (extent.expected)
      for (StringRef symbol : extent.expected.getSymbols())
        ++counts[symbol];
  return counts;
}

/// Solves expected = actual for the callee's symbols; entries of `given` are taken as they are.
static sym::SymbolMap solveExtents(ArrayRef<CallExtent> extents, const sym::SymbolMap &given, sym::Prover &prover,
                                   MLIRContext *context) {
  std::string prefix = getCalleePrefix(extents, given);
  auto rename = [&](StringRef symbol) {
    if (SymExpr value = given.lookup(symbol))
      return value;
    return SymExpr::symbol(context, prefix + symbol.str());
  };
  SmallVector<std::pair<SymExpr, SymExpr>> equations;
  for (const CallExtent &extent : extents)
    if (extent.expected && extent.actual)
      if (SymExpr pattern = extent.expected.substitute(rename))
        equations.emplace_back(pattern, extent.actual);
  // A symbol that stays ambiguous is known at run time: the callee's own signature guarantees that it can be found.
  sym::Solution solution = prover.solve(equations, [&](StringRef name) { return name.starts_with(prefix); });
  sym::SymbolMap mapping = given;
  for (const auto &entry : solution.values)
    if (StringRef name = entry.first(); name.consume_front(prefix) && entry.second)
      mapping.try_emplace(name, entry.second);
  return mapping;
}

//===- What was found -----------------------------------------------------===//

namespace {
/// Outcomes of unification, by the expressions that decide them, which are unique in the context. Verifiers ask about
/// every call behind every pass, and the layers of a model ask the same.
class UnificationCache final : public DialectInterface::Base<UnificationCache> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnificationCache)

  explicit UnificationCache(Dialect *dialect) : Base(dialect) {}

  using Key = SmallVector<uintptr_t, 64>;
  std::optional<CallUnification> lookup(const Key &key) const {
    llvm::sys::SmartScopedReader<true> lock(mutex);
    auto found = outcomes.find(getText(key));
    return found == outcomes.end() ? std::nullopt : std::optional(found->second);
  }
  void insert(const Key &key, const CallUnification &outcome) const {
    llvm::sys::SmartScopedWriter<true> lock(mutex);
    if (outcomes.size() >= kMaxEntries) // a context may live long
      outcomes.clear();
    outcomes.try_emplace(getText(key), outcome);
  }

private:
  static constexpr unsigned kMaxEntries = 4096;

  static StringRef getText(const Key &key) {
    return {reinterpret_cast<const char *>(key.data()), key.size() * sizeof(uintptr_t)};
  }

  mutable llvm::sys::SmartRWMutex<true> mutex;
  mutable llvm::StringMap<CallUnification> outcomes;
};
} // namespace

void graph::addUnificationCache(Dialect &dialect) { dialect.addInterface<UnificationCache>(); }

/// All that decides the outcome: the callee's facts, the caller's, and both sides of each extent.
static UnificationCache::Key getKey(sym::ScopeAttr scope, ArrayRef<CallExtent> extents, sym::ScopeAttr facts) {
  UnificationCache::Key key;
  key.push_back(reinterpret_cast<uintptr_t>(scope.getAsOpaquePointer()));
  key.push_back(reinterpret_cast<uintptr_t>(facts.getAsOpaquePointer()));
  for (const CallExtent &extent : extents) {
    key.push_back(static_cast<uintptr_t>(extent.kind) << 62 | static_cast<uintptr_t>(extent.index) << 31 | extent.dim);
    for (SymExpr expr : {extent.expected, extent.actual})
      key.push_back(reinterpret_cast<uintptr_t>(expr.getImpl()));
  }
  return key;
}

static FailureOr<CallUnification> unify(Operation *call, Operation *callee, sym::ScopeAttr scope,
                                        ArrayRef<CallExtent> extents, const sym::SymbolMap &given,
                                        sym::Prover &prover) {
  CallUnification result;
  result.mapping = solveExtents(extents, given, prover, call->getContext());
  llvm::StringMap<unsigned> counts = countSymbols(extents);

  for (const CallExtent &extent : extents) {
    if (!extent.expected)
      continue;
    CallExtent check = extent;
    check.expected = applyMapping(extent.expected, result.mapping);
    sym::Verdict verdict =
        check.expected && check.actual ? prover.isEqual(check.expected, check.actual) : sym::Verdict::Depends;
    if (verdict == sym::Verdict::True)
      continue;
    if (verdict == sym::Verdict::Depends) {
      // A symbol that appears nowhere else takes the run-time extent, whatever it is.
      std::optional<StringRef> symbol = extent.expected.getSymbol();
      if (check.expected || !symbol || counts.lookup(*symbol) != 1)
        result.checks.push_back(check);
      continue;
    }
    InFlightDiagnostic diag = call->emitOpError();
    describe(*diag.getUnderlyingDiagnostic(), check);
    diag << " must be " << check.expected.str();
    if (extent.expected != check.expected)
      diag << " (" << extent.expected.str() << " of the callee)";
    diag << ", got " << check.actual.str();
    diag.attachNote(callee->getLoc()) << "the callee is here";
    return diag;
  }

  for (const sym::Fact &fact : scope ? scope.getFacts() : ArrayRef<sym::Fact>()) {
    sym::Fact mapped{applyMapping(fact.lhs, result.mapping), fact.op, applyMapping(fact.rhs, result.mapping)};
    if (!mapped.lhs || !mapped.rhs) {
      // Facts about sizes that the callee finds hold by themselves.
      auto isArgumentSymbol = [&](StringRef symbol) {
        return counts.contains(symbol) && !result.mapping.contains(symbol);
      };
      result.hasUnknownFacts |= llvm::any_of(fact.lhs.getSymbols(), isArgumentSymbol) ||
                                llvm::any_of(fact.rhs.getSymbols(), isArgumentSymbol);
      continue;
    }
    sym::Verdict verdict = prover.holds(mapped);
    if (verdict == sym::Verdict::Depends)
      result.facts.push_back(mapped);
    if (verdict != sym::Verdict::False)
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    mapped.print(os);
    InFlightDiagnostic diag = call->emitOpError("never satisfies the callee: '") << text << "' is false";
    diag.attachNote(callee->getLoc()) << "the callee is here";
    return diag;
  }
  return result;
}

/// A prover is made only for what is not known.
static FailureOr<CallUnification> unify(Operation *call, Operation *callee, sym::ScopeAttr scope,
                                        ArrayRef<CallExtent> extents, const sym::SymbolMap &given,
                                        sym::ScopeAttr facts) {
  const auto *cache = call->getDialect() ? call->getDialect()->getRegisteredInterface<UnificationCache>() : nullptr;
  bool remembers = cache && given.empty();
  UnificationCache::Key key;
  if (remembers) {
    key = getKey(scope, extents, facts);
    if (std::optional<CallUnification> known = cache->lookup(key))
      return *known;
  }
  sym::Prover prover(call->getContext(), facts);
  FailureOr<CallUnification> outcome = unify(call, callee, scope, extents, given, prover);
  if (remembers && succeeded(outcome)) // the others are reported, each at its call
    cache->insert(key, *outcome);
  return outcome;
}

/// Appends the extents of one argument.
static void addExtents(SmallVectorImpl<CallExtent> &extents, CallExtent::Kind kind, unsigned index,
                       ArrayRef<SymExpr> expected, ArrayRef<SymExpr> actual) {
  for (auto [dim, pair] : llvm::enumerate(llvm::zip_equal(expected, actual)))
    extents.push_back({kind, index, static_cast<unsigned>(dim), std::get<0>(pair), std::get<1>(pair)});
}

static SmallVector<SymExpr> getProgramDims(sym::TensorProgramInterface callee, unsigned index) {
  return sym::getPlainDims(cast<ShapedType>(callee.getProgramArgumentTypes()[index]),
                           callee.getProgramArgumentShape(index), callee->getContext());
}

RankedTensorType graph::getProgramTensorType(sym::TensorProgramInterface callee, unsigned index) {
  Type element = cast<ShapedType>(callee.getProgramArgumentTypes()[index]).getElementType();
  return sym::getTensorType(getProgramDims(callee, index), element);
}

static SmallVector<CallExtent> getExtents(ProgramCallOpInterface call, sym::TensorProgramInterface callee) {
  SmallVector<CallExtent> extents;
  for (auto [index, value] : llvm::enumerate(call.getProgramInputs()))
    addExtents(extents, CallExtent::Kind::Argument, index, getProgramDims(callee, index),
               sym::getSymbolicDims(value.getType()));
  if (Value shape = call.getShapeOperand())
    for (auto [index, value] : llvm::enumerate(sym::getSymbolicDims(shape.getType())))
      extents.push_back(
          {CallExtent::Kind::Scalar, static_cast<unsigned>(index), 0, callee.getProgramScalar(index), value});
  for (auto [index, value] : llvm::enumerate(call.getDestinations()))
    addExtents(extents, CallExtent::Kind::Destination, index, getProgramDims(callee, callee.getNumInputs() + index),
               sym::getSymbolicDims(value.getType()));
  return extents;
}

FailureOr<CallUnification> graph::unifyProgramCall(ProgramCallOpInterface call, sym::TensorProgramInterface callee,
                                                   sym::Prover &prover) {
  return unify(call, callee, callee.getProgramScope(), getExtents(call, callee), {}, prover);
}

FailureOr<CallUnification> graph::unifyProgramCall(ProgramCallOpInterface call, sym::TensorProgramInterface callee,
                                                   sym::ScopeAttr facts) {
  return unify(call, callee, callee.getProgramScope(), getExtents(call, callee), {}, facts);
}

FailureOr<CallUnification> graph::unifyCall(CallOp call, FunctionOpInterface callee, sym::Prover &prover) {
  SmallVector<CallExtent> extents;
  for (auto [index, value] : llvm::enumerate(call.getInputs()))
    addExtents(extents, CallExtent::Kind::Argument, index, sym::getSymbolicDims(callee.getArgumentTypes()[index]),
               sym::getSymbolicDims(value.getType()));
  sym::SymbolMap given;
  if (DictionaryAttr mapping = call.getMappingAttr())
    for (NamedAttribute entry : mapping)
      given[entry.getName()] = cast<sym::ExprAttr>(entry.getValue()).getValue();
  return unify(call, callee, callee->getAttrOfType<sym::ScopeAttr>(sym::kScopeAttrName), extents, given, prover);
}

SmallVector<Type> graph::inferProgramCallTypes(sym::TensorProgramInterface callee, const sym::SymbolMap &mapping,
                                               unsigned numResults) {
  SmallVector<Type> types;
  for (unsigned out = 0; out < callee.getNumOuts(); ++out)
    types.push_back(applyMapping(getProgramTensorType(callee, callee.getNumInputs() + out), mapping));
  // Extents that the program found follow.
  types.resize(numResults, IndexType::get(callee->getContext()));
  return types;
}

SmallVector<Type> graph::inferCallTypes(FunctionOpInterface callee, const sym::SymbolMap &mapping) {
  SmallVector<Type> types;
  for (Type type : callee.getResultTypes())
    types.push_back(applyMapping(type, mapping));
  return types;
}
