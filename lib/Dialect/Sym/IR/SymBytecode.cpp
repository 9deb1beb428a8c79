//===- SymBytecode.cpp - Bytecode of relax_sym -----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Expressions are stored as text: the grammar is the stable contract, the normal
// form may improve between versions, and the parser already distrusts its input.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Sym/IR/BytecodeVersion.h"
#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"

using namespace mlir;
using namespace mlir::relax::sym;

namespace {
/// First number of an attribute's encoding.
enum class Code : uint64_t { Expr = 0, Shape = 1, Scope = 2 };

struct SymBytecodeInterface final : VersionedBytecodeInterface</*currentVersion=*/1> {
  using VersionedBytecodeInterface::VersionedBytecodeInterface;

  LogicalResult writeAttribute(Attribute attr, DialectBytecodeWriter &writer) const override {
    if (auto expr = dyn_cast<ExprAttr>(attr)) {
      writer.writeVarInt(static_cast<uint64_t>(Code::Expr));
      writeText(writer, expr.getValue().str());
      return success();
    }
    if (auto shape = dyn_cast<ShapeAttr>(attr)) {
      writer.writeVarInt(static_cast<uint64_t>(Code::Shape));
      writer.writeVarInt(shape.getDims().size());
      for (SymExpr dim : shape.getDims())
        writeText(writer, dim ? dim.str() : "?");
      writer.writeOptionalAttribute(shape.getExtensions());
      return success();
    }
    if (auto scope = dyn_cast<ScopeAttr>(attr)) {
      writer.writeVarInt(static_cast<uint64_t>(Code::Scope));
      writer.writeVarInt(scope.getFacts().size());
      for (const Fact &fact : scope.getFacts()) {
        std::string text;
        llvm::raw_string_ostream os(text);
        fact.print(os);
        writeText(writer, text);
      }
      return success();
    }
    return failure();
  }

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    switch (static_cast<Code>(code)) {
    case Code::Expr: {
      SymExpr value;
      if (failed(readExpr(reader, value)))
        return {};
      if (!value) {
        reader.emitError("expected an expression in relax_sym bytecode");
        return {};
      }
      return ExprAttr::get(value);
    }
    case Code::Shape: {
      SmallVector<SymExpr> dims;
      DictionaryAttr extensions;
      if (failed(readList(reader, [&] { return readExpr(reader, dims.emplace_back()); })) ||
          failed(reader.readOptionalAttribute(extensions)))
        return {};
      return ShapeAttr::get(getContext(), dims, extensions);
    }
    case Code::Scope: {
      SmallVector<Fact> facts;
      if (failed(readList(reader, [&] { return readFact(reader, facts.emplace_back()); })))
        return {};
      return ScopeAttr::get(getContext(), facts);
    }
    }
    reader.emitError("unknown relax_sym attribute code ") << code;
    return {};
  }

private:
  /// Through a string attribute: the writer keeps references to plain strings until the end.
  void writeText(DialectBytecodeWriter &writer, StringRef text) const {
    writer.writeAttribute(StringAttr::get(getContext(), text));
  }
  LogicalResult readText(DialectBytecodeReader &reader, StringRef &text) const {
    StringAttr attr;
    if (failed(reader.readAttribute(attr)))
      return failure();
    text = attr.getValue();
    return success();
  }

  LogicalResult readList(DialectBytecodeReader &reader, llvm::function_ref<LogicalResult()> readOne) const {
    uint64_t size;
    if (failed(reader.readVarInt(size)))
      return failure();
    // Nothing is reserved: a wrong size ends at the end of the input.
    for (uint64_t i = 0; i < size; ++i)
      if (failed(readOne()))
        return failure();
    return success();
  }

  LogicalResult readExpr(DialectBytecodeReader &reader, SymExpr &expr) const {
    StringRef text;
    if (failed(readText(reader, text)))
      return failure();
    if (text == "?")
      return success();
    std::string error;
    expr = SymExpr::parse(getContext(), text, error);
    if (!expr)
      return reader.emitError("invalid expression in relax_sym bytecode: ") << error;
    return success();
  }

  LogicalResult readFact(DialectBytecodeReader &reader, Fact &fact) const {
    StringRef text;
    std::string error;
    if (failed(readText(reader, text)))
      return failure();
    FailureOr<Fact> parsed = Fact::parse(getContext(), text, error);
    if (failed(parsed))
      return reader.emitError("invalid fact in relax_sym bytecode: ") << error;
    fact = *parsed;
    return success();
  }
};
} // namespace

void RelaxSymDialect::registerInterfaces() { addInterfaces<SymBytecodeInterface>(); }
