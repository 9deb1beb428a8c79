//===- Claims.cpp - What a model says about shapes of its values ----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The declared types of outputs and value_info are claims: they are compared
// with what the import infers. A contradiction is an error, what only run time
// decides becomes a check, and from there on the value has the claimed extents.
//
//===----------------------------------------------------------------------===//
#include "GraphImporter.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "TensorData.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::Fact;
using mlir::relax::sym::SymExpr;
using mlir::relax::sym::Verdict;
using relax_onnx_wire::TensorShapeProto;
using relax_onnx_wire::ValueInfoProto;

StringRef mlir::relax::onnx::getDimName(const TensorShapeProto::Dimension &dim) {
  StringRef name = dim.dim_param();
  return name == "?" ? StringRef() : name;
}

bool mlir::relax::onnx::hasExtent(const TensorShapeProto::Dimension &dim) {
  return dim.has_dim_value() && dim.dim_value() != -1;
}

void GraphImporter::addClaims(const google::protobuf::RepeatedPtrField<ValueInfoProto> &infos) {
  for (const ValueInfoProto &info : infos) {
    if (!info.type().has_tensor_type() || info.name().empty())
      continue;
    auto [known, isNew] = claims.try_emplace(info.name(), &info);
    if (!isNew && !known->second->type().tensor_type().has_shape())
      known->second = &info;
  }
}

void GraphImporter::removeClaims(const google::protobuf::RepeatedPtrField<ValueInfoProto> &infos) {
  for (const ValueInfoProto &info : infos) {
    auto known = claims.find(info.name());
    if (known != claims.end() && known->second == &info)
      claims.erase(known);
  }
}

LogicalResult GraphImporter::checkClaims(const google::protobuf::RepeatedPtrField<std::string> &names) {
  if (claims.empty())
    return success();
  for (const std::string &name : names) {
    auto claim = claims.find(name);
    GraphValue *value = claim == claims.end() ? nullptr : lookUp(name);
    if (value && failed(checkClaim(*claim->second, *value)))
      return failure();
  }
  return success();
}

SymExpr GraphImporter::getClaimedExtent(const TensorShapeProto::Dimension &dim, SymExpr inferred) {
  if (hasExtent(dim))
    return SymExpr::constant(context, dim.dim_value());
  StringRef name = getDimName(dim);
  if (name.empty())
    return {};
  SymExpr claim = symbols.lookUp(name);
  if (isTooComplex(claim))
    return {};
  // A name that is new stands for what is inferred, as long as that can be read from here on.
  if (!claim && isAtTopLevel())
    symbols.define(name, inferred);
  return claim;
}

bool GraphImporter::isAtTopLevel() { return builder.getInsertionBlock()->getParentOp() == function; }

LogicalResult GraphImporter::checkClaim(const ValueInfoProto &info, GraphValue &value) {
  auto fail = [&]() -> InFlightDiagnostic {
    return emitError(fileLoc) << (outputNames.contains(info.name()) ? "output '" : "value '") << printable(info.name())
                              << "': ";
  };
  const relax_onnx_wire::TypeProto::Tensor &declared = info.type().tensor_type();
  if (declared.elem_type() && declared.elem_type() != getTypeCode(value.type.getElementType()))
    return fail() << "is declared as " << getTypeName(declared.elem_type()) << ", inferred as "
                  << getTypeName(getTypeCode(value.type.getElementType()));
  if (!declared.has_shape())
    return success();
  SmallVector<SymExpr> dims = sym::getSymbolicDims(value.type);
  if (declared.shape().dim_size() != static_cast<int>(dims.size()))
    return fail() << "is declared with " << declared.shape().dim_size() << " dimensions, inferred with " << dims.size();
  bool needsCheck = false;
  for (auto [index, dim] : llvm::enumerate(declared.shape().dim())) {
    SymExpr claim = getClaimedExtent(dim, dims[index]);
    if (!claim || claim == dims[index])
      continue;
    if (claim.getConstant().value_or(0) < 0)
      return fail() << "dimension " << index << " is declared as " << claim.str() << ", which is negative";
    Verdict verdict = getProver().isEqual(claim, dims[index]);
    if (verdict == Verdict::False)
      return fail() << "dimension " << index << " is declared as " << claim.str() << ", inferred as "
                    << dims[index].str();
    if (verdict == Verdict::True)
      continue;
    // What every call computes must hold in every call: of sizes of inputs the whole function may rely on it.
    bool isChecked = isAtTopLevel() && assume(Fact{claim, Fact::Op::Equal, dims[index]});
    // What is known element by element keeps its type.
    if (isChecked && (value.stored || value.elements))
      continue;
    needsCheck = true;
    dims[index] = claim;
  }
  if (!needsCheck)
    return success();
  RankedTensorType type = sym::getTensorType(dims, value.type.getElementType());
  if (!getBoundedSize(type.getShape()))
    return fail() << "is declared with too many elements to be addressed";
  Location loc = NameLoc::get(builder.getStringAttr(printable(info.name())), fileLoc);
  value.tensor = graph::MatchCastOp::create(builder, loc, type, getTensor(value, loc), builder.getArrayAttr({}));
  value.type = type;
  value.stored = {};
  value.elements.reset();
  return success();
}
