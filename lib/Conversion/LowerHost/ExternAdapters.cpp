//===- ExternAdapters.cpp - Calls of C functions with their own arguments -===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// An adapter has the extern signature (relax_rt_extern_fn). `user` is the
// address of the library function, the scalars are the sizes among its
// arguments, in order; host code evaluates them.
//
//===----------------------------------------------------------------------===//
#include "HostTables.h"
#include "RelaxDialect/Runtime/Runtime.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::relax;

namespace {
/// Words of a relax_rt_tensor_view, the first of which is the address.
constexpr int32_t kViewWords = 4;

class AdapterBuilder {
public:
  explicit AdapterBuilder(ext::ExternFuncOp library)
      : library(library), loc(library.getLoc()), builder(library), i64(builder.getI64Type()), i32(builder.getI32Type()),
        pointerType(LLVM::LLVMPointerType::get(builder.getContext())) {}

  std::string build() {
    std::string name = "relax_extern_" + library.getSymName().str();
    auto adapter = func::FuncOp::create(
        builder, loc, name, builder.getFunctionType({pointerType, pointerType, i64, pointerType, i64}, {i32}));
    Block *entry = adapter.addEntryBlock();
    builder.setInsertionPointToStart(entry);
    views = entry->getArgument(1);
    scalars = entry->getArgument(3);

    SmallVector<Value> operands = {entry->getArgument(0)};
    SmallVector<Type> types;
    for (const ext::NativeArgument &argument : ext::getNativeArguments(library)) {
      operands.push_back(emit(argument));
      types.push_back(operands.back().getType());
    }
    bool hasStatus = library.getStatus();
    Type result = hasStatus ? Type(i32) : LLVM::LLVMVoidType::get(builder.getContext());
    auto call = LLVM::CallOp::create(builder, loc, LLVM::LLVMFunctionType::get(result, types), operands);
    Value status = hasStatus ? call.getResult()
                             : Value(arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(RELAX_RT_OK)));
    func::ReturnOp::create(builder, loc, status);
    return name;
  }

private:
  Value load(Type type, Value base, int32_t word) {
    Value address = LLVM::GEPOp::create(builder, loc, pointerType, i64, base, ArrayRef<LLVM::GEPArg>{word});
    return LLVM::LoadOp::create(builder, loc, type, address);
  }

  /// C passes small integers in 32 bits.
  Value promote(Value value) {
    if (!value.getType().isInteger(8) && !value.getType().isInteger(16))
      return value;
    return arith::ExtSIOp::create(builder, loc, i32, value);
  }

  Value emit(const ext::NativeArgument &argument) {
    switch (argument.kind) {
    case ext::NativeArgument::Kind::Constant:
      return promote(arith::ConstantOp::create(builder, loc, argument.constant));
    case ext::NativeArgument::Kind::Size: {
      Value size = load(i64, scalars, nextScalar++);
      return argument.type == i64 ? size : promote(arith::TruncIOp::create(builder, loc, argument.type, size));
    }
    case ext::NativeArgument::Kind::Tensor:
      return load(pointerType, views, kViewWords * static_cast<int32_t>(argument.tensor));
    case ext::NativeArgument::Kind::Workspace:
      return load(pointerType, views, kViewWords * static_cast<int32_t>(library.getNumInputs() + library.getNumOuts()));
    }
    llvm_unreachable("all kinds are covered");
  }

  ext::ExternFuncOp library;
  Location loc;
  OpBuilder builder;
  Type i64, i32, pointerType;
  Value views, scalars;
  int32_t nextScalar = 0;
};
} // namespace

std::string relax::createExternAdapter(ext::ExternFuncOp library) { return AdapterBuilder(library).build(); }
