//===- Extern.cpp - The relax_ext dialect ---------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Extern/IR/Extern.h"
#include "RelaxDialect/Dialect/Sym/IR/ProgramSignature.h"
#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::ext;

#include "RelaxDialect/Dialect/Extern/IR/ExternDialect.cpp.inc"

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Extern/IR/ExternOps.cpp.inc"

void RelaxExtDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Extern/IR/ExternOps.cpp.inc"
      >();
  registerInterfaces();
}

//===- Text ---------------------------------------------------------------===//

/// `where "n >= 16", "m mod 8 == 0"`.
static ParseResult parseWhere(OpAsmParser &parser, sym::ScopeAttr &where) {
  SmallVector<sym::Fact> facts;
  auto parseFact = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    std::string text, error;
    if (parser.parseString(&text))
      return failure();
    FailureOr<sym::Fact> fact = sym::Fact::parse(parser.getContext(), text, error);
    if (failed(fact))
      return parser.emitError(loc, "invalid fact: ") << error;
    facts.push_back(*fact);
    return success();
  };
  if (parser.parseCommaSeparatedList(parseFact))
    return failure();
  where = sym::ScopeAttr::get(parser.getContext(), facts);
  return success();
}

ParseResult ExternFuncOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  StringRef visibility;
  if (succeeded(parser.parseOptionalKeyword(&visibility, {"public", "private", "nested"})))
    state.addAttribute(getSymVisibilityAttrName(state.name), builder.getStringAttr(visibility));
  sym::ProgramSignature signature;
  if (parser.parseSymbolName(name, getSymNameAttrName(state.name), state.attributes) ||
      sym::parseProgramSignature(parser, signature, /*namesOptional=*/true))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("where"))) {
    sym::ScopeAttr where;
    if (parseWhere(parser, where))
      return failure();
    state.addAttribute(getWhereAttrName(state.name), where);
  }
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  auto types = llvm::map_to_vector(signature.arguments, [](OpAsmParser::Argument &argument) { return argument.type; });
  for (StringAttr internal :
       {getFunctionTypeAttrName(state.name), getSegmentsAttrName(state.name), getArgAttrsAttrName(state.name)})
    if (state.attributes.get(internal))
      return parser.emitError(parser.getNameLoc(), "attribute '")
             << internal.getValue() << "' comes from the signature";
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(builder.getFunctionType(types, {})));
  state.addAttribute(getSegmentsAttrName(state.name), builder.getDenseI32ArrayAttr(signature.segments));
  SmallVector<Attribute> argAttrs;
  for (OpAsmParser::Argument &argument : signature.arguments)
    argAttrs.push_back(argument.attrs ? argument.attrs : builder.getDictionaryAttr({}));
  if (llvm::any_of(argAttrs, [](Attribute attrs) { return !cast<DictionaryAttr>(attrs).empty(); }))
    state.addAttribute(getArgAttrsAttrName(state.name), builder.getArrayAttr(argAttrs));
  return success();
}

void ExternFuncOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (std::optional<StringRef> visibility = getSymVisibility())
    printer << *visibility << ' ';
  printer.printSymbolName(getSymName());
  sym::printProgramSignature(printer, getProgramArgumentTypes(), getSegments(), getArgAttrsAttr(), {});
  if (sym::ScopeAttr where = getWhereAttr(); where && !where.getFacts().empty()) {
    printer << " where ";
    llvm::interleaveComma(where.getFacts(), printer, [&](const sym::Fact &fact) {
      std::string text;
      llvm::raw_string_ostream os(text);
      fact.print(os);
      printer.printString(text);
    });
  }
  SmallVector<StringRef> elided = {getSymNameAttrName(),  getSymVisibilityAttrName(), getFunctionTypeAttrName(),
                                   getSegmentsAttrName(), getArgAttrsAttrName(),      getWhereAttrName()};
  if (getAbi() == "c")
    elided.push_back(getAbiAttrName());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), elided);
}

//===- Signature ----------------------------------------------------------===//

unsigned ExternFuncOp::getNumInputs() { return getSegments()[sym::kInputs]; }
unsigned ExternFuncOp::getNumOuts() { return getSegments()[sym::kOuts]; }
unsigned ExternFuncOp::getNumWorkspaces() { return getSegments()[sym::kWorkspaces]; }
unsigned ExternFuncOp::getNumScalars() { return getSegments()[sym::kScalars]; }
ArrayRef<Type> ExternFuncOp::getProgramArgumentTypes() { return getFunctionType().getInputs(); }

sym::ShapeAttr ExternFuncOp::getProgramArgumentShape(unsigned index) {
  return dyn_cast_or_null<sym::ShapeAttr>(sym::getProgramArgAttr(getArgAttrsAttr(), index, sym::kShapeAttrName));
}

sym::SymExpr ExternFuncOp::getProgramScalar(unsigned index) {
  unsigned argument = getNumInputs() + getNumOuts() + getNumWorkspaces() + index;
  auto attr = dyn_cast_or_null<sym::ExprAttr>(sym::getProgramArgAttr(getArgAttrsAttr(), argument, sym::kExprAttrName));
  return attr ? attr.getValue() : sym::SymExpr();
}

sym::ScopeAttr ExternFuncOp::getProgramScope() {
  // Callers must satisfy `where` like any other fact.
  auto scope = (*this)->getAttrOfType<sym::ScopeAttr>(sym::kScopeAttrName);
  SmallVector<sym::Fact> facts;
  if (getWhere())
    llvm::append_range(facts, getWhere()->getFacts());
  for (const NativeArgument &argument : getNativeArguments(*this)) {
    // Sizes that are passed in fewer bits must fit; nothing is cut off.
    if (argument.kind != NativeArgument::Kind::Size || argument.type.getWidth() >= 64)
      continue;
    int64_t most = (int64_t(1) << (argument.type.getWidth() - 1)) - 1;
    sym::Fact fits{argument.size, sym::Fact::Op::LessEqual, sym::SymExpr::constant(getContext(), most)};
    if (!argument.size.getConstant() && !llvm::is_contained(facts, fits))
      facts.push_back(fits);
  }
  if (facts.empty())
    return scope;
  if (scope)
    facts.append(scope.getFacts().begin(), scope.getFacts().end());
  return sym::ScopeAttr::get(getContext(), facts);
}

//===- Verification -------------------------------------------------------===//

/// Facts and expressions beside the signature may only use its symbols.
static LogicalResult verifyKnown(ExternFuncOp op, sym::SymExpr expr, ArrayRef<StringRef> known, StringRef where) {
  for (StringRef name : expr.getSymbols())
    if (!llvm::is_contained(known, name))
      return op.emitOpError() << where << " mentions symbol '" << name << "', which the signature does not";
  return success();
}

/// What the ABI "call" needs, and only it has.
static LogicalResult verifyCall(ExternFuncOp op, ArrayRef<StringRef> known) {
  bool isCall = op.getAbi() == "call";
  if (isCall != static_cast<bool>(op.getArguments()))
    return op.emitOpError(R"(expects 'arguments' exactly with abi "call")");
  if (!isCall)
    return op.getStatus() ? op.emitOpError(R"(expects 'status' only with abi "call")") : success();
  if (!op.getSonames() && !op.getObject())
    return op.emitOpError(R"(expects 'sonames' or 'object' with abi "call")");
  if (op.getNumScalars() != 0)
    return op.emitOpError(R"(cannot have scalars with abi "call"; sizes are arguments)");
  auto report = [&](unsigned index, const Twine &message) { op.emitOpError("argument #") << index << ' ' << message; };
  FailureOr<SmallVector<NativeArgument>> arguments = getNativeArguments(op, report);
  if (failed(arguments))
    return failure();
  for (const NativeArgument &argument : *arguments)
    if (argument.kind == NativeArgument::Kind::Size && failed(verifyKnown(op, argument.size, known, "'arguments'")))
      return failure();
  return success();
}

LogicalResult ExternFuncOp::verify() {
  if (!getFunctionType().getResults().empty())
    return emitOpError("cannot have results; results are outs");
  if (failed(sym::verifyProgramSignature(*this, getFunctionType(), getSegments(), getArgAttrsAttr())))
    return failure();
  for (Type type : getProgramArgumentTypes())
    if (isa<MemRefType>(type))
      return emitOpError("arguments must be tensors, got ") << type;
  if (getNumWorkspaces() != 0)
    return emitOpError("cannot have workspaces; use workspace_bytes");
  if (getSymbol().empty())
    return emitOpError("expects the name of the library function in 'symbol'");
  if (getAbi() != "c" && getAbi() != "call")
    return emitOpError(R"(expects abi "c" or "call", got ")") << getAbi() << '"';
  if (getSonames() && getObject())
    return emitOpError("has both 'sonames' and 'object'");

  SmallVector<StringRef> known = sym::getProgramSymbols(getFunctionType(), getArgAttrsAttr());
  if (failed(verifyCall(*this, known)))
    return failure();
  if (sym::ExprAttr bytes = getWorkspaceBytesAttr())
    if (failed(verifyKnown(*this, bytes.getValue(), known, "workspace_bytes")))
      return failure();
  auto verifyFacts = [&](sym::ScopeAttr scope, StringRef where) -> LogicalResult {
    for (const sym::Fact &fact : scope ? scope.getFacts() : ArrayRef<sym::Fact>())
      if (failed(verifyKnown(*this, fact.lhs, known, where)) || failed(verifyKnown(*this, fact.rhs, known, where)))
        return failure();
    return success();
  };
  return failure(failed(verifyFacts(getWhereAttr(), "'where'")) ||
                 failed(verifyFacts((*this)->getAttrOfType<sym::ScopeAttr>(sym::kScopeAttrName), sym::kScopeAttrName)));
}

LogicalResult AvailableOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<ExternFuncOp>(*this, getCalleeAttr()))
    return emitOpError("expects a library function, '") << getCallee() << "' is none";
  return success();
}
