//===- ForeignImporter.cpp - Functions of other dialects ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "ForeignImporter.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include <functional>

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;

static constexpr StringLiteral kNameAttrName = "relax.name";

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

SymExpr ForeignImporter::resolve(SymExpr expr) {
  // Each step replaces symbols for good, so that there are no more steps than symbols.
  for (unsigned step = 0; step <= equal.size() && expr; ++step)
    expr = expr.substitute([&](StringRef name) { return equal.lookup(name); });
  return expr;
}

void ForeignImporter::declareArguments() {
  SmallVector<Dims> written;
  auto forEachDynamic = [&](function_ref<void(unsigned, unsigned, SymExpr)> visit) {
    for (auto [index, type] : llvm::enumerate(source.getArgumentTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      auto shape = source.getArgAttrOfType<sym::ShapeAttr>(index, sym::kShapeAttrName);
      for (int64_t dim = 0; tensor && dim < tensor.getRank(); ++dim)
        if (tensor.isDynamicDim(dim))
          visit(index, dim,
                shape && static_cast<int64_t>(shape.getDims().size()) == tensor.getRank() ? shape.getDims()[dim]
                                                                                          : SymExpr());
    }
  };
  for (Type type : source.getArgumentTypes())
    written.push_back(isa<RankedTensorType>(type) ? sym::getSymbolicDims(type) : Dims());
  // Names that are given come first.
  forEachDynamic([&](unsigned index, unsigned dim, SymExpr given) {
    written[index][dim] = given;
    if (!given)
      return;
    for (StringRef name : given.getSymbols())
      if (argumentSymbols.try_emplace(name, argumentSymbols.size()).second)
        makeSymbol(name);
  });
  forEachDynamic([&](unsigned index, unsigned dim, SymExpr) {
    if (written[index][dim])
      return;
    std::string name = makeSymbol(("d" + Twine(argumentSymbols.size())).str());
    argumentSymbols.try_emplace(name, argumentSymbols.size());
    written[index][dim] = SymExpr::symbol(getContext(), name);
  });
  for (auto [dims, type] : llvm::zip_equal(written, source.getArgumentTypes())) {
    for (SymExpr &dim : dims)
      dim = resolve(dim);
    if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && !llvm::is_contained(dims, SymExpr()))
      argumentTypes.push_back(sym::getTensorType(dims, tensor.getElementType()));
    else
      argumentTypes.push_back(type);
  }
}

func::FuncOp ForeignImporter::run() {
  setOp(source);
  if (!source.getBody().hasOneBlock()) {
    fail("has several blocks, expected one");
    return {};
  }
  for (Type type : llvm::concat<const Type>(source.getArgumentTypes(), source.getResultTypes()))
    if (!isa<RankedTensorType>(type)) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      fail("has an argument or result of type " + text + ", expected ranked tensors");
      return {};
    }
  declareArguments();
  builder.setInsertionPointAfter(source);
  auto function = func::FuncOp::create(builder, source.getLoc(), source.getName(),
                                       builder.getFunctionType(argumentTypes, source.getResultTypes()));
  function.setVisibility(source.getVisibility());
  function->setAttr(sym::kScopeAttrName, sym::ScopeAttr::get(getContext(), {}));
  for (unsigned index = 0; index != source.getNumArguments(); ++index)
    if (auto name = source.getArgAttrOfType<StringAttr>(index, kNameAttrName))
      function.setArgAttr(index, kNameAttrName, name);
  for (unsigned index = 0; index != source.getNumResults(); ++index)
    if (auto name = source.getResultAttrOfType<StringAttr>(index, kNameAttrName))
      function.setResultAttr(index, kNameAttrName, name);
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  for (Value argument : entry->getArguments())
    addProvider(argument);
  SmallVector<Value> results = writeBlock(source.getBody().front(), entry->getArguments());
  if (failed()) {
    function.erase();
    return {};
  }
  func::ReturnOp::create(builder, source.getLoc(), results);
  function.setType(builder.getFunctionType(argumentTypes, ValueRange(results).getTypes()));
  bool isSymbolic = !getFacts().empty();
  function.walk([&](Operation *op) {
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
      isSymbolic |= sym::mentionsSymbol(type);
  });
  isSymbolic |= llvm::any_of(argumentTypes, [](Type type) { return sym::mentionsSymbol(type); });
  if (isSymbolic)
    function->setAttr(sym::kScopeAttrName, sym::ScopeAttr::get(getContext(), getFacts()));
  else
    function->removeAttr(sym::kScopeAttrName);
  return function;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ForeignImporter::get(Value foreign) {
  if (failed())
    return {};
  Value value = values.lookup(foreign);
  if (!value)
    fail("has an operand that is not known");
  return value;
}

void ForeignImporter::set(Value foreign, Value graph) {
  if (!graph || failed())
    return;
  auto written = dyn_cast<RankedTensorType>(foreign.getType());
  auto type = cast<RankedTensorType>(graph.getType());
  if (!written || written.getRank() != type.getRank())
    return fail("has a result of another rank than it should");
  // i1 and numbers of the same kind only; the sign of an integer is part of the type on both sides.
  if (written.getElementType() != type.getElementType())
    return fail("has a result of another element type than it should");
  Dims wanted(type.getRank());
  for (auto [index, dim] : llvm::enumerate(dims(graph)))
    if (!written.isDynamicDim(index)) {
      SymExpr extent = expr(written.getDimSize(index));
      if (dim && dim != extent)
        requireEqual(dim, extent);
      wanted[index] = extent;
    }
  values[foreign] = nameExtents(withDims(graph, wanted));
}

std::optional<Dims> ForeignImporter::getElements(Value foreign) {
  if (failed())
    return std::nullopt;
  if (auto found = elements.find(foreign); found != elements.end())
    return found->second;
  auto type = dyn_cast<RankedTensorType>(foreign.getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() > kMaxFollowed ||
      !isa<IntegerType>(type.getElementType()))
    return std::nullopt;
  Dims known(type.getNumElements());
  if (Value value = values.lookup(foreign))
    if (auto op = value.getDefiningOp<graph::ConstantOp>())
      if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
        bool isSigned = !type.getElementType().isUnsignedInteger() && !type.getElementType().isInteger(1);
        for (auto [element, number] : llvm::zip_equal(known, dense.getValues<APInt>()))
          if (number.isSignedIntN(64) && (isSigned || number.isIntN(63)))
            element = SymExpr::constant(getContext(), isSigned ? number.getSExtValue() : number.getZExtValue());
      }
  return known;
}

std::optional<SmallVector<int64_t>> ForeignImporter::getIntegers(Value foreign) {
  std::optional<Dims> known = getElements(foreign);
  if (!known)
    return std::nullopt;
  SmallVector<int64_t> integers;
  for (SymExpr element : *known) {
    std::optional<int64_t> value = element ? element.getConstant() : std::nullopt;
    if (!value)
      return std::nullopt;
    integers.push_back(*value);
  }
  return integers;
}

Dims ForeignImporter::requireExtents(Value foreign) {
  auto type = dyn_cast<RankedTensorType>(foreign.getType());
  std::optional<Dims> known = getElements(foreign);
  if (failed())
    return {};
  if (!known || (type && type.getRank() != 1)) {
    fail("has a shape that is no short vector of integers");
    return {};
  }
  if (!llvm::is_contained(*known, SymExpr()))
    return *known;
  SmallVector<Attribute> binds;
  for (SymExpr &element : *known)
    if (!element) {
      std::string name = makeSymbol("u");
      element = SymExpr::symbol(getContext(), name);
      binds.push_back(builder.getStringAttr(name));
    }
  Value tensor = astype(get(foreign), builder.getI64Type());
  if (!tensor)
    return {};
  addProvider(graph::TensorToShapeOp::create(builder, getLoc(), graph::ShapeType::get(getContext(), *known), tensor,
                                             builder.getArrayAttr(binds)));
  elements[foreign] = *known;
  return *known;
}

std::optional<sym::Fact> ForeignImporter::getFact(Value foreign) {
  auto found = conditions.find(foreign);
  return found == conditions.end() ? std::nullopt : std::optional(found->second);
}

//===----------------------------------------------------------------------===//
// What must hold
//===----------------------------------------------------------------------===//

bool ForeignImporter::isArgumentSymbols(SymExpr expr) {
  return llvm::all_of(expr.getSymbols(), [&](StringRef name) { return argumentSymbols.contains(name); });
}

void ForeignImporter::unify(SymExpr symbol, SymExpr value) {
  equal[*symbol.getSymbol()] = value;
  restart = true;
  stop();
}

void ForeignImporter::requireEqual(SymExpr a, SymExpr b) {
  if (failed() || !a || !b || a == b)
    return;
  switch (getProver().isEqual(a, b)) {
  case sym::Verdict::True:
    return;
  case sym::Verdict::False:
    return fail("needs " + a.str() + " to be " + b.str());
  case sym::Verdict::Depends:
    break;
  }
  // Inside of branches and loops nothing follows for the whole function: it is compared there.
  if (depth > 1 || !isArgumentSymbols(a) || !isArgumentSymbols(b))
    return require({a, sym::Fact::Op::Equal, b}, "extents that an operation needs to be equal are not");
  // The first symbol stays.
  if (a.getSymbol() && b.getSymbol() && argumentSymbols.lookup(*a.getSymbol()) < argumentSymbols.lookup(*b.getSymbol()))
    std::swap(a, b);
  if (a.getSymbol() && !b.usesSymbol(*a.getSymbol()))
    return unify(a, b);
  if (b.getSymbol() && !a.usesSymbol(*b.getSymbol()))
    return unify(b, a);
  addFact({a, sym::Fact::Op::Equal, b});
}

void ForeignImporter::requireSameDims(Value a, Value b) {
  if (!a || !b || failed())
    return;
  if (rank(a) != rank(b))
    return fail("has operands of ranks " + Twine(rank(a)) + " and " + Twine(rank(b)));
  for (auto [one, other] : llvm::zip_equal(dims(a), dims(b)))
    requireEqual(one, other);
}

void ForeignImporter::require(const sym::Fact &fact, const Twine &message) {
  if (failed())
    return;
  if (!fact.lhs || !fact.rhs)
    return fail("has an extent that does not fit 64 bits");
  switch (getProver().holds(fact)) {
  case sym::Verdict::True:
    return;
  case sym::Verdict::False:
    return fail("never holds: " + message);
  case sym::Verdict::Depends:
    break;
  }
  if (depth <= 1 && isArgumentSymbols(fact.lhs) && isArgumentSymbols(fact.rhs))
    return addFact(fact);
  Dims shown;
  for (SymExpr side : {fact.lhs, fact.rhs})
    for (StringRef name : side.getSymbols())
      if (SymExpr symbol = SymExpr::symbol(getContext(), name); !llvm::is_contained(shown, symbol))
        shown.push_back(symbol);
  std::string text;
  llvm::raw_string_ostream os(text);
  fact.print(os);
  if (Value shape = makeShape(shown))
    graph::AssertShapeOp::create(builder, getLoc(), shape, builder.getStringAttr(text), builder.getStringAttr(message));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void ForeignImporter::writeOp(Operation &op) {
  setOp(&op);
  if (Emit emit = rules(op.getName().getStringRef()))
    return emit(*this, &op);
  fail("is not known to the import");
}

SmallVector<Value> ForeignImporter::writeBlock(Block &block, ValueRange arguments, bool always) {
  depth += !always;
  size_t numProviders = getNumProviders();
  for (auto [foreign, graph] : llvm::zip_equal(block.getArguments(), arguments))
    values[foreign] = graph;
  Operation *outer = getOp();
  SmallVector<Value> results;
  if (block.empty()) {
    fail("has a block without a terminator");
    return results;
  }
  // Unregistered terminators are none as far as MLIR knows.
  Operation *terminator = &block.back();
  for (Operation &op : llvm::make_range(block.begin(), terminator->getIterator())) {
    if (failed())
      break;
    writeOp(op);
  }
  if (!failed())
    setOp(terminator);
  for (Value operand : terminator->getOperands())
    results.push_back(get(operand));
  if (!failed())
    setOp(outer);
  depth -= !always;
  if (depth > 0 && !always)
    dropProviders(numProviders);
  return results;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

bool relax::usesDialect(func::FuncOp function, StringRef dialect) {
  return function
      .walk([&](Operation *op) {
        return op->getName().getDialectNamespace() == dialect ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Calls below come first, so that each body is copied once it is free of calls.
static LogicalResult inlineCalls(func::FuncOp function, SymbolTable &symbols, llvm::SetVector<Operation *> &path,
                                 llvm::SetVector<Operation *> &called) {
  if (!path.insert(function))
    return function.emitOpError("calls itself, which cannot be imported");
  SmallVector<func::CallOp> calls;
  function.walk([&](func::CallOp call) { calls.push_back(call); });
  for (func::CallOp call : calls) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal())
      return call.emitOpError("calls @") << call.getCallee() << ", which has no body";
    if (!callee.getBody().hasOneBlock())
      return call.emitOpError("calls @") << call.getCallee() << ", which has several blocks";
    if (failed(inlineCalls(callee, symbols, path, called)))
      return failure();
    called.insert(callee);
    OpBuilder builder(call);
    IRMapping mapping;
    mapping.map(callee.getArguments(), call.getOperands());
    Block &body = callee.getBody().front();
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    for (auto [result, value] : llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    call.erase();
  }
  path.remove(function);
  return success();
}

LogicalResult relax::inlineForeignCalls(ModuleOp module, function_ref<bool(func::FuncOp)> isForeign) {
  SymbolTable symbols(module);
  llvm::SetVector<Operation *> path, called;
  // A function that only calls foreign ones, or functions that do, is foreign.
  llvm::DenseMap<Operation *, bool> reaches;
  std::function<bool(func::FuncOp)> reachesForeign = [&](func::FuncOp function) {
    if (function.isExternal())
      return false;
    auto [entry, isNew] = reaches.try_emplace(function, false);
    if (!isNew)
      return entry->second;
    bool found = isForeign(function) || function
                                            .walk([&](func::CallOp call) {
                                              auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
                                              return callee && reachesForeign(callee) ? WalkResult::interrupt()
                                                                                      : WalkResult::advance();
                                            })
                                            .wasInterrupted();
    reaches[function] = found;
    return found;
  };
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (reachesForeign(function))
      if (failed(inlineCalls(function, symbols, path, called)))
        return failure();
  // Unregistered ops with a region could be symbol tables; here they are none.
  llvm::DenseSet<StringAttr> used;
  module.walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](SymbolRefAttr reference) { used.insert(reference.getRootReference()); });
  });
  for (Operation *callee : called)
    if (auto function = cast<func::FuncOp>(callee); function.isPrivate() && !used.contains(function.getSymNameAttr()))
      symbols.erase(callee);
  return success();
}

LogicalResult relax::importForeignFunctions(ModuleOp module, function_ref<bool(func::FuncOp)> isForeign,
                                            ForeignImporter::Rules rules) {
  SmallVector<func::FuncOp> functions;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && isForeign(function))
      functions.push_back(function);
  for (func::FuncOp function : functions) {
    llvm::StringMap<SymExpr> equal;
    while (true) {
      ForeignImporter importer(function, rules, equal);
      if (importer.run()) {
        function.erase();
        break;
      }
      if (!importer.mustRestart())
        return failure();
    }
  }
  // What other tools say about the whole module means nothing to the graph.
  if (!functions.empty())
    for (NamedAttribute attribute : llvm::to_vector(module->getDiscardableAttrs()))
      if (attribute.getName().getValue().contains('.') && !attribute.getNameDialect())
        module->removeDiscardableAttr(attribute.getName());
  return success();
}
