//===- SymDialect.cpp - The relax_sym dialect -----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "SymExprDetail.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;

#include "RelaxDialect/Dialect/Sym/IR/SymDialect.cpp.inc"

namespace {
/// Shapes are long and repeated: `#n_4` stands for `#relax_sym.shape<[n, 4]>`.
struct SymAsmInterface final : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    auto shape = dyn_cast<ShapeAttr>(attr);
    if (!shape)
      return AliasResult::NoAlias;
    std::string name;
    for (SymExpr dim : shape.getDims()) {
      if (!name.empty())
        name += '_';
      std::string text = dim ? dim.str() : "u";
      llvm::copy_if(text, std::back_inserter(name), [](char c) { return llvm::isAlnum(c) || c == '_'; });
    }
    // Short names tell the shape, long ones would not be read.
    bool shortName = !name.empty() && name.size() <= 24 && (llvm::isAlpha(name.front()) || name.front() == '_');
    os << (shortName ? StringRef(name) : "shape");
    return AliasResult::OverridableAlias;
  }
};
} // namespace

void RelaxSymDialect::initialize() {
  sym::detail::registerStorage(getContext());
  registerAttributes();
  registerInterfaces();
  addInterfaces<SymAsmInterface>();
}

LogicalResult RelaxSymDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != kScopeAttrName)
    return success();
  auto scope = dyn_cast<ScopeAttr>(attribute.getValue());
  if (!scope)
    return op->emitOpError("attribute '")
           << kScopeAttrName << "' must be a #relax_sym.scope, but is " << attribute.getValue();
  return verifyScope(op, scope);
}
