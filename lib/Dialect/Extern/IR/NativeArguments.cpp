//===- NativeArguments.cpp - How a C function is called -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Extern/IR/Extern.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::ext;

/// `{i32 = #relax_sym.expr<n>}`; the reason on failure.
static std::string parseSize(DictionaryAttr entry, NativeArgument &argument) {
  if (entry.size() != 1)
    return "expects one type and its value";
  unsigned width = 0;
  StringRef name = entry.begin()->getName();
  auto expr = dyn_cast<sym::ExprAttr>(entry.begin()->getValue());
  if (!name.consume_front("i") || name.getAsInteger(10, width) || !llvm::is_contained({8u, 16u, 32u, 64u}, width))
    return "expects a type of i8, i16, i32, i64, got '" + entry.begin()->getName().str() + "'";
  if (!expr)
    return "expects a #relax_sym.expr as size";
  argument.kind = NativeArgument::Kind::Size;
  argument.size = expr.getValue();
  argument.type = IntegerType::get(entry.getContext(), width);
  return {};
}

/// `"in0"`, `"out0"` or `"workspace"`.
static std::string parseAddress(ExternFuncOp function, StringRef name, NativeArgument &argument) {
  if (name == "workspace") {
    argument.kind = NativeArgument::Kind::Workspace;
    return function.getWorkspaceBytesAttr() ? "" : "is the workspace, but there are no workspace_bytes";
  }
  StringRef rest = name;
  bool isInput = rest.consume_front("in");
  unsigned index = 0;
  if ((!isInput && !rest.consume_front("out")) || rest.getAsInteger(10, index))
    return "expects in0.., out0.. or workspace, got '" + name.str() + "'";
  if (index >= (isInput ? function.getNumInputs() : function.getNumOuts()))
    return "names '" + name.str() + "', which does not exist";
  argument.kind = NativeArgument::Kind::Tensor;
  argument.tensor = isInput ? index : function.getNumInputs() + index;
  return {};
}

static std::string parseArgument(ExternFuncOp function, Attribute attr, NativeArgument &argument) {
  if (auto text = dyn_cast<StringAttr>(attr))
    return parseAddress(function, text.getValue(), argument);
  if (auto size = dyn_cast<DictionaryAttr>(attr))
    return parseSize(size, argument);
  auto constant = dyn_cast<TypedAttr>(attr);
  if (!isa<IntegerAttr, FloatAttr>(attr) || !constant.getType().isSignlessIntOrFloat())
    return "expects a constant, a size or the name of a tensor";
  argument.kind = NativeArgument::Kind::Constant;
  argument.constant = constant;
  return {};
}

FailureOr<SmallVector<NativeArgument>> ext::getNativeArguments(ExternFuncOp function,
                                                               function_ref<void(unsigned, const Twine &)> report) {
  SmallVector<NativeArgument> arguments;
  if (!function.getArguments())
    return arguments;
  for (auto [index, attr] : llvm::enumerate(*function.getArguments())) {
    NativeArgument &argument = arguments.emplace_back();
    if (std::string error = parseArgument(function, attr, argument); !error.empty()) {
      report(index, error);
      return failure();
    }
  }
  return arguments;
}

SmallVector<NativeArgument> ext::getNativeArguments(ExternFuncOp function) {
  FailureOr<SmallVector<NativeArgument>> arguments = getNativeArguments(function, [](unsigned, const Twine &) {});
  return succeeded(arguments) ? std::move(*arguments) : SmallVector<NativeArgument>();
}
