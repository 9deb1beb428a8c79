//===- IR.cpp - Operations and values of the C API ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect-c/IR.h"
#include "Impl.h"
#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <atomic>

using namespace mlir;
using namespace relax_capi;

/// The file name of inserted text, whose operations take the place of what they are inserted before.
static constexpr StringLiteral kInserted = "<inserted>";

namespace {

/// What handles of one operation share. Without an operation when that is gone.
struct Entry {
  Operation *op = nullptr;
  relax_module *module = nullptr;
  uint64_t id = 0;
};

} // namespace

/// The operations that handles know. Everything that erases operations goes through a rewriter with this listener.
struct relax_capi::View final : RewriterBase::Listener {
  ~View() override {
    for (auto &[op, state] : states)
      state->op = nullptr;
  }
  void notifyOperationErased(Operation *op) override {
    auto known = states.find(op);
    if (known == states.end())
      return;
    known->second->op = nullptr;
    states.erase(known);
  }
  DenseMap<Operation *, std::shared_ptr<Entry>> states;
};

struct relax_op {
  relax_context *context;
  std::shared_ptr<Entry> state;
};

/// A result of `owner`, or an argument of a block inside it.
struct relax_value {
  relax_context *context;
  std::shared_ptr<Entry> owner;
  Value value;
};

static relax_op *makeOp(relax_module *module, Operation *op) {
  static std::atomic<uint64_t> count = 0;
  if (!module->view)
    module->view = std::make_shared<View>();
  std::shared_ptr<Entry> &state = module->view->states[op];
  if (!state) {
    state = std::make_shared<Entry>();
    *state = {op, module, ++count};
  }
  return new relax_op{module->owner, state};
}

static relax_value *makeValue(relax_module *module, Value value) {
  Operation *owner = value.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(value))
    owner = argument.getOwner()->getParentOp();
  std::unique_ptr<relax_op> op(makeOp(module, owner));
  return new relax_value{module->owner, op->state, value};
}

/// Runs `fn` on the operation of a handle, under the context's lock.
template <typename Handle, typename Fn>
static relax_status withState(const Handle *handle, std::shared_ptr<Entry> Handle::*member, Fn fn) {
  if (!handle)
    return Call().fail(RELAX_INVALID_ARGUMENT, "a handle is NULL");
  std::unique_lock<std::recursive_mutex> lock(handle->context->mutex);
  Entry &state = *(handle->*member);
  if (!state.op)
    return Call().fail(RELAX_INVALID_ARGUMENT, "the operation is not there any more: it was erased, or a pipeline has "
                                               "run on the module since");
  Call call(handle->context, state.module);
  return call.isReady() ? fn(call, state) : RELAX_INVALID_ARGUMENT;
}

template <typename Fn> static relax_status withOp(const relax_op *op, Fn fn) {
  return withState(op, &relax_op::state, fn);
}

template <typename Fn> static relax_status withValue(const relax_value *value, Fn fn) {
  return withState(value, &relax_value::owner, fn);
}

template <typename T> static std::string toText(const T &object) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  object.print(stream);
  return text;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

relax_status relax_module_walk(relax_module *module, const char *name, relax_op_fn fn, void *user) {
  if (!module || !fn)
    return Call().fail(RELAX_INVALID_ARGUMENT, "module or fn is NULL");
  SmallVector<relax_op *> ops;
  {
    Call call(module->owner, module);
    if (!call.isReady())
      return RELAX_INVALID_ARGUMENT;
    if (!module->isValid)
      return call.fail(RELAX_INVALID_MODULE, "an earlier pipeline left an invalid module");
    (*module->module)->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!name || op->getName().getStringRef() == name)
        ops.push_back(makeOp(module, op));
    });
  }
  for (relax_op *op : ops)
    fn(user, op);
  return RELAX_OK;
}

void relax_op_destroy(relax_op *op) {
  if (!op)
    return;
  std::unique_lock<std::recursive_mutex> lock(op->context->mutex);
  op->state.reset();
  lock.unlock();
  delete op;
}

bool relax_op_is_alive(const relax_op *op) {
  if (!op)
    return false;
  std::unique_lock<std::recursive_mutex> lock(op->context->mutex);
  return op->state->op;
}

uint64_t relax_op_id(const relax_op *op) { return op ? op->state->id : 0; }

relax_status relax_op_name(const relax_op *op, relax_bytes_fn fn, void *user) {
  return withOp(op, [&](Call &, Entry &state) {
    deliver(fn, user, state.op->getName().getStringRef());
    return RELAX_OK;
  });
}

relax_status relax_op_print(const relax_op *op, relax_bytes_fn fn, void *user) {
  return withOp(op, [&](Call &, Entry &state) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    state.op->print(stream, OpPrintingFlags().useLocalScope());
    deliver(fn, user, text);
    return RELAX_OK;
  });
}

relax_status relax_op_location(const relax_op *op, relax_bytes_fn fn, void *user, int64_t *out_line,
                               int64_t *out_column) {
  return withOp(op, [&](Call &, Entry &state) {
    FileLineColLoc place = findPlace(state.op->getLoc());
    deliver(fn, user, place ? place.getFilename().getValue() : StringRef());
    if (out_line)
      *out_line = place ? place.getLine() : 0;
    if (out_column)
      *out_column = place ? place.getColumn() : 0;
    return RELAX_OK;
  });
}

relax_status relax_op_parent(const relax_op *op, relax_op **out_parent) {
  if (!out_parent)
    return Call().fail(RELAX_INVALID_ARGUMENT, "out_parent is NULL");
  *out_parent = nullptr;
  return withOp(op, [&](Call &, Entry &state) {
    if (Operation *parent = state.op->getParentOp())
      *out_parent = makeOp(state.module, parent);
    return RELAX_OK;
  });
}

/// Makes all handles before the first is handed out: the caller may change the module.
static relax_status deliverValues(Entry &state, ValueRange values, relax_value_fn fn, void *user) {
  SmallVector<relax_value *> handles;
  for (Value value : values)
    handles.push_back(makeValue(state.module, value));
  for (relax_value *handle : handles)
    fn(user, handle);
  return RELAX_OK;
}

relax_status relax_op_operands(const relax_op *op, relax_value_fn fn, void *user) {
  if (!fn)
    return Call().fail(RELAX_INVALID_ARGUMENT, "fn is NULL");
  return withOp(op, [&](Call &, Entry &state) { return deliverValues(state, state.op->getOperands(), fn, user); });
}

relax_status relax_op_results(const relax_op *op, relax_value_fn fn, void *user) {
  if (!fn)
    return Call().fail(RELAX_INVALID_ARGUMENT, "fn is NULL");
  return withOp(op, [&](Call &, Entry &state) { return deliverValues(state, state.op->getResults(), fn, user); });
}

relax_status relax_op_attributes(const relax_op *op, relax_bytes_fn fn, void *user) {
  return withOp(op, [&](Call &, Entry &state) {
    for (NamedAttribute attribute : state.op->getAttrDictionary()) {
      deliver(fn, user, attribute.getName());
      deliver(fn, user, toText(attribute.getValue()));
    }
    return RELAX_OK;
  });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void relax_value_destroy(relax_value *value) {
  if (!value)
    return;
  std::unique_lock<std::recursive_mutex> lock(value->context->mutex);
  value->owner.reset();
  lock.unlock();
  delete value;
}

bool relax_value_equal(const relax_value *a, const relax_value *b) {
  if (!a || !b || a->context != b->context)
    return false;
  std::unique_lock<std::recursive_mutex> lock(a->context->mutex);
  return a->owner->op && a->owner == b->owner && a->value == b->value;
}

relax_status relax_value_type(const relax_value *value, relax_bytes_fn fn, void *user) {
  return withValue(value, [&](Call &, Entry &) {
    deliver(fn, user, toText(value->value.getType()));
    return RELAX_OK;
  });
}

relax_status relax_value_shape(const relax_value *value, relax_bytes_fn fn, void *user) {
  return withValue(value, [&](Call &, Entry &) {
    auto type = dyn_cast<RankedTensorType>(value->value.getType());
    if (!type)
      return RELAX_OK;
    deliver(fn, user, toText(type.getElementType()));
    for (relax::sym::SymExpr dim : relax::sym::getSymbolicDims(type))
      deliver(fn, user, dim ? dim.str() : "?");
    return RELAX_OK;
  });
}

relax_status relax_value_owner(const relax_value *value, relax_op **out_owner, int64_t *out_index) {
  if (!out_owner)
    return Call().fail(RELAX_INVALID_ARGUMENT, "out_owner is NULL");
  *out_owner = nullptr;
  return withValue(value, [&](Call &, Entry &state) {
    auto argument = dyn_cast<BlockArgument>(value->value);
    if (!argument)
      *out_owner = makeOp(state.module, state.op);
    if (out_index)
      *out_index = argument ? argument.getArgNumber() : cast<OpResult>(value->value).getResultNumber();
    return RELAX_OK;
  });
}

relax_status relax_value_users(const relax_value *value, relax_op_fn fn, void *user) {
  if (!fn)
    return Call().fail(RELAX_INVALID_ARGUMENT, "fn is NULL");
  return withValue(value, [&](Call &, Entry &state) {
    llvm::SetVector<Operation *> users(value->value.user_begin(), value->value.user_end());
    SmallVector<relax_op *> handles;
    for (Operation *one : llvm::reverse(users)) // uses are listed last first
      handles.push_back(makeOp(state.module, one));
    for (relax_op *handle : handles)
      fn(user, handle);
    return RELAX_OK;
  });
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

/// The module is not known to be valid any more, and what was derived from it is old.
static void markChanged(Entry &state) {
  state.module->isChanged = true;
  state.module->functions.reset();
}

/// The values of handles; fails for those that are gone, of another module, or made by `op` itself.
static FailureOr<SmallVector<Value>> getValues(Call &call, Entry &state, const relax_value *const *handles,
                                               int64_t count) {
  SmallVector<Value> values;
  for (int64_t i = 0; i < count; ++i) {
    const relax_value *handle = handles ? handles[i] : nullptr;
    if (!handle || handle->context != state.module->owner || !handle->owner->op ||
        handle->owner->module != state.module) {
      (void)call.fail(RELAX_INVALID_ARGUMENT, "value " + Twine(i) + " is not there in this module");
      return failure();
    }
    if (Operation *owner = handle->owner->op;
        state.op->isProperAncestor(owner) || (owner == state.op && !isa<BlockArgument>(handle->value))) {
      (void)call.fail(RELAX_INVALID_ARGUMENT, "value " + Twine(i) + " is made by the operation itself");
      return failure();
    }
    values.push_back(handle->value);
  }
  return values;
}

/// Fails where the types are not those that are expected.
static LogicalResult checkTypes(Call &call, StringRef what, TypeRange expected, ValueRange values) {
  if (expected.size() != values.size()) {
    (void)call.fail(RELAX_INVALID_ARGUMENT,
                    "expected " + Twine(expected.size()) + " values, actual " + Twine(values.size()));
    return failure();
  }
  for (auto [index, type, value] : llvm::enumerate(expected, values))
    if (type != value.getType()) {
      (void)call.fail(RELAX_INVALID_ARGUMENT,
                      what + " " + Twine(index) + ": expected " + toText(type) + ", actual " + toText(value.getType()));
      return failure();
    }
  return success();
}

relax_status relax_op_set_attribute(relax_op *op, const char *name, const char *text) {
  if (!name || !*name)
    return Call().fail(RELAX_INVALID_ARGUMENT, "name is NULL or empty");
  return withOp(op, [&](Call &call, Entry &state) {
    Attribute attribute;
    if (text) {
      attribute = parseAttribute(text, state.op->getContext());
      if (!attribute)
        return call.failWith(RELAX_INVALID_ARGUMENT, "the attribute cannot be read");
    }
    markChanged(state);
    StringAttr key = StringAttr::get(state.op->getContext(), name);
    std::optional<Attribute> inherent = state.op->getInherentAttr(name);
    auto properties = dyn_cast_or_null<DictionaryAttr>(state.op->getPropertiesAsAttribute());
    if (!inherent || !properties) {
      if (attribute)
        state.op->setAttr(key, attribute);
      else
        state.op->removeAttr(key);
      return RELAX_OK;
    }
    // Through the conversion of all properties, which reports what it cannot hold.
    NamedAttrList all(properties);
    if (attribute)
      all.set(key, attribute);
    else
      all.erase(key);
    auto error = [&] { return emitError(state.op->getLoc()); };
    if (failed(state.op->getName().verifyInherentAttrs(all, error)) ||
        failed(state.op->setPropertiesFromAttribute(all.getDictionary(state.op->getContext()), error))) {
      (void)state.op->setPropertiesFromAttribute(properties, error);
      return call.failWith(RELAX_INVALID_ARGUMENT, "the operation cannot hold this attribute");
    }
    return RELAX_OK;
  });
}

relax_status relax_op_set_operand(relax_op *op, int64_t index, const relax_value *value) {
  return withOp(op, [&](Call &call, Entry &state) {
    if (index < 0 || index >= static_cast<int64_t>(state.op->getNumOperands()))
      return call.fail(RELAX_INVALID_ARGUMENT, "there is no operand " + Twine(index));
    FailureOr<SmallVector<Value>> values = getValues(call, state, &value, 1);
    auto number = static_cast<unsigned>(index);
    if (failed(values) || failed(checkTypes(call, "value", state.op->getOperand(number).getType(), *values)))
      return RELAX_INVALID_ARGUMENT;
    markChanged(state);
    state.op->setOperand(number, values->front());
    return RELAX_OK;
  });
}

/// The only function of a text; its operations are verified one by one, what they refer to is in another module. It
/// knows the symbols of the function around `place`, if it does not say which it knows.
static func::FuncOp findFunction(Call &call, ModuleOp module, Operation *place) {
  auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
  if (functions.size() != 1 || llvm::range_size(module.getOps()) != 1 ||
      !llvm::hasSingleElement(functions.front().getBody()) || functions.front().getBody().front().empty() ||
      !isa<func::ReturnOp>(functions.front().getBody().back().back())) {
    (void)call.fail(RELAX_INVALID_ARGUMENT, "expected one function with one block");
    return {};
  }
  Operation *around = place->getParentOfType<func::FuncOp>();
  if (Attribute scope = around ? around->getAttr(relax::sym::kScopeAttrName) : Attribute();
      scope && !functions.front()->hasAttr(relax::sym::kScopeAttrName))
    functions.front()->setAttr(relax::sym::kScopeAttrName, scope);
  for (Operation &op : functions.front().getBody().front().without_terminator())
    if (failed(verify(&op))) {
      (void)call.failWith(RELAX_INVALID_ARGUMENT, "an operation is not valid");
      return {};
    }
  return functions.front();
}

relax_status relax_op_insert(relax_op *op, const char *text, const relax_value *const *values, int64_t num_values,
                             relax_value_fn fn, void *user) {
  if (!text)
    return Call().fail(RELAX_INVALID_ARGUMENT, "text is NULL");
  return withOp(op, [&](Call &call, Entry &state) {
    if (!state.op->getBlock())
      return call.fail(RELAX_INVALID_ARGUMENT, "nothing can be inserted before the module");
    FailureOr<SmallVector<Value>> operands = getValues(call, state, values, num_values);
    if (failed(operands))
      return RELAX_INVALID_ARGUMENT;
    MLIRContext *context = state.op->getContext();
    OwningOpRef<ModuleOp> parsed =
        parseSourceString<ModuleOp>(text, ParserConfig(context, /*verifyAfterParse=*/false), kInserted);
    if (!parsed)
      return call.failWith(RELAX_INVALID_ARGUMENT, "the text cannot be read");
    func::FuncOp function = findFunction(call, *parsed, state.op);
    if (!function || failed(checkTypes(call, "argument", function.getBody().getArgumentTypes(), *operands)))
      return RELAX_INVALID_ARGUMENT;
    Location place = state.op->getLoc();
    function->walk([&](Operation *inner) {
      FileLineColLoc own = findPlace(inner->getLoc());
      bool isOwn = own && own.getFilename() != kInserted;
      inner->setLoc(isOwn ? FusedLoc::get(context, {place, inner->getLoc()}) : place);
    });
    markChanged(state);
    OpBuilder builder(state.op);
    IRMapping mapping;
    mapping.map(function.getBody().getArguments(), *operands);
    for (Operation &inner : function.getBody().front().without_terminator())
      builder.clone(inner, mapping);
    SmallVector<Value> results;
    for (Value result : function.getBody().back().back().getOperands())
      results.push_back(mapping.lookup(result));
    return fn ? deliverValues(state, results, fn, user) : RELAX_OK;
  });
}

relax_status relax_op_replace(relax_op *op, const relax_value *const *values, int64_t num_values) {
  return withOp(op, [&](Call &call, Entry &state) {
    if (!state.op->getBlock() || state.op->hasTrait<OpTrait::IsTerminator>())
      return call.fail(RELAX_INVALID_ARGUMENT, "a module and the end of a block cannot be replaced");
    FailureOr<SmallVector<Value>> replacements = getValues(call, state, values, num_values);
    if (failed(replacements) || failed(checkTypes(call, "result", state.op->getResultTypes(), *replacements)))
      return RELAX_INVALID_ARGUMENT;
    markChanged(state);
    IRRewriter rewriter(state.op->getContext(), state.module->view.get());
    rewriter.replaceOp(state.op, *replacements);
    return RELAX_OK;
  });
}

relax_status relax_op_erase(relax_op *op) {
  return withOp(op, [&](Call &call, Entry &state) {
    if (!state.op->getBlock() || state.op->hasTrait<OpTrait::IsTerminator>())
      return call.fail(RELAX_INVALID_ARGUMENT, "a module and the end of a block cannot be erased");
    if (!state.op->use_empty())
      return call.fail(RELAX_INVALID_ARGUMENT, "the operation has results that are used");
    markChanged(state);
    IRRewriter rewriter(state.op->getContext(), state.module->view.get());
    rewriter.eraseOp(state.op);
    return RELAX_OK;
  });
}
