//===- FuseOps.cpp - Groups of calls --------------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A group grows from its last call upwards. Calls are visited from the end of a
// block, so that all users of a result have their groups when it is visited; it
// joins when they all are in one. By construction only the last call's results
// are used outside of a group, and no value leaves a group and comes back.
//
// A group shares loops in one of two ways: loops of a call merge with those of
// its reader, or all calls finish one row before the next (softmax).
//
//===----------------------------------------------------------------------===//

#include "CallExtents.h"
#include "CastsAboveCalls.h"
#include "FuseGroup.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/LoopClasses.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/PatternKinds.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/RowMajor.h"
#include "RelaxDialect/Transforms/Passes.h"
#include "TensorAliases.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "relax-fuse-ops"

using namespace mlir;
using namespace mlir::relax;
using tp::PatternKind;

namespace mlir::relax {
#define GEN_PASS_DEF_FUSEOPSPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

namespace {
/// Calls that become one program. Members are in block order from the last to the first.
struct Group {
  SmallVector<graph::CallTPOp> members;
  /// The member that reduces or contracts; only a group that works row by row has several.
  graph::CallTPOp anchor;
  /// Members do not merge their loops but work on one row after the other.
  bool byRows = false;
  graph::CallTPOp root() { return members.front(); }
};

/// What is known about a call that may join a group.
struct Candidate {
  tp::ProgramOp program;
  PatternKind kind = PatternKind::Opaque;
  Group *group = nullptr;
  /// How the results of the group's last call depend on this call's result.
  PatternKind path = PatternKind::Elementwise;
  /// Of a call that moves elements which a contraction of the group then reads where they were: who reads them, and how
  /// its loops index the call's input.
  OpOperand *reader = nullptr;
  AffineMap reading = {};
  /// It reads at places that it computes, and may check them.
  bool gathers = false;
};

bool isHeavy(PatternKind kind) { return kind == PatternKind::Reduction || kind == PatternKind::Contraction; }

class BlockFuser {
public:
  BlockFuser(Block &block, SymbolTableCollection &symbols, unsigned maxOps, int64_t rowBytes)
      : block(block), symbols(symbols), maxOps(maxOps), rowBytes(rowBytes), scope(sym::getScope(block.getParentOp())),
        prover(block.getParentOp()->getContext(), scope) {}

  LogicalResult run() {
    moveCastsAboveCalls(block, symbols);
    for (Operation &op : block)
      if (auto call = dyn_cast<graph::CallTPOp>(op)) {
        readSources(call);
        if (failed(addCandidate(call)))
          return failure();
      }
    for (Operation &op : llvm::reverse(block))
      if (auto call = dyn_cast<graph::CallTPOp>(op); call && candidates.contains(call))
        join(call);
    for (Operation &op : llvm::reverse(block))
      if (auto call = dyn_cast<graph::CallTPOp>(op); call && candidates.contains(call) && candidates[call].gathers)
        joinGather(call);
    for (std::unique_ptr<Group> &group : groups)
      if (group->members.size() > 1)
        emit(*group);
    return success();
  }

private:
  void readSources(graph::CallTPOp call);
  LogicalResult addCandidate(graph::CallTPOp call);
  void join(graph::CallTPOp call);
  void joinGather(graph::CallTPOp call);
  Group *getCommonGroup(graph::CallTPOp call);
  bool canJoin(graph::CallTPOp call, Candidate &candidate, Group &group);
  void tellNotJoined(graph::CallTPOp call, Candidate &candidate, Group *group);
  bool joinsAsMove(graph::CallTPOp call, Candidate &candidate);
  bool canJoinRows(graph::CallTPOp call, Candidate &candidate, Group &group);
  unsigned getRowRank(graph::CallTPOp call, Group &group);
  bool isRowSmall(graph::CallTPOp call, unsigned rank, int64_t &bytes);
  void leaveViewsOutside(Group &group);
  void emit(Group &group);

  Block &block;
  SymbolTableCollection &symbols;
  const unsigned maxOps;
  const int64_t rowBytes;
  const sym::ScopeAttr scope;
  sym::Prover prover;
  llvm::MapVector<Operation *, Candidate> candidates;
  SmallVector<std::unique_ptr<Group>> groups;
};
} // namespace

static PatternKind getPatternKind(tp::ProgramOp program) {
  if (auto attr = program->getAttrOfType<StringAttr>(tp::kPatternKindAttrName))
    if (std::optional<PatternKind> kind = tp::symbolizePatternKind(attr))
      return *kind;
  return tp::computePatternKind(program);
}

/// The loops that compute the only out, so that they can be merged with those of a reader.
static bool endsInLoops(tp::ProgramOp program) {
  auto last = program.getYield().getOperand(0).getDefiningOp<linalg::LinalgOp>();
  return last && !isa<linalg::FillOp>(last);
}

/// Gives the results of a call the types that follow from its operands; other users read them under the old ones.
/// False, and nothing is changed, when these are not proved to be the same.
static bool renameResults(graph::CallTPOp call, sym::TensorProgramInterface program,
                          const graph::CallUnification &unification, sym::Prover &prover) {
  SmallVector<Type> types = graph::inferProgramCallTypes(program, unification.mapping, call->getNumResults());
  for (auto [type, result] : llvm::zip_equal(types, call->getResults()))
    for (auto [a, b] : llvm::zip(sym::getSymbolicDims(type), sym::getSymbolicDims(result.getType())))
      if (a != b && (!a || !b || prover.isEqual(a, b) != sym::Verdict::True))
        return false;
  OpBuilder builder(call->getContext());
  builder.setInsertionPointAfter(call);
  for (auto [type, result] : llvm::zip_equal(types, call->getResults())) {
    Type old = result.getType();
    if (type == old || !isa<RankedTensorType>(old))
      continue;
    result.setType(cast<RankedTensorType>(type).clone(getElementTypeOrSelf(old)));
    auto refined = graph::RefineOp::create(builder, call.getLoc(), old, result);
    result.replaceAllUsesExcept(refined, refined);
  }
  return true;
}

/// What another call made under a name with extents that were proved equal (`relax.refine`) is read under its own name,
/// where the facts prove the call's extents as well, so that names do not keep calls apart.
void BlockFuser::readSources(graph::CallTPOp call) {
  if (!call.getDestinations().empty())
    return;
  auto program = symbols.lookupNearestSymbolFrom<sym::TensorProgramInterface>(call, call.getCalleeAttr());
  for (OpOperand &input : graph::ProgramCallOpInterface(call).getProgramInputsMutable()) {
    Value named = input.get();
    if (!program || !named.getDefiningOp<graph::RefineOp>())
      continue;
    Value source = named;
    while (source.getDefiningOp<graph::RefineOp>())
      source = getAliasSource(source, Through::Names);
    auto maker = source.getDefiningOp<graph::CallTPOp>();
    if (!maker || maker->getBlock() != &block)
      continue;
    input.set(source);
    ScopedDiagnosticHandler quiet(call.getContext(), [](Diagnostic &) { return success(); });
    FailureOr<graph::CallUnification> unification = graph::unifyProgramCall(call, program, scope);
    if (failed(unification) || !unification->isProved() || !renameResults(call, program, *unification, prover)) {
      input.set(named);
      continue;
    }
    if (named.use_empty())
      named.getDefiningOp()->erase();
  }
}

/// A call whose extents are proved and whose program is understood. Fails only when a call can never succeed.
LogicalResult BlockFuser::addCandidate(graph::CallTPOp call) {
  if (!call.getDestinations().empty() || call->getNumResults() != 1)
    return success();
  auto program = symbols.lookupNearestSymbolFrom<tp::ProgramOp>(call, call.getCalleeAttr());
  if (!program || program.isBufferForm() || program.getNumOuts() != 1 || program.getNumExtents() != 0)
    return success();
  PatternKind kind = getPatternKind(program);
  if (kind == PatternKind::Opaque)
    return success();
  FailureOr<graph::CallUnification> unification =
      graph::unifyProgramCall(call, cast<sym::TensorProgramInterface>(program.getOperation()), scope);
  if (failed(unification))
    return failure();
  auto isKnown = [](Value value) {
    return llvm::none_of(sym::getSymbolicDims(value.getType()), [](sym::SymExpr dim) { return !dim; });
  };
  if (!unification->isProved() || !llvm::all_of(call->getOperands(), isKnown) || !isKnown(call->getResult(0)) ||
      !haveProvedDivisors(call->getResultTypes(), prover))
    return success();
  Candidate &candidate = candidates[call];
  candidate.program = program;
  candidate.kind = kind;
  candidate.gathers = tp::isGather(program);
  return success();
}

/// The group of every user, null when they are in several or one of them is no candidate.
Group *BlockFuser::getCommonGroup(graph::CallTPOp call) {
  Group *group = nullptr;
  for (Operation *user : call->getUsers()) {
    auto *it = candidates.find(user);
    if (it == candidates.end() || !it->second.group || (group && group != it->second.group))
      return nullptr;
    group = it->second.group;
  }
  return group;
}

/// Says why a call that other candidates read begins a group of its own.
void BlockFuser::tellNotJoined(graph::CallTPOp call, Candidate &candidate, Group *group) {
  if (llvm::none_of(call->getUsers(), [&](Operation *user) { return candidates.contains(user); }))
    return;
  StringRef reason = "its readers would compute it more often, or read it in another order";
  if (!group)
    reason = "its readers are in several groups, or one of them is in none";
  else if (group->members.size() >= maxOps)
    reason = "the group of its readers is full";
  else if (candidate.gathers)
    reason = "it reads at computed places, and its readers do more than little work on each of its elements";
  else if (isHeavy(candidate.kind) && group->anchor)
    reason = "the group of its readers has a product or a reduction already";
  remark::missed(call.getLoc(), remark::RemarkOpts::name("NotGrouped").category(DEBUG_TYPE))
      << ("@" + call.getCallee() + " has a kernel of its own: " + reason).str();
}

void BlockFuser::join(graph::CallTPOp call) {
  Candidate &candidate = candidates[call];
  Group *group = getCommonGroup(call);
  if (!group || candidate.gathers || (!canJoin(call, candidate, *group) && !canJoinRows(call, candidate, *group))) {
    if (!candidate.gathers)
      tellNotJoined(call, candidate, group);
    candidate.path = PatternKind::Elementwise;
    group = groups.emplace_back(std::make_unique<Group>()).get();
  }
  group->members.push_back(call);
  candidate.group = group;
  if (isHeavy(candidate.kind))
    group->anchor = call;
}

/// What gathers joins when all other groups are made, so that it keeps nothing else out of them. Each element is
/// computed once, as its check has to be made, by readers that cost little: loops with conditions run without vector
/// lanes.
void BlockFuser::joinGather(graph::CallTPOp call) {
  Candidate &candidate = candidates[call];
  Group *own = candidate.group, *group = getCommonGroup(call);
  bool canMerge = group && group != own && !group->anchor && !own->anchor && !own->byRows &&
                  group->members.size() + own->members.size() <= maxOps && canJoin(call, candidate, *group) &&
                  candidate.path == PatternKind::Elementwise &&
                  llvm::none_of(group->members,
                                [&](graph::CallTPOp member) { return tp::isExpensive(candidates[member].program); });
  if (!canMerge) {
    candidate.path = PatternKind::Elementwise;
    return tellNotJoined(call, candidate, group);
  }
  for (graph::CallTPOp member : own->members)
    candidates[member].group = group;
  group->members.append(own->members);
  own->members.clear();
  llvm::sort(group->members, [](graph::CallTPOp a, graph::CallTPOp b) { return b->isBeforeInBlock(a); });
}

/// True when the loops of `call` would merge with those of the group and nothing expensive would run more often.
bool BlockFuser::canJoin(graph::CallTPOp call, Candidate &candidate, Group &group) {
  bool isMove = tp::onlyMoves(candidate.program);
  if (group.members.size() >= maxOps || group.byRows || (!isMove && !endsInLoops(candidate.program)))
    return false;
  PatternKind path = PatternKind::Elementwise;
  unsigned uses = 0;
  for (OpOperand &use : call->getUses()) {
    Candidate &user = candidates[use.getOwner()];
    if (use.getOperandNumber() >= user.program.getNumInputs())
      return false;
    tp::ArgumentUse argument = tp::computeArgumentUse(user.program, use.getOperandNumber());
    path = std::max({path, argument.kind, user.path});
    uses += argument.count;
    // The loops of a reduction or a product are no place for checks.
    if (user.gathers && isHeavy(candidate.kind))
      return false;
  }
  // Several loops that read the result at different places cannot all merge with the one that makes it.
  bool canRepeat = path <= PatternKind::Injective && isMove;
  if (uses != 1 && path != PatternKind::Elementwise && !canRepeat)
    return false;
  candidate.path = path;

  if (isHeavy(candidate.kind)) {
    // The epilogue works in place on the result, so it must have the same elements.
    return !group.anchor && path == PatternKind::Elementwise &&
           getElementTypeOrSelf(call->getResult(0)) == getElementTypeOrSelf(group.root()->getResult(0));
  }
  switch (path) {
  case PatternKind::Elementwise:
  case PatternKind::Injective:
  case PatternKind::Reduction:
    return true;
  case PatternKind::Broadcast:
    return !tp::isExpensive(candidate.program);
  case PatternKind::Contraction:
    return tp::isSelection(candidate.program) || joinsAsMove(call, candidate);
  case PatternKind::Opaque:
    return false;
  }
  return false;
}

/// The operand of the only contraction in `program` that is input `input` itself.
static OpOperand *findReader(tp::ProgramOp program, unsigned input) {
  OpOperand *reader = nullptr;
  for (OpOperand &use : program.getBody().getArgument(input).getUses()) {
    if (isa<tensor::DimOp>(use.getOwner()))
      continue;
    auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (reader || !op || !op.isDpsInput(&use) || op.getNumReductionLoops() == 0)
      return nullptr;
    reader = &use;
  }
  return reader;
}

/// True when `call` moves or widens elements for a contraction of the group that can read them where they were, in long
/// steps.
bool BlockFuser::joinsAsMove(graph::CallTPOp call, Candidate &candidate) {
  std::optional<AffineMap> move = tp::getWideningMove(candidate.program);
  if (!move || !call->hasOneUse())
    return false;
  OpOperand &use = *call->use_begin();
  Candidate &user = candidates[use.getOwner()];
  OpOperand *reader = user.reader ? user.reader : findReader(user.program, use.getOperandNumber());
  if (!reader)
    return false;
  auto contraction = cast<linalg::LinalgOp>(reader->getOwner());
  AffineMap reading = move->compose(user.reader ? user.reading : contraction.getMatchingIndexingMap(reader));
  if (!tp::readsInStep(contraction, reader, reading,
                       cast<RankedTensorType>(candidate.program.getInputs()[0].getType())))
    return false;
  candidate.reader = reader;
  candidate.reading = reading;
  return true;
}

/// How many leading dimensions of all results in the group and of `call`'s count rows: each member computes a row from
/// the same row of other members.
unsigned BlockFuser::getRowRank(graph::CallTPOp call, Group &group) {
  auto isInside = [&](Value value) {
    return value.getDefiningOp() == call || llvm::is_contained(group.members, value.getDefiningOp());
  };
  unsigned rank = ~0u;
  for (graph::CallTPOp member : llvm::concat<graph::CallTPOp>(group.members, MutableArrayRef(call))) {
    tp::ProgramOp program = candidates[member].program;
    rank = std::min(rank, tp::computeRowRank(program, std::nullopt));
    for (auto [index, input] : llvm::enumerate(member.getInputs()))
      if (rank != 0 && isInside(input))
        rank = std::min(rank, tp::computeRowRank(program, index));
  }
  return rank;
}

/// A row of the call's result is short, or is overwritten on the way to the group's result: its last reader walks it as
/// it computes.
bool BlockFuser::isRowSmall(graph::CallTPOp call, unsigned rank, int64_t &bytes) {
  auto type = cast<RankedTensorType>(call->getResult(0).getType());
  ArrayRef<int64_t> row = type.getShape().drop_front(rank);
  if (!llvm::any_of(row, ShapedType::isDynamic)) {
    int64_t size = llvm::divideCeil(cast<RankedTensorType>(sym::getProgramType(type)).getElementTypeBitWidth(), 8);
    for (int64_t extent : row)
      if (llvm::MulOverflow(size, extent, size))
        return false;
    return !llvm::AddOverflow(bytes, size, bytes) && bytes <= rowBytes;
  }
  Operation *last = nullptr;
  for (Operation *user : call->getUsers())
    if (!last || last->isBeforeInBlock(user))
      last = user;
  tp::ProgramOp program = candidates[last].program;
  // Of two values of unknown size that end in the same call, one would need memory of its own.
  unsigned large = llvm::count_if(cast<graph::CallTPOp>(last).getInputs(), [&](Value input) {
    return input.getType() == type && candidates.contains(input.getDefiningOp());
  });
  auto operand = llvm::find(last->getOperands(), call->getResult(0));
  return large == 1 && last->getResult(0).getType() == type &&
         tp::computeArgumentUse(program, operand.getIndex()).kind == PatternKind::Elementwise;
}

/// True when the group and `call` can finish one row before the next, so that what they hand on stays in the cache.
bool BlockFuser::canJoinRows(graph::CallTPOp call, Candidate &candidate, Group &group) {
  auto isProduct = [](PatternKind kind) { return kind == PatternKind::Contraction || kind == PatternKind::Opaque; };
  if (rowBytes == 0 || group.members.size() >= maxOps || isProduct(candidate.kind) || !endsInLoops(candidate.program) ||
      llvm::any_of(group.members, [&](graph::CallTPOp member) { return isProduct(candidates[member].kind); }))
    return false;
  for (OpOperand &use : call->getUses())
    if (use.getOperandNumber() >= candidates[use.getOwner()].program.getNumInputs())
      return false;
  auto type = cast<RankedTensorType>(group.root()->getResult(0).getType());
  unsigned rank = std::min<unsigned>(getRowRank(call, group), type.getRank());
  // One row only would keep all but one thread from working.
  if (llvm::all_of(type.getShape().take_front(rank), [](int64_t extent) { return extent == 1; }))
    return false;
  int64_t bytes = 0;
  for (graph::CallTPOp member : llvm::concat<graph::CallTPOp>(group.members, MutableArrayRef(call)))
    if (member != group.root() && !isRowSmall(member, rank, bytes))
      return false;
  group.byRows = true;
  return true;
}

/// Operands of a member are defined above it, so they are defined above the last member too.
graph::FusionGroupOp relax::createGroup(ArrayRef<graph::CallTPOp> calls) {
  graph::CallTPOp root = calls.back();
  OpBuilder builder(root);
  auto locs = llvm::map_to_vector(calls, [](graph::CallTPOp call) { return call.getLoc(); });
  auto group = graph::FusionGroupOp::create(builder, builder.getFusedLoc(locs), root->getResultTypes());
  Block *body = builder.createBlock(&group.getBody());
  root->replaceAllUsesWith(group->getResults());
  for (graph::CallTPOp call : calls)
    call->moveBefore(body, body->end());
  builder.setInsertionPointToEnd(body);
  graph::YieldOp::create(builder, root.getLoc(), root->getResults());
  return group;
}

/// What only gives a tensor another shape costs nothing by itself: it stays outside where the group begins or ends with
/// it, and is a view there.
void BlockFuser::leaveViewsOutside(Group &group) {
  SmallVector<graph::CallTPOp> &members = group.members;
  auto isView = [&](graph::CallTPOp call) { return tp::isRowMajorCopy(candidates[call].program); };
  // All values in the group end in what its last call reads.
  while (!members.empty() && isView(members.front()))
    members.erase(members.begin());
  for (size_t index = members.size(); index-- > 0;) {
    auto isInside = [&](Value value) { return llvm::is_contained(members, value.getDefiningOp()); };
    if (isView(members[index]) && llvm::none_of(members[index].getInputs(), isInside))
      members.erase(members.begin() + index);
  }
}

void BlockFuser::emit(Group &group) {
  leaveViewsOutside(group);
  if (group.members.size() < 2)
    return;
  graph::FusionGroupOp fused = createGroup(llvm::to_vector(llvm::reverse(group.members)));
  remark::passed(fused.getLoc(), remark::RemarkOpts::name("Grouped").category(DEBUG_TYPE))
      << ("grouped " + Twine(group.members.size()) + " calls").str();
}

namespace {
struct FuseOpsPass final : relax::impl::FuseOpsPassBase<FuseOpsPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTableCollection symbols;
    SmallVector<Block *> blocks;
    getOperation().walk([&](func::FuncOp function) {
      function.walk([&](Block *block) {
        if (!isa<graph::FusionGroupOp>(block->getParentOp()))
          blocks.push_back(block);
      });
    });
    for (Block *block : blocks)
      if (failed(BlockFuser(*block, symbols, maxOps, rowBytes).run()))
        return signalPassFailure();
  }
};
} // namespace
