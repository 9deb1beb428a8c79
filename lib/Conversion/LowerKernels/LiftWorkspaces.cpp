//===- LiftWorkspaces.cpp - Scratch memory as an argument -----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Memory is planned before kernels are bufferized, but only bufferization tells
// which intermediates need memory. So it is tried on copies, whose intermediates
// are marked by their locations.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Conversion/Passes.h"
#include "RelaxDialect/Conversion/WorkspacePasses.h"
#include "RelaxDialect/Dialect/Sym/IR/ProgramSignature.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"

#define DEBUG_TYPE "relax-lift-workspaces"

namespace mlir::relax {
#define GEN_PASS_DEF_LIFTWORKSPACESPASS
#include "RelaxDialect/Conversion/WorkspacePasses.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;

namespace {
/// An intermediate of unknown size.
struct Candidate {
  tp::ProgramOp program;
  Operation *op; // tensor.empty or memref.alloc
  SmallVector<SymExpr> dims;
  bool needed = false;
};

/// Extents of values of a program in its symbols; null where they are not known.
class ExtentReader {
public:
  explicit ExtentReader(tp::ProgramOp program) : program(program) {}

  SymExpr getExtent(Value shaped, int64_t dim);
  SymExpr getIndex(Value value);

private:
  SymExpr constant(int64_t value) { return SymExpr::constant(program.getContext(), value); }

  tp::ProgramOp program;
};
} // namespace

SymExpr ExtentReader::getExtent(Value shaped, int64_t dim) {
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.hasRank() || dim < 0 || dim >= type.getRank())
    return {};
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  if (auto argument = dyn_cast<BlockArgument>(shaped))
    return argument.getOwner()->getParentOp() == program ? program.getArgumentDims(argument.getArgNumber())[dim]
                                                         : SymExpr();
  Operation *op = shaped.getDefiningOp();
  if (isa<tensor::EmptyOp, memref::AllocOp>(op))
    return getIndex(op->getOperand(type.getDynamicDimIndex(dim)));
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    if (OpOperand *init = destination.getTiedOpOperand(cast<OpResult>(shaped)))
      return getExtent(init->get(), dim);
  return {};
}

SymExpr ExtentReader::getIndex(Value value) {
  if (IntegerAttr attr; matchPattern(value, m_Constant(&attr)))
    return constant(attr.getInt());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned first = program.getNumArguments() - program.getNumScalars();
    bool isScalar = argument.getOwner()->getParentOp() == program && argument.getArgNumber() >= first;
    return isScalar ? program.getProgramScalar(argument.getArgNumber() - first) : SymExpr();
  }
  Operation *op = value.getDefiningOp();
  if (isa<tensor::DimOp, memref::DimOp>(op)) {
    SymExpr dim = getIndex(op->getOperand(1));
    return dim && dim.getConstant() ? getExtent(op->getOperand(0), *dim.getConstant()) : SymExpr();
  }
  if (isa<arith::IndexCastOp>(op))
    return getIndex(op->getOperand(0));
  if (op->getNumOperands() != 2)
    return {};
  // Extents that exist do not wrap.
  SymExpr a = getIndex(op->getOperand(0)), b = getIndex(op->getOperand(1));
  if (!a || !b)
    return {};
  if (isa<arith::AddIOp>(op))
    return a + b;
  if (isa<arith::SubIOp>(op))
    return a - b;
  if (isa<arith::MulIOp>(op))
    return a * b;
  if (isa<arith::MaxSIOp>(op))
    return SymExpr::max({a, b});
  if (isa<arith::MinSIOp>(op))
    return SymExpr::min({a, b});
  bool isPositive = b.getConstant() && *b.getConstant() > 0;
  if (isPositive && isa<arith::FloorDivSIOp>(op))
    return SymExpr::floordiv(a, b);
  if (isPositive && isa<arith::CeilDivSIOp>(op))
    return SymExpr::ceildiv(a, b);
  return {};
}

/// Intermediates at the top of a program whose extents its symbols tell. One that several ops write is several buffers.
static void addCandidates(tp::ProgramOp program, SmallVectorImpl<Candidate> &candidates) {
  ExtentReader reader(program);
  for (Operation &op : program.getBody().front()) {
    if (!isa<tensor::EmptyOp, memref::AllocOp>(op))
      continue;
    auto type = cast<ShapedType>(op.getResult(0).getType());
    auto memref = dyn_cast<MemRefType>(type);
    unsigned uses = llvm::count_if(op.getUsers(), [](Operation *user) { return !isa<tensor::DimOp>(user); });
    if (type.hasStaticShape() || (memref && !memref.getLayout().isIdentity()) || (!memref && uses != 1))
      continue;
    Candidate candidate{program, &op, {}};
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      candidate.dims.push_back(reader.getExtent(op.getResult(0), dim));
    if (!llvm::is_contained(candidate.dims, SymExpr()))
      candidates.push_back(candidate);
  }
}

/// The intermediate is an argument from here on.
static void lift(Candidate &candidate) {
  tp::ProgramOp program = candidate.program;
  Value old = candidate.op->getResult(0);
  unsigned index = program.getNumInputs() + program.getNumOuts() + program.getNumWorkspaces();
  (void)program.insertArgument(index, old.getType(), DictionaryAttr(), candidate.op->getLoc());
  SmallVector<int32_t> segments(program.getSegments());
  ++segments[sym::kWorkspaces];
  program.setSegments(segments);
  program.setArgumentDims(index, candidate.dims);
  for (Operation *user : llvm::make_early_inc_range(old.getUsers()))
    if (isa<memref::DeallocOp>(user))
      user->erase();
  old.replaceAllUsesWith(program.getBody().getArgument(index));
  candidate.op->erase();
  remark::passed(program.getLoc(), remark::RemarkOpts::name("Lifted").category(DEBUG_TYPE))
      << ("lifted a buffer of @" + program.getSymName()).str();
}

namespace {
struct LiftWorkspacesPass final : relax::impl::LiftWorkspacesPassBase<LiftWorkspacesPass> {
  void runOnOperation() override {
    SmallVector<Candidate> candidates;
    for (tp::ProgramOp program : getOperation().getOps<tp::ProgramOp>())
      if (program.isPrivate())
        addCandidates(program, candidates);
    if (candidates.empty())
      return;
    findNeeded(candidates);
    for (Candidate &candidate : candidates)
      if (candidate.needed)
        lift(candidate);
  }

private:
  void findNeeded(MutableArrayRef<Candidate> candidates);
};
} // namespace

/// What is left to allocate when copies of the programs are kernels.
void LiftWorkspacesPass::findNeeded(MutableArrayRef<Candidate> candidates) {
  auto trial = ModuleOp::create(getOperation().getLoc());
  getOperation().push_back(trial);
  auto getMark = [&](size_t index) {
    return NameLoc::get(StringAttr::get(&getContext(), "relax.scratch." + Twine(index)));
  };
  DenseMap<Attribute, Candidate *> byMark;
  SmallVector<Location> places;
  for (auto [index, candidate] : llvm::enumerate(candidates)) {
    places.push_back(candidate.op->getLoc());
    candidate.op->setLoc(getMark(index));
    byMark[getMark(index)] = &candidate;
  }
  llvm::SmallPtrSet<Operation *, 8> copied;
  for (Candidate &candidate : candidates)
    if (copied.insert(candidate.program).second)
      trial.push_back(candidate.program->clone());
  for (auto [candidate, place] : llvm::zip_equal(candidates, places))
    candidate.op->setLoc(place);

  // A kernel that cannot be made is reported when it is made.
  ScopedDiagnosticHandler silent(&getContext(), [](Diagnostic &) { return success(); });
  OpPassManager rows("builtin.module"), rest("builtin.module");
  rows.addPass(tp::createConvertTensorProgramToFuncPass());
  rows.addNestedPass<func::FuncOp>(createTileRowsPass());
  rest.addNestedPass<func::FuncOp>(createScheduleKernelsPass());
  rest.addPass(createBufferizeKernelsPass());
  if (succeeded(runPipeline(rows, trial))) {
    // The rows of a loop share one small buffer.
    for (func::FuncOp kernel : llvm::make_early_inc_range(trial.getOps<func::FuncOp>()))
      if (kernel.walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); }).wasInterrupted() &&
          kernel.walk([](bufferization::ToTensorOp) { return WalkResult::interrupt(); }).wasInterrupted())
        kernel.erase();
    if (succeeded(runPipeline(rest, trial)))
      trial.walk([&](memref::AllocOp alloc) {
        if (Candidate *candidate = byMark.lookup(alloc.getLoc()))
          candidate->needed = true;
      });
  }
  trial.erase();
}
