//===- TensorProgramOps.cpp - Operations of relax_tp ----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Sym/IR/ProgramSignature.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::tp;

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgramOps.cpp.inc"

//===- ProgramOp: construction --------------------------------------------===//

void ProgramOp::build(OpBuilder &builder, OperationState &state, StringRef name, TypeRange inputs, TypeRange outs,
                      TypeRange workspaces, ArrayRef<sym::SymExpr> scalars, unsigned numExtents) {
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> argAttrs;
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(inputs), SmallVector<Type>(outs), SmallVector<Type>(workspaces))) {
    NamedAttrList attrs;
    if (sym::mentionsSymbol(type))
      attrs.set(sym::kShapeAttrName,
                sym::ShapeAttr::get(builder.getContext(), sym::getSymbolicDims(type), DictionaryAttr()));
    auto tensor = dyn_cast<RankedTensorType>(type);
    types.push_back(tensor ? sym::stripEncoding(tensor) : type);
    argAttrs.push_back(attrs.getDictionary(builder.getContext()));
  }
  for (sym::SymExpr scalar : scalars) {
    NamedAttrList attrs;
    if (scalar)
      attrs.set(sym::kExprAttrName, sym::ExprAttr::get(scalar));
    types.push_back(builder.getIndexType());
    argAttrs.push_back(attrs.getDictionary(builder.getContext()));
  }

  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getSymVisibilityAttrName(state.name), builder.getStringAttr("private"));
  SmallVector<Type> results(numExtents, builder.getIndexType());
  auto type = builder.getFunctionType(types, results);
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  int32_t segments[] = {static_cast<int32_t>(inputs.size()), static_cast<int32_t>(outs.size()),
                        static_cast<int32_t>(workspaces.size()), static_cast<int32_t>(scalars.size())};
  state.addAttribute(getSegmentsAttrName(state.name), builder.getDenseI32ArrayAttr(segments));
  call_interface_impl::addArgAndResultAttrs(builder, state, argAttrs, /*resultAttrs=*/{},
                                            getArgAttrsAttrName(state.name), getResAttrsAttrName(state.name));
  Attribute attrs = state.attributes.get(getArgAttrsAttrName(state.name));
  if (!sym::getProgramSymbols(type, dyn_cast_or_null<ArrayAttr>(attrs)).empty())
    state.addAttribute(sym::kScopeAttrName, sym::ScopeAttr::get(builder.getContext(), {}));

  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(state.addRegion());
  for (Type argument : types)
    body->addArgument(argument, state.location);
}

//===- ProgramOp: text ----------------------------------------------------===//

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  StringRef visibility;
  if (succeeded(parser.parseOptionalKeyword(&visibility, {"public", "private", "nested"})))
    state.addAttribute(getSymVisibilityAttrName(state.name), builder.getStringAttr(visibility));
  sym::ProgramSignature signature;
  if (parser.parseSymbolName(name, getSymNameAttrName(state.name), state.attributes) ||
      sym::parseProgramSignature(parser, signature, /*namesOptional=*/false))
    return failure();

  SmallVector<Type> results;
  SmallVector<DictionaryAttr> resultAttrs;
  if (succeeded(parser.parseOptionalArrow()) &&
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        NamedAttrList attrs;
        if (parser.parseType(results.emplace_back()) || parser.parseOptionalAttrDict(attrs))
          return failure();
        resultAttrs.push_back(attrs.getDictionary(parser.getContext()));
        return success();
      }))
    return failure();

  if (parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  auto types = llvm::map_to_vector(signature.arguments, [](OpAsmParser::Argument &argument) { return argument.type; });
  for (StringAttr internal : {getFunctionTypeAttrName(state.name), getSegmentsAttrName(state.name),
                              getArgAttrsAttrName(state.name), getResAttrsAttrName(state.name)})
    if (state.attributes.get(internal))
      return parser.emitError(parser.getNameLoc(), "attribute '")
             << internal.getValue() << "' comes from the signature";
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(builder.getFunctionType(types, results)));
  state.addAttribute(getSegmentsAttrName(state.name), builder.getDenseI32ArrayAttr(signature.segments));
  call_interface_impl::addArgAndResultAttrs(builder, state, signature.arguments, resultAttrs,
                                            getArgAttrsAttrName(state.name), getResAttrsAttrName(state.name));
  return parser.parseRegion(*state.addRegion(), signature.arguments);
}

void ProgramOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (std::optional<StringRef> visibility = getSymVisibility())
    printer << *visibility << ' ';
  printer.printSymbolName(getSymName());
  Block &entry = getBody().front();
  SmallVector<BlockArgument> arguments(entry.args_begin(), entry.args_end());
  sym::printProgramSignature(printer, getArgumentTypes(), getSegments(), getArgAttrsAttr(), arguments);
  if (!getResultTypes().empty()) {
    printer << " -> (";
    llvm::interleaveComma(llvm::enumerate(getResultTypes()), printer, [&](auto result) {
      printer.printType(result.value());
      if (ArrayAttr attrs = getResAttrsAttr())
        printer.printOptionalAttrDict(cast<DictionaryAttr>(attrs[result.index()]).getValue());
    });
    printer << ')';
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getSymNameAttrName(), getSymVisibilityAttrName(), getFunctionTypeAttrName(),
                                            getSegmentsAttrName(), getArgAttrsAttrName(), getResAttrsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/true);
}

//===- ProgramOp: signature -----------------------------------------------===//

/// Arguments of group `group`.
static Block::BlockArgListType getGroup(ProgramOp program, sym::ProgramGroup group) {
  ArrayRef<int32_t> segments = program.getSegments();
  unsigned begin = 0;
  for (unsigned i = 0; i != group; ++i)
    begin += segments[i];
  return program.getBody().getArguments().slice(begin, segments[group]);
}

Block::BlockArgListType ProgramOp::getInputs() { return getGroup(*this, sym::kInputs); }
Block::BlockArgListType ProgramOp::getOuts() { return getGroup(*this, sym::kOuts); }
Block::BlockArgListType ProgramOp::getWorkspaces() { return getGroup(*this, sym::kWorkspaces); }
Block::BlockArgListType ProgramOp::getScalars() { return getGroup(*this, sym::kScalars); }

bool ProgramOp::isBufferForm() { return llvm::any_of(getArgumentTypes(), llvm::IsaPred<MemRefType>); }

YieldOp ProgramOp::getYield() { return cast<YieldOp>(getBody().front().getTerminator()); }

SmallVector<sym::SymExpr> ProgramOp::getArgumentDims(unsigned index) {
  return sym::getPlainDims(cast<ShapedType>(getArgumentTypes()[index]), getProgramArgumentShape(index), getContext());
}

void ProgramOp::setArgumentDims(unsigned index, ArrayRef<sym::SymExpr> dims) {
  bool hasSymbol = llvm::any_of(dims, [](sym::SymExpr dim) { return dim && !dim.getConstant(); });
  if (hasSymbol)
    setArgAttr(index, sym::kShapeAttrName, sym::ShapeAttr::get(getContext(), dims, DictionaryAttr()));
  else
    removeArgAttr(index, StringAttr::get(getContext(), sym::kShapeAttrName));
}

unsigned ProgramOp::getNumInputs() { return getSegments()[sym::kInputs]; }
unsigned ProgramOp::getNumOuts() { return getSegments()[sym::kOuts]; }
unsigned ProgramOp::getNumWorkspaces() { return getSegments()[sym::kWorkspaces]; }
unsigned ProgramOp::getNumScalars() { return getSegments()[sym::kScalars]; }
ArrayRef<Type> ProgramOp::getProgramArgumentTypes() { return getArgumentTypes(); }

sym::ShapeAttr ProgramOp::getProgramArgumentShape(unsigned index) {
  return dyn_cast_or_null<sym::ShapeAttr>(sym::getProgramArgAttr(getArgAttrsAttr(), index, sym::kShapeAttrName));
}

sym::SymExpr ProgramOp::getProgramScalar(unsigned index) {
  unsigned argument = getNumInputs() + getNumOuts() + getNumWorkspaces() + index;
  auto attr = dyn_cast_or_null<sym::ExprAttr>(sym::getProgramArgAttr(getArgAttrsAttr(), argument, sym::kExprAttrName));
  return attr ? attr.getValue() : sym::SymExpr();
}

sym::ScopeAttr ProgramOp::getProgramScope() { return (*this)->getAttrOfType<sym::ScopeAttr>(sym::kScopeAttrName); }

//===- ProgramOp: verification --------------------------------------------===//

LogicalResult ProgramOp::verify() {
  if (failed(sym::verifyProgramSignature(*this, getFunctionType(), getSegments(), getArgAttrsAttr())))
    return failure();
  for (auto [index, type] : llvm::enumerate(getResultTypes()))
    if (!type.isIndex())
      return emitOpError("result #") << index << " must be an index (an extent found), got " << type;
  return success();
}

static LogicalResult verifyYield(ProgramOp program, YieldOp yield) {
  SmallVector<Type> expected;
  if (!program.isBufferForm())
    for (BlockArgument out : program.getOuts())
      expected.push_back(out.getType());
  size_t numOuts = expected.size();
  llvm::append_range(expected, program.getResultTypes());
  if (yield.getNumOperands() != expected.size())
    return yield.emitOpError("expects ") << numOuts << " outs and " << program.getNumExtents() << " extents, got "
                                         << yield.getNumOperands() << " values";
  for (auto [index, want, got] : llvm::enumerate(expected, yield.getOperandTypes()))
    if (want != got)
      return yield.emitOpError("operand #") << index << " must be " << want << ", got " << got;
  return success();
}

/// The argument that a buffer is a view of, else null.
static BlockArgument getViewedArgument(Value buffer, Block &entry) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(buffer);
  return argument && argument.getOwner() == &entry ? argument : BlockArgument();
}

/// A call is pure at the graph level: a written input would change a value that others read.
static LogicalResult verifyInputsNotWritten(ProgramOp program) {
  Block &entry = program.getBody().front();
  unsigned numInputs = program.getNumInputs();
  WalkResult result = program.getBody().walk([&](MemoryEffectOpInterface op) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects(effects);
    for (MemoryEffects::EffectInstance &effect : effects) {
      if (isa<MemoryEffects::Read>(effect.getEffect()) || !effect.getValue())
        continue;
      BlockArgument argument = getViewedArgument(effect.getValue(), entry);
      if (argument && argument.getArgNumber() < numInputs) {
        op.emitOpError("writes input #") << argument.getArgNumber() << " of the tensor program";
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult ProgramOp::verifyRegions() {
  auto yield = dyn_cast_or_null<YieldOp>(&getBody().front().back());
  if (!yield)
    return emitOpError("body must end with relax_tp.yield");
  if (failed(verifyYield(*this, yield)))
    return failure();
  return isBufferForm() ? verifyInputsNotWritten(*this) : success();
}

//===- AssertOp -----------------------------------------------------------===//

void AssertOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), SideEffects::DefaultResource::get());
}

LogicalResult AssertOp::verify() {
  if (getMessage().empty())
    return emitOpError("expects a message");
  return success();
}

LogicalResult AssertOp::canonicalize(AssertOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return rewriter.notifyMatchFailure(op, "the condition is not known to hold");
  rewriter.eraseOp(op);
  return success();
}
