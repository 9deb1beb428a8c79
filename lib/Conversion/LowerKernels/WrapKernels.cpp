//===- WrapKernels.cpp - Kernel entries with the runtime's signature ------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "KernelSignature.h"
#include "RelaxDialect/Conversion/ModuleTables.h"
#include "RelaxDialect/Conversion/Passes.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/KernelRange.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "RelaxDialect/Runtime/Runtime.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::relax {
#define GEN_PASS_DEF_WRAPKERNELSPASS
#include "RelaxDialect/Conversion/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {

/// Emits the body of one entry.
class EntryBuilder {
public:
  /// `kernel` is the body by now, `name` what launches know. `firstSite`: the kernel's first error site in the module's
  /// table, when it has any.
  EntryBuilder(func::FuncOp kernel, StringRef name, const KernelSignature &signature, std::optional<int64_t> firstSite)
      : kernel(kernel), name(name), signature(signature), firstSite(firstSite), loc(kernel.getLoc()),
        builder(kernel.getContext()), converter(kernel.getContext()) {}

  void build() {
    builder.setInsertionPointAfter(kernel);
    Type pointer = LLVM::LLVMPointerType::get(builder.getContext()), i64 = builder.getI64Type();
    auto entry = func::FuncOp::create(builder, loc, getKernelSymbol(name),
                                      builder.getFunctionType({pointer, pointer, i64, i64, pointer}, {}));
    Block *block = entry.addEntryBlock();
    builder.setInsertionPointToStart(block);
    buffers = block->getArgument(0);
    scalars = block->getArgument(1);

    SmallVector<Value> arguments;
    for (auto [index, type] : llvm::enumerate(signature.buffers))
      arguments.push_back(makeMemRef(type, loadBuffer(index)));
    bool divided = kernel->hasAttr(tp::kRangeAttrName);
    for (unsigned i = 0, e = signature.numScalars - (divided ? 2 : 0); i < e; ++i)
      arguments.push_back(arith::IndexCastOp::create(builder, loc, builder.getIndexType(), loadScalar()));
    for (unsigned i = 2; divided && i < 4; ++i)
      arguments.push_back(arith::IndexCastOp::create(builder, loc, builder.getIndexType(), block->getArgument(i)));
    // The kernel counts its own sites; a word of its own is translated afterwards.
    Value one = LLVM::ConstantOp::create(builder, loc, i64, 1), zero = LLVM::ConstantOp::create(builder, loc, i64, 0);
    Value word = LLVM::AllocaOp::create(builder, loc, pointer, i64, one, /*alignment=*/8);
    LLVM::StoreOp::create(builder, loc, zero, word);
    arguments.push_back(makeMemRef(cast<MemRefType>(kernel.getArgumentTypes().back()), word));
    auto call = func::CallOp::create(builder, loc, kernel, arguments);
    for (auto [index, extent] : llvm::enumerate(call.getResults())) {
      Value slot = loadBuffer(signature.buffers.size() + index);
      LLVM::StoreOp::create(builder, loc, arith::IndexCastOp::create(builder, loc, i64, extent), slot);
    }
    if (firstSite)
      translateError(word, zero, block->getArgument(4));
    func::ReturnOp::create(builder, loc);
  }

  /// Adds `relax_parts_<kernel>(scalars, out)`.
  void buildParts(DictionaryAttr range) {
    builder.setInsertionPointAfter(kernel);
    Type pointer = LLVM::LLVMPointerType::get(builder.getContext()), i64 = builder.getI64Type();
    auto function =
        func::FuncOp::create(builder, loc, getKernelPartsSymbol(name), builder.getFunctionType({pointer, pointer}, {}));
    Block *block = function.addEntryBlock();
    builder.setInsertionPointToStart(block);
    scalars = block->getArgument(0);
    auto number = [&](StringRef key) { return range.getAs<IntegerAttr>(key).getInt(); };
    Value unit = LLVM::ConstantOp::create(builder, loc, i64, number("unit"));
    Value parts = arith::CeilDivUIOp::create(builder, loc, loadExtent(number("buffer"), number("dim")), unit);
    ArrayRef<int64_t> factors = range.getAs<DenseI64ArrayAttr>("work").asArrayRef();
    Value work = LLVM::ConstantOp::create(builder, loc, i64, factors[0]);
    for (size_t i = 1; i + 1 < factors.size(); i += 2)
      work = arith::MulIOp::create(builder, loc, work, loadExtent(factors[i], factors[i + 1]));
    LLVM::StoreOp::create(builder, loc, parts, getElement(i64, block->getArgument(1), 0));
    LLVM::StoreOp::create(builder, loc, work, getElement(i64, block->getArgument(1), 1));
    func::ReturnOp::create(builder, loc);
  }

  /// Adds `relax_work_<kernel>(scalars, out)`.
  void buildWork(AffineMap work) {
    builder.setInsertionPointAfter(kernel);
    Type pointer = LLVM::LLVMPointerType::get(builder.getContext()), i64 = builder.getI64Type();
    auto function =
        func::FuncOp::create(builder, loc, getKernelWorkSymbol(name), builder.getFunctionType({pointer, pointer}, {}));
    Block *block = function.addEntryBlock();
    builder.setInsertionPointToStart(block);
    SmallVector<Value> values;
    for (unsigned index = 0; index < work.getNumSymbols(); ++index)
      values.push_back(arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                                  loadElement(i64, block->getArgument(0), index)));
    for (auto [index, expr] : llvm::enumerate(work.getResults())) {
      Value count = affine::expandAffineExpr(builder, loc, expr, /*dimValues=*/{}, values);
      LLVM::StoreOp::create(builder, loc, arith::IndexCastOp::create(builder, loc, i64, count),
                            getElement(i64, block->getArgument(1), index));
    }
    func::ReturnOp::create(builder, loc);
  }

private:
  /// A dimension of an argument: a constant or one of the scalars.
  Value loadExtent(int64_t buffer, int64_t dim) {
    MemRefType type = signature.buffers[buffer];
    if (!type.isDynamicDim(dim))
      return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), type.getDimSize(dim));
    int64_t position = type.getDynamicDimIndex(dim);
    for (MemRefType earlier : ArrayRef<MemRefType>(signature.buffers).take_front(buffer))
      position += earlier.getNumDynamicDims();
    return loadElement(builder.getI64Type(), scalars, position);
  }

  /// The first error of a launch stays, parts of which may run at the same time.
  void translateError(Value word, Value zero, Value error) {
    Type i64 = builder.getI64Type();
    Value own = LLVM::LoadOp::create(builder, loc, i64, word);
    Value failed = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, own, zero);
    auto branch = scf::IfOp::create(builder, loc, failed, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value first = LLVM::ConstantOp::create(builder, loc, i64, *firstSite);
    Value code = arith::AddIOp::create(builder, loc, own, first);
    LLVM::AtomicCmpXchgOp::create(builder, loc, error, zero, code, LLVM::AtomicOrdering::monotonic,
                                  LLVM::AtomicOrdering::monotonic);
  }

  Value getElement(Type type, Value base, int64_t index) {
    return LLVM::GEPOp::create(builder, loc, base.getType(), type, base, ArrayRef<LLVM::GEPArg>{int32_t(index)},
                               LLVM::GEPNoWrapFlags::inbounds);
  }
  Value loadElement(Type type, Value base, int64_t index) {
    return LLVM::LoadOp::create(builder, loc, type, getElement(type, base, index));
  }
  Value loadBuffer(int64_t index) { return loadElement(buffers.getType(), buffers, index); }
  Value loadScalar() { return loadElement(builder.getI64Type(), scalars, nextScalar++); }

  /// A row-major memref over `pointer`; its dynamic extents are the next scalars.
  Value makeMemRef(MemRefType type, Value pointer) {
    Type i64 = builder.getI64Type();
    auto constant = [&](int64_t value) -> Value { return LLVM::ConstantOp::create(builder, loc, i64, value); };
    SmallVector<Value> sizes;
    for (int64_t size : type.getShape())
      sizes.push_back(ShapedType::isDynamic(size) ? loadScalar() : constant(size));
    auto descriptor = MemRefDescriptor::poison(builder, loc, converter.convertType(type));
    descriptor.setAllocatedPtr(builder, loc, pointer);
    descriptor.setAlignedPtr(builder, loc, pointer);
    descriptor.setOffset(builder, loc, constant(0));
    Value stride = constant(1);
    for (unsigned dim = sizes.size(); dim-- > 0;) {
      descriptor.setSize(builder, loc, dim, sizes[dim]);
      descriptor.setStride(builder, loc, dim, stride);
      // Fits: the elements are in memory. With a zero extent nothing is accessed.
      if (dim > 0)
        stride = LLVM::MulOp::create(builder, loc, stride, sizes[dim]);
    }
    Value value = descriptor;
    return UnrealizedConversionCastOp::create(builder, loc, type, value).getResult(0);
  }

  func::FuncOp kernel;
  StringRef name;
  const KernelSignature &signature;
  std::optional<int64_t> firstSite;
  Location loc;
  OpBuilder builder;
  LLVMTypeConverter converter;
  Value buffers, scalars;
  int64_t nextScalar = 0;
};

/// What our dialects say about a function means nothing to LLVM.
void dropRelaxAttributes(func::FuncOp kernel) {
  auto isOurs = [](NamedAttribute attribute) { return attribute.getName().getValue().starts_with("relax"); };
  for (NamedAttribute attribute : llvm::to_vector(kernel->getDiscardableAttrs()))
    if (isOurs(attribute))
      kernel->removeDiscardableAttr(attribute.getName());
  for (unsigned index = 0, e = kernel.getNumArguments(); index < e; ++index)
    if (DictionaryAttr attributes = kernel.getArgAttrDict(index))
      for (NamedAttribute attribute : attributes)
        if (isOurs(attribute))
          kernel.removeArgAttr(index, attribute.getName());
}

struct WrapKernelsPass final : relax::impl::WrapKernelsPassBase<WrapKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    for (func::FuncOp kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      std::optional<KernelSignature> signature = getKernelSignature(kernel);
      if (!signature)
        continue;
      std::string name = kernel.getName().str();
      std::string symbol = getKernelSymbol(name);
      if (symbols.lookup(symbol)) {
        kernel.emitError("entry of kernel needs the name '") << symbol << "', which is taken";
        return signalPassFailure();
      }
      // No program shares its name with a function of libm that a body calls later.
      std::string body = "relax_body_" + name;
      if (symbols.lookup(body)) {
        kernel.emitError("body of kernel needs the name '") << body << "', which is taken";
        return signalPassFailure();
      }
      std::optional<int64_t> firstSite;
      if (auto sites = kernel->getAttrOfType<ArrayAttr>(tp::kSitesAttrName); sites && !sites.empty())
        firstSite = appendGuardSites(getOperation(), RELAX_RT_KERNEL_ERROR, sites);
      if (failed(rename(kernel, body, symbols, users)))
        return signalPassFailure();
      EntryBuilder(kernel, name, *signature, firstSite).build();
      if (auto range = kernel->getAttrOfType<DictionaryAttr>(tp::kRangeAttrName)) {
        std::string parts = getKernelPartsSymbol(name);
        if (symbols.lookup(parts)) {
          kernel.emitError("parts of kernel need the name '") << parts << "', which is taken";
          return signalPassFailure();
        }
        EntryBuilder(kernel, name, *signature, firstSite).buildParts(range);
      }
      if (auto work = kernel->getAttrOfType<AffineMapAttr>(tp::kWorkAttrName)) {
        unsigned numScalars = signature->numScalars - (kernel->hasAttr(tp::kRangeAttrName) ? 2 : 0);
        for (MemRefType buffer : signature->buffers)
          numScalars += buffer.getNumDynamicDims();
        if (work.getValue().getNumSymbols() != numScalars) {
          kernel.emitError("a launch of the kernel has ")
              << numScalars << " scalars, but its work depends on " << work.getValue().getNumSymbols();
          return signalPassFailure();
        }
        std::string counter = getKernelWorkSymbol(name);
        if (symbols.lookup(counter)) {
          kernel.emitError("work of kernel needs the name '") << counter << "', which is taken";
          return signalPassFailure();
        }
        EntryBuilder(kernel, name, *signature, firstSite).buildWork(work.getValue());
      }
      dropRelaxAttributes(kernel);
      // Kept apart from the entry: arguments carry `noalias` better than code inlined into it.
      MLIRContext *context = &getContext();
      kernel.setPrivate();
      kernel->setAttr("llvm.linkage", LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
      kernel->setAttr("no_inline", UnitAttr::get(context));
      for (unsigned index = 0, e = kernel.getNumArguments(); index < e; ++index)
        if (isa<MemRefType>(kernel.getArgument(index).getType()))
          kernel.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(), UnitAttr::get(context));
    }
  }

  /// Launches name kernels by text: as a rule there are no uses, which are not looked for in all of the module then.
  LogicalResult rename(func::FuncOp kernel, StringRef body, SymbolTable &symbols, const SymbolUserMap &users) {
    if (!users.useEmpty(kernel))
      return symbols.rename(kernel, body);
    symbols.remove(kernel);
    kernel.setSymName(body);
    symbols.insert(kernel);
    return success();
  }
};

} // namespace
