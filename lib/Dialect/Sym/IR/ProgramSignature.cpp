//===- ProgramSignature.cpp - Signatures of callable programs -------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Sym/IR/ProgramSignature.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;

StringRef sym::stringifyProgramGroup(ProgramGroup group) {
  switch (group) {
  case kInputs:
    return "input";
  case kOuts:
    return "out";
  case kWorkspaces:
    return "workspace";
  default:
    return "scalar";
  }
}

//===- Text ---------------------------------------------------------------===//

static constexpr StringLiteral kGroupKeywords[kNumGroups] = {"", "outs", "workspaces", "scalars"};

/// Parses `(%a: T {..}, ...)`; with `namesOptional` also `(T {..}, ...)`.
static ParseResult parseGroup(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::Argument> &arguments,
                              bool namesOptional) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
    OpAsmParser::Argument argument;
    OptionalParseResult named = parser.parseOptionalArgument(argument, /*allowType=*/true, /*allowAttrs=*/true);
    if (named.has_value()) {
      if (failed(*named))
        return failure();
    } else {
      if (!namesOptional)
        return parser.emitError(parser.getCurrentLocation(), "expected an argument such as %x: tensor<4xf32>");
      NamedAttrList attrs;
      if (parser.parseType(argument.type) || parser.parseOptionalAttrDict(attrs))
        return failure();
      argument.attrs = attrs.getDictionary(parser.getContext());
    }
    arguments.push_back(argument);
    return success();
  });
}

ParseResult sym::parseProgramSignature(OpAsmParser &parser, ProgramSignature &signature, bool namesOptional) {
  for (unsigned group = kInputs; group != kNumGroups; ++group) {
    if (group != kInputs && failed(parser.parseOptionalKeyword(kGroupKeywords[group])))
      continue;
    size_t before = signature.arguments.size();
    if (parseGroup(parser, signature.arguments, namesOptional))
      return failure();
    signature.segments[group] = static_cast<int32_t>(signature.arguments.size() - before);
  }
  return success();
}

void sym::printProgramSignature(OpAsmPrinter &printer, ArrayRef<Type> types, ArrayRef<int32_t> segments,
                                ArrayAttr argAttrs, ArrayRef<BlockArgument> arguments) {
  unsigned index = 0;
  for (unsigned group = kInputs; group != kNumGroups; ++group) {
    if (group != kInputs && segments[group] == 0)
      continue;
    printer << (group == kInputs ? "" : " ") << kGroupKeywords[group] << '(';
    llvm::interleaveComma(llvm::seq<int32_t>(0, segments[group]), printer, [&](int32_t) {
      DictionaryAttr attrs = argAttrs ? cast<DictionaryAttr>(argAttrs[index]) : DictionaryAttr();
      if (arguments.empty()) {
        printer.printType(types[index]);
        if (attrs)
          printer.printOptionalAttrDict(attrs.getValue());
      } else {
        printer.printRegionArgument(arguments[index], attrs ? attrs.getValue() : ArrayRef<NamedAttribute>());
      }
      ++index;
    });
    printer << ')';
  }
}

//===- Verification -------------------------------------------------------===//

Attribute sym::getProgramArgAttr(ArrayAttr argAttrs, unsigned index, StringRef name) {
  if (!argAttrs || index >= argAttrs.size())
    return {};
  auto attrs = dyn_cast<DictionaryAttr>(argAttrs[index]);
  return attrs ? attrs.get(name) : Attribute();
}

SmallVector<SymExpr> sym::getPlainDims(ShapedType type, ShapeAttr shape, MLIRContext *context) {
  if (shape)
    return SmallVector<SymExpr>(shape.getDims());
  return llvm::map_to_vector(type.getShape(), [&](int64_t extent) {
    return ShapedType::isDynamic(extent) ? SymExpr() : SymExpr::constant(context, extent);
  });
}

namespace {
/// One argument of the signature under verification.
struct ArgumentInfo {
  ProgramGroup group;
  unsigned position; // in its group
  unsigned index;    // in the signature
  Type type;
};

class SignatureVerifier {
public:
  SignatureVerifier(Operation *op, FunctionType type, ArrayAttr argAttrs) : op(op), type(type), argAttrs(argAttrs) {}

  LogicalResult verify(ArrayRef<int32_t> segments) {
    if (failed(verifySegments(segments)))
      return failure();
    unsigned index = 0;
    for (unsigned group = kInputs; group != kNumGroups; ++group)
      for (int32_t position = 0; position != segments[group]; ++position, ++index) {
        ArgumentInfo argument{ProgramGroup(group), static_cast<unsigned>(position), index, type.getInput(index)};
        if (failed(group == kScalars ? verifyScalar(argument) : verifyBuffer(argument)))
          return failure();
      }
    return verifyDetermined();
  }

private:
  InFlightDiagnostic emit(const ArgumentInfo &argument) {
    return op->emitOpError() << stringifyProgramGroup(argument.group) << " #" << argument.position << ' ';
  }

  LogicalResult verifySegments(ArrayRef<int32_t> segments) {
    if (segments.size() != kNumGroups)
      return op->emitOpError("expects 4 segments: inputs, outs, workspaces, scalars; got ") << segments.size();
    int64_t sum = 0;
    for (int32_t size : segments) {
      if (size < 0)
        return op->emitOpError("has a negative segment: ") << size;
      sum += size;
    }
    if (sum != type.getNumInputs())
      return op->emitOpError("has ") << type.getNumInputs() << " arguments, but its segments count " << sum;
    if (argAttrs && argAttrs.size() != type.getNumInputs())
      return op->emitOpError("has ") << type.getNumInputs() << " arguments, but attributes for " << argAttrs.size();
    return success();
  }

  LogicalResult verifyScalar(const ArgumentInfo &argument) {
    if (!argument.type.isIndex())
      return emit(argument) << "must be an index, got " << argument.type;
    if (getProgramArgAttr(argAttrs, argument.index, kShapeAttrName))
      return emit(argument) << "cannot have a " << kShapeAttrName;
    Attribute attr = getProgramArgAttr(argAttrs, argument.index, kExprAttrName);
    if (!attr)
      return success();
    auto expr = dyn_cast<ExprAttr>(attr);
    if (!expr)
      return emit(argument) << kExprAttrName << " must be a #relax_sym.expr, got " << attr;
    determining.push_back(expr.getValue());
    return success();
  }

  LogicalResult verifyBufferType(const ArgumentInfo &argument) {
    Type elementType;
    if (auto tensor = dyn_cast<RankedTensorType>(argument.type)) {
      elementType = tensor.getElementType();
      if (tensor.getEncoding())
        return emit(argument) << "must have a plain type with a " << kShapeAttrName << " attribute beside it, got "
                              << argument.type;
    } else if (auto memref = dyn_cast<MemRefType>(argument.type)) {
      elementType = memref.getElementType();
      if (!memref.getLayout().isIdentity() || memref.getMemorySpace())
        return emit(argument) << "must have the identity layout and no memory space, got " << argument.type;
    } else {
      return emit(argument) << "must be a ranked tensor or memref, got " << argument.type;
    }
    if (!elementType.isIntOrFloat())
      return emit(argument) << "must have integer or float elements, got " << elementType;
    if (firstBuffer && isa<MemRefType>(firstBuffer) != isa<MemRefType>(argument.type))
      return emit(argument) << "is " << argument.type << ", but the first argument is " << firstBuffer
                            << ": arguments are all tensors or all memrefs";
    if (!firstBuffer)
      firstBuffer = argument.type;
    return success();
  }

  LogicalResult verifyBuffer(const ArgumentInfo &argument) {
    if (failed(verifyBufferType(argument)))
      return failure();
    if (getProgramArgAttr(argAttrs, argument.index, kExprAttrName))
      return emit(argument) << "cannot have a " << kExprAttrName;
    auto shaped = cast<ShapedType>(argument.type);
    Attribute attr = getProgramArgAttr(argAttrs, argument.index, kShapeAttrName);
    auto shape = dyn_cast_or_null<ShapeAttr>(attr);
    if (attr && !shape)
      return emit(argument) << kShapeAttrName << " must be a #relax_sym.shape, got " << attr;
    SmallVector<SymExpr> dims = getPlainDims(shaped, shape, op->getContext());
    if (static_cast<int64_t>(dims.size()) != shaped.getRank())
      return emit(argument) << "has rank " << shaped.getRank() << ", but its shape has " << dims.size() << " extents";
    for (auto [dim, extent, expr] : llvm::enumerate(shaped.getShape(), dims)) {
      std::optional<int64_t> constant = expr ? expr.getConstant() : std::nullopt;
      bool isDynamic = ShapedType::isDynamic(extent);
      if (isDynamic ? constant.has_value() : constant != extent) {
        InFlightDiagnostic diag = emit(argument);
        diag << "dimension " << dim << " is ";
        isDynamic ? diag << "dynamic" : diag << extent;
        return diag << " in the type, but " << (expr ? expr.str() : "?") << " in the shape";
      }
      if (!expr && argument.group != kInputs)
        return emit(argument) << "dimension " << dim << " must have a known extent";
    }
    SmallVectorImpl<SymExpr> &list = argument.group == kInputs ? determining : determined;
    llvm::append_range(list, dims);
    return success();
  }

  /// A symbol that stands alone is determined; the prover decides about the rest.
  LogicalResult verifyDetermined() {
    llvm::StringSet<> bare;
    llvm::SmallSetVector<StringRef, 8> used;
    for (SymExpr expr : determining)
      if (expr) {
        if (std::optional<StringRef> name = expr.getSymbol())
          bare.insert(*name);
        used.insert_range(expr.getSymbols());
      }
    for (SymExpr expr : determined)
      if (expr)
        used.insert_range(expr.getSymbols());
    if (!used.empty() && !op->getAttr(kScopeAttrName))
      return op->emitOpError("mentions symbol '") << used.front() << "' and must carry " << kScopeAttrName;
    if (llvm::all_of(used, [&](StringRef name) { return bare.contains(name); }))
      return success();

    // Each extent gets a name of its own, so that solving says whether values would determine the symbols.
    SmallVector<std::pair<SymExpr, SymExpr>> equations;
    for (auto [index, expr] : llvm::enumerate(determining))
      if (expr && !expr.getConstant())
        equations.emplace_back(expr, SymExpr::symbol(op->getContext(), "$" + std::to_string(index)));
    Prover prover(op->getContext());
    Solution solution = prover.solve(equations, [&](StringRef name) { return used.contains(name); });
    for (StringRef name : used)
      if (!solution.values.contains(name))
        return op->emitOpError("symbol '") << name << "' is not determined by inputs and scalars";
    return success();
  }

  Operation *op;
  FunctionType type;
  ArrayAttr argAttrs;
  Type firstBuffer;
  SmallVector<SymExpr> determining, determined;
};
} // namespace

LogicalResult sym::verifyProgramSignature(Operation *op, FunctionType type, ArrayRef<int32_t> segments,
                                          ArrayAttr argAttrs) {
  return SignatureVerifier(op, type, argAttrs).verify(segments);
}

SmallVector<StringRef> sym::getProgramSymbols(FunctionType type, ArrayAttr argAttrs) {
  llvm::SmallSetVector<StringRef, 8> names;
  for (unsigned index = 0; index != type.getNumInputs(); ++index) {
    if (auto shape = dyn_cast_or_null<ShapeAttr>(getProgramArgAttr(argAttrs, index, kShapeAttrName))) {
      for (SymExpr dim : shape.getDims())
        if (dim)
          names.insert_range(dim.getSymbols());
    }
    if (auto expr = dyn_cast_or_null<ExprAttr>(getProgramArgAttr(argAttrs, index, kExprAttrName)))
      names.insert_range(expr.getValue().getSymbols());
  }
  return SmallVector<StringRef>(names.getArrayRef());
}
