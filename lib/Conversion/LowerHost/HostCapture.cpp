//===- HostCapture.cpp - Host code of launches that are recorded ----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Everything of a region but its launches comes first. The addresses that the
// launches use become a table, and the key is found backwards from the scalars
// that they get: through arithmetic, which gives the same for the same, to what
// it begins with. So whatever a launch depends on is an address or follows from
// the key. begin_region runs a recording or asks for one; then the launches are
// made, with positions in the table instead of addresses. Of a branch both sides
// collect launches; each of them is made when its side is taken, by a condition
// that is in the key like everything else.
//
//===----------------------------------------------------------------------===//
#include "CaptureRegions.h"
#include "HostEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

static std::optional<int64_t> getRegion(Operation *op) {
  auto region = op->getAttrOfType<IntegerAttr>(kCaptureAttrName);
  return region ? std::optional<int64_t>(region.getInt()) : std::nullopt;
}

/// Instead of emitLaunch: nothing is launched yet.
void HostEmitter::collectLaunch(ProgramCallOpInterface call, sym::TensorProgramInterface callee,
                                ArrayRef<HostTensor> arguments) {
  CapturedLaunch launch = {call.getLoc(), tables.getKernel(call.getCalleeAttr().getValue()), {}, {}};
  for (const HostTensor &argument : arguments)
    takePointer(argument.data, launch.buffers);
  launch.scalars = collectScalars(call, callee, arguments);
  launches.push_back(std::move(launch));
}

/// The same for a library function, scratch memory included.
void HostEmitter::collectLibraryCall(Location callLoc, const ExternCall &call) {
  CapturedLaunch launch = {callLoc, 0, {}, {}, call};
  for (const ExternCall::View &view : call.views)
    takePointer(view.tensor.data, launch.buffers);
  launches.push_back(std::move(launch));
}

void HostEmitter::takePointer(Value pointer, SmallVectorImpl<int64_t> &positions) {
  pointers.insert(pointer);
  positions.push_back(llvm::find(pointers, pointer) - pointers.begin());
}

/// All numbers that the launch gets.
SmallVector<Value> HostEmitter::getNumbers(const CapturedLaunch &launch) {
  SmallVector<Value> numbers(launch.scalars);
  if (launch.condition)
    numbers.push_back(launch.condition);
  if (!launch.library)
    return numbers;
  llvm::append_range(numbers, launch.library->scalars);
  for (const ExternCall::View &view : launch.library->views)
    llvm::append_range(numbers, view.tensor.dims);
  return numbers;
}

void HostEmitter::beginSide(BranchSide &side) {
  side.firstLaunch = launches.size();
  side.firstPointer = pointers.size();
}

void HostEmitter::endSide(BranchSide &side) {
  side.end = builder.saveInsertionPoint();
  side.lastLaunch = launches.size();
  side.lastPointer = pointers.size();
}

void HostEmitter::leaveSide(BranchSide &side, BranchSide &other, Value condition, Block *after,
                            const DenseSet<Block *> &outside) {
  DenseMap<Value, Value> words;
  auto leave = [&](Value &value) {
    Operation *op = value.getDefiningOp();
    if (outside.contains(value.getParentBlock()))
      return;
    Value &word = words[value];
    if (!word && op && op->hasTrait<OpTrait::ConstantLike>()) {
      builder.setInsertionPointToStart(after);
      word = builder.clone(*op)->getResult(0);
    } else if (!word) {
      word = after->addArgument(value.getType(), loc);
      side.words.push_back(value);
      builder.restoreInsertionPoint(other.end);
      other.words.push_back(isa<LLVM::LLVMPointerType>(value.getType())
                                ? Value(LLVM::ZeroOp::create(builder, loc, value.getType()))
                                : Value(arith::ConstantOp::create(builder, loc, builder.getZeroAttr(value.getType()))));
      other.end = builder.saveInsertionPoint();
    }
    value = word;
  };
  SmallVector<Value> addresses = pointers.takeVector();
  for (Value &address : MutableArrayRef(addresses).slice(side.firstPointer, side.lastPointer - side.firstPointer))
    leave(address);
  pointers.insert_range(addresses);
  for (CapturedLaunch &launch : MutableArrayRef(launches).slice(side.firstLaunch, side.lastLaunch - side.firstLaunch)) {
    llvm::for_each(launch.scalars, leave);
    if (launch.library) {
      llvm::for_each(launch.library->scalars, leave);
      for (ExternCall::View &view : launch.library->views) {
        leave(view.tensor.data);
        llvm::for_each(view.tensor.dims, leave);
      }
    }
    if (!launch.condition) {
      launch.condition = condition;
      continue;
    }
    // Of a branch in a branch.
    leave(launch.condition);
    builder.setInsertionPointToEnd(after);
    launch.condition = arith::AndIOp::create(builder, loc, condition, launch.condition);
  }
}

/// The op gives the same for the same operands, and looks at nothing else.
static bool isArithmetic(Operation *op) {
  if (isa<LLVM::ExtractValueOp, LLVM::SAddWithOverflowOp, LLVM::SSubWithOverflowOp, LLVM::SMulWithOverflowOp>(op))
    return true;
  return op->getNumRegions() == 0 && isa<arith::ArithDialect>(op->getDialect()) && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperandTypes(), [](Type type) { return type.isIntOrIndex(); });
}

/// What the scalars of the launches begin with, as i64.
void HostEmitter::findKey(SmallVectorImpl<Value> &key) {
  llvm::SetVector<Value> found;
  DenseSet<Value> seen;
  for (const CapturedLaunch &launch : launches) {
    SmallVector<Value> pending = getNumbers(launch);
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      Operation *op = value.getDefiningOp();
      if (op && isArithmetic(op))
        llvm::append_range(pending, op->getOperands());
      else
        found.insert(value);
    }
  }
  // What does not fit a word is not looked behind.
  auto fits = [](Value value) {
    return value.getType().isIndex() || (value.getType().isInteger() && value.getType().getIntOrFloatBitWidth() <= 64);
  };
  if (!llvm::all_of(found, fits)) {
    found.clear();
    for (const CapturedLaunch &launch : launches)
      found.insert_range(getNumbers(launch));
  }
  for (Value value : found) {
    bool isNarrow = value.getType().isInteger() && !value.getType().isInteger(64);
    key.push_back(isNarrow ? Value(arith::ExtUIOp::create(builder, loc, i64, value)) : toI64(value));
  }
}

FailureOr<Operation *> HostEmitter::emitCaptureRegion(Operation *first) {
  std::optional<int64_t> region = getRegion(first);
  if (!region)
    return first->emitOpError("has the attribute '") << kCaptureAttrName << "', which is not an integer";
  Operation *last = first;
  for (Operation *op = first; op; op = op->getNextNode())
    if (getRegion(op) == region)
      last = op;

  launches.clear();
  pointers.clear();
  isCollecting = true;
  for (Operation *op = first; op != last->getNextNode(); op = op->getNextNode()) {
    loc = op->getLoc();
    bool isLaunch = getRegion(op) == region;
    if (isLaunch ? !isCapturable(op, tables.getSymbols()) : !mayPrecedeLaunches(op))
      return op->emitOpError("cannot be in region ") << *region << " of launches that are recorded";
    if (failed(emitOp(op)))
      return failure();
  }
  isCollecting = false;

  SmallVector<Value> key;
  findKey(key);
  Value table = getScratch(Scratch::Pointers, pointers.size()), keys = getScratch(Scratch::Key, key.size());
  for (auto [index, pointer] : llvm::enumerate(pointers))
    storeElement(pointer, table, index);
  for (auto [index, value] : llvm::enumerate(key))
    storeElement(value, keys, index);
  Value done = callRuntimeFor(
      i64, 11, {constant(tables.addRegion()), keys, constant(key.size()), table, constant(pointers.size())});
  Value isDone = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, done, constant(0));
  Block *record = createBlock({}), *after = createBlock({});
  cf::CondBranchOp::create(builder, loc, isDone, after, record);
  builder.setInsertionPointToStart(record);
  for (const CapturedLaunch &launch : launches) {
    loc = launch.loc;
    Block *next = launch.condition ? createBlock({}) : nullptr;
    if (next) {
      Block *taken = createBlock({});
      cf::CondBranchOp::create(builder, loc, launch.condition, taken, next);
      builder.setInsertionPointToStart(taken);
    }
    Value buffers = getScratch(Scratch::Buffers, launch.buffers.size());
    for (auto [index, position] : llvm::enumerate(launch.buffers))
      storeElement(constant(position), buffers, index);
    if (launch.library) {
      Value views = storeExternCall(*launch.library);
      int64_t numScalars = launch.library->scalars.size();
      callRuntime(14, {constant(launch.library->function), buffers, views, constant(launch.buffers.size()),
                       getScratch(Scratch::Scalars, numScalars), constant(numScalars)});
    } else {
      int64_t numScalars = storeScalars(launch.scalars);
      callRuntime(12, {constant(launch.kernel), buffers, constant(launch.buffers.size()),
                       getScratch(Scratch::Scalars, numScalars), constant(numScalars)});
    }
    if (next) {
      cf::BranchOp::create(builder, loc, next);
      builder.setInsertionPointToStart(next);
    }
  }
  callRuntime(13, {});
  cf::BranchOp::create(builder, loc, after);
  builder.setInsertionPointToStart(after);
  return last;
}
