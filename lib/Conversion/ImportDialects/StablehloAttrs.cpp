//===- StablehloAttrs.cpp - Attributes and regions as text ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Stablehlo.h"

#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;

StringRef stablehlo::getText(Operation *op, StringRef name) {
  auto attribute = op->getAttrOfType<OpaqueAttr>(name);
  return attribute ? attribute.getAttrData() : StringRef();
}

/// What follows `key = `, where the key is a whole word.
static StringRef findKey(StringRef text, StringRef key) {
  for (size_t at = text.find(key); at != StringRef::npos; at = text.find(key, at + 1)) {
    StringRef rest = text.drop_front(at + key.size()).ltrim();
    bool isWord = at == 0 || !(llvm::isAlnum(text[at - 1]) || text[at - 1] == '_');
    if (isWord && rest.consume_front("="))
      return rest.ltrim();
  }
  return {};
}

SmallVector<int64_t> stablehlo::getList(StringRef text, StringRef key) {
  SmallVector<int64_t> numbers;
  StringRef rest = findKey(text, key);
  if (!rest.consume_front("["))
    return numbers;
  SmallVector<StringRef> words;
  rest.take_until([](char c) { return c == ']'; }).split(words, ',', -1, /*KeepEmpty=*/false);
  for (StringRef word : words)
    if (int64_t number = 0; !word.trim().getAsInteger(10, number))
      numbers.push_back(number);
  return numbers;
}

int64_t stablehlo::getNumber(StringRef text, StringRef key, int64_t absent) {
  StringRef rest = findKey(text, key).take_while([](char c) { return llvm::isDigit(c) || c == '-'; });
  int64_t number = absent;
  return rest.getAsInteger(10, number) ? absent : number;
}

SmallVector<int64_t> stablehlo::getIntegers(Operation *op, StringRef name, size_t count, int64_t absent) {
  Attribute attribute = op->getAttr(name);
  if (auto array = dyn_cast_if_present<DenseI64ArrayAttr>(attribute))
    return llvm::to_vector(array.asArrayRef());
  if (auto dense = dyn_cast_if_present<DenseIntElementsAttr>(attribute))
    return llvm::map_to_vector(dense.getValues<APInt>(), [](const APInt &value) { return value.getSExtValue(); });
  return SmallVector<int64_t>(count, absent);
}

SmallVector<bool> stablehlo::getBools(Operation *op, StringRef name, size_t count) {
  Attribute attribute = op->getAttr(name);
  if (auto array = dyn_cast_if_present<DenseBoolArrayAttr>(attribute))
    return llvm::to_vector(array.asArrayRef());
  if (auto dense = dyn_cast_if_present<DenseIntElementsAttr>(attribute))
    return llvm::map_to_vector(dense.getValues<APInt>(), [](const APInt &value) { return !value.isZero(); });
  return SmallVector<bool>(count, false);
}

int64_t stablehlo::getInteger(Operation *op, StringRef name, int64_t absent) {
  auto attribute = op->getAttrOfType<IntegerAttr>(name);
  return attribute ? attribute.getValue().getSExtValue() : absent;
}

StringRef stablehlo::getEnum(Operation *op, StringRef name) {
  StringRef text = getText(op, name);
  text.consume_back(">");
  return text.rsplit(text.contains('<') ? '<' : ' ').second;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

StringRef stablehlo::getCombiner(Region &region) {
  if (!region.hasOneBlock() || region.getNumArguments() != 2)
    return {};
  Block &block = region.front();
  if (std::distance(block.begin(), block.end()) != 2)
    return {};
  Operation &op = block.front();
  bool takesBoth = op.getNumOperands() == 2 && op.getNumResults() == 1 &&
                   ((op.getOperand(0) == block.getArgument(0) && op.getOperand(1) == block.getArgument(1)) ||
                    (op.getOperand(1) == block.getArgument(0) && op.getOperand(0) == block.getArgument(1)));
  Operation *end = &block.back();
  if (!takesBoth || end->getNumOperands() != 1 || end->getOperand(0) != op.getResult(0))
    return {};
  return op.getName().stripDialect();
}

static std::optional<bool> compare(Operation &op, double a, double b) {
  StringRef direction = stablehlo::getEnum(&op, "comparison_direction");
  if (stablehlo::getEnum(&op, "compare_type") == "TOTALORDER") {
    // NaN above everything, and -0 below 0.
    auto key = [](double x) { return std::isnan(x) ? std::signbit(x) ? -3.0 : 3.0 : 0.0; };
    auto isLess = [&](double x, double y) {
      if (key(x) != 0 || key(y) != 0)
        return key(x) < key(y);
      return x < y || (x == y && std::signbit(x) && !std::signbit(y));
    };
    bool less = isLess(a, b), greater = isLess(b, a);
    return llvm::StringSwitch<std::optional<bool>>(direction)
        .Case("LT", less)
        .Case("LE", !greater)
        .Case("GT", greater)
        .Case("GE", !less)
        .Case("EQ", !less && !greater)
        .Case("NE", less || greater)
        .Default(std::nullopt);
  }
  return llvm::StringSwitch<std::optional<bool>>(direction)
      .Case("LT", a < b)
      .Case("LE", a <= b)
      .Case("GT", a > b)
      .Case("GE", a >= b)
      .Case("EQ", a == b)
      .Case("NE", a != b)
      .Default(std::nullopt);
}

static std::optional<double> evaluateOp(Operation &op, ArrayRef<double> x) {
  StringRef name = op.getName().getStringRef();
  if (name == "stablehlo.constant") {
    auto dense = op.getAttrOfType<DenseElementsAttr>("value");
    if (!dense || !dense.isSplat())
      return std::nullopt;
    if (isa<FloatType>(dense.getElementType()))
      return dense.getSplatValue<APFloat>().convertToDouble();
    APInt number = dense.getSplatValue<APInt>();
    return dense.getElementType().isInteger(1) ? double(!number.isZero()) : double(number.getSExtValue());
  }
  if (name == "stablehlo.compare" && x.size() == 2) {
    std::optional<bool> answer = compare(op, x[0], x[1]);
    return answer ? std::optional<double>(*answer) : std::nullopt;
  }
  bool isBool = op.getNumResults() == 1 && getElementTypeOrSelf(op.getResult(0).getType()).isInteger(1);
  if (name == "stablehlo.select" && x.size() == 3)
    return x[0] != 0 ? x[1] : x[2];
  if (isBool && name == "stablehlo.and" && x.size() == 2)
    return x[0] != 0 && x[1] != 0;
  if (isBool && name == "stablehlo.or" && x.size() == 2)
    return x[0] != 0 || x[1] != 0;
  if (isBool && name == "stablehlo.xor" && x.size() == 2)
    return (x[0] != 0) != (x[1] != 0);
  if (isBool && name == "stablehlo.not" && x.size() == 1)
    return x[0] == 0;
  return std::nullopt;
}

std::optional<SmallVector<double>> stablehlo::evaluate(Region &region, ArrayRef<double> arguments) {
  if (!region.hasOneBlock() || region.front().empty() || region.getNumArguments() != arguments.size())
    return std::nullopt;
  DenseMap<Value, double> values;
  for (auto [argument, value] : llvm::zip_equal(region.getArguments(), arguments))
    values[argument] = value;
  auto lookUp = [&](Operation &op) -> std::optional<SmallVector<double>> {
    SmallVector<double> found;
    for (Value operand : op.getOperands()) {
      auto it = values.find(operand);
      if (it == values.end())
        return std::nullopt;
      found.push_back(it->second);
    }
    return found;
  };
  // The last op is unregistered, and no terminator as far as MLIR knows.
  for (Operation &op : llvm::make_range(region.front().begin(), std::prev(region.front().end()))) {
    std::optional<SmallVector<double>> operands = lookUp(op);
    std::optional<double> result = operands && op.getNumResults() == 1 ? evaluateOp(op, *operands) : std::nullopt;
    if (!result)
      return std::nullopt;
    values[op.getResult(0)] = *result;
  }
  return lookUp(region.front().back());
}
