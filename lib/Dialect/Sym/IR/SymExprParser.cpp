//===- SymExprParser.cpp - Parser of expressions and facts -----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Recursive descent over the grammar of Spec.md 1.1. The same functions read
// attributes in IR and plain text.
//
//===----------------------------------------------------------------------===//

#include "SymExprParser.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::sym::detail;

TokenSource::~TokenSource() = default;

static bool isKeyword(StringRef word) {
  return llvm::StringSwitch<bool>(word).Cases({"floordiv", "ceildiv", "mod", "min", "max"}, true).Default(false);
}

static bool isIdentifier(StringRef word) {
  auto isHead = [](char c) { return llvm::isAlpha(c) || c == '_'; };
  auto isTail = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return !word.empty() && isHead(word.front()) && llvm::all_of(word.drop_front(), isTail);
}

bool sym::detail::isPlainSymbolName(StringRef name) { return isIdentifier(name) && !isKeyword(name); }

//===----------------------------------------------------------------------===//
// Grammar
//===----------------------------------------------------------------------===//

namespace {
class ExprParser {
public:
  ExprParser(MLIRContext *context, TokenSource &tokens) : context(context), tokens(tokens) {}

  SymExpr parseSum() {
    // Nesting is the only recursion; text comes from files, so it is bounded.
    if (depth >= kMaxNesting)
      return fail("expression is nested too deeply");
    ++depth;
    SymExpr sum = parseProduct();
    while (sum) {
      bool plus = tokens.consume(Punct::Plus);
      if (!plus && !tokens.consume(Punct::Minus))
        break;
      SymExpr right = parseProduct();
      sum = check(right, plus ? sum + right : sum - right);
    }
    --depth;
    return sum;
  }

private:
  using Punct = TokenSource::Punct;
  static constexpr unsigned kMaxNesting = 100;

  SymExpr fail(const Twine &message) {
    if (!failed)
      tokens.error(message);
    failed = true;
    return {};
  }

  /// `result` computed from `operand`: says why when only the result is null.
  SymExpr check(SymExpr operand, SymExpr result) {
    if (operand && !result)
      return fail("expression does not fit 64-bit coefficients or is too large");
    return result;
  }

  SymExpr divide(SymExpr left, SymExpr right, StringRef name) {
    if (!left || !right)
      return {};
    if (std::optional<int64_t> divisor = right.getConstant())
      if (*divisor <= 0)
        return fail("divisor of '" + name + "' must be positive, but is " + Twine(*divisor));
    SymExpr result = name == "floordiv"  ? SymExpr::floordiv(left, right)
                     : name == "ceildiv" ? SymExpr::ceildiv(left, right)
                                         : SymExpr::mod(left, right);
    return check(right, result);
  }

  SymExpr parseProduct() {
    SymExpr product = parseUnary();
    while (product) {
      if (tokens.consume(Punct::Star)) {
        SymExpr right = parseUnary();
        product = check(right, product * right);
      } else if (tokens.consume(Punct::SlashSlash) || tokens.consumeKeyword("floordiv")) {
        product = divide(product, parseUnary(), "floordiv");
      } else if (tokens.consumeKeyword("ceildiv")) {
        product = divide(product, parseUnary(), "ceildiv");
      } else if (tokens.consume(Punct::Percent) || tokens.consumeKeyword("mod")) {
        product = divide(product, parseUnary(), "mod");
      } else {
        break;
      }
    }
    return product;
  }

  SymExpr parseUnary() {
    bool negative = false;
    while (tokens.consume(Punct::Minus))
      negative = !negative;
    SymExpr operand = parsePower();
    return negative ? -operand : operand;
  }

  SymExpr parsePower() {
    SymExpr base = parsePrimary();
    while (base && tokens.consume(Punct::StarStar)) {
      std::optional<int64_t> exponent = tokens.consumeInteger(failed);
      if (!exponent)
        return fail("expected a constant exponent");
      SymExpr power = SymExpr::constant(context, 1);
      for (int64_t i = 0; i < *exponent; ++i) {
        SymExpr next = check(base, power * base);
        if (!next)
          return {};
        if (next == power)
          break; // 0 or 1: no need to count to the end
        power = next;
      }
      base = power;
    }
    return base;
  }

  SymExpr parsePrimary() {
    if (std::optional<int64_t> value = tokens.consumeInteger(failed))
      return SymExpr::constant(context, *value);
    if (failed)
      return {};
    std::string word;
    if (tokens.consumeQuoted(word)) {
      if (word.empty())
        return fail("expected a symbol name, but it is empty");
      return SymExpr::symbol(context, word);
    }
    if (tokens.consume(Punct::LParen)) {
      SymExpr inner = parseSum();
      if (inner && !tokens.consume(Punct::RParen))
        return fail("expected ')' in expression");
      return inner;
    }
    if (!tokens.consumeWord(word))
      return fail("expected an expression");
    if (isKeyword(word))
      return parseCall(word);
    if (!isIdentifier(word))
      return fail("symbol name '" + word + "' must be quoted");
    return SymExpr::symbol(context, word);
  }

  SymExpr parseCall(StringRef name) {
    if (!tokens.consume(Punct::LParen))
      return fail("expected '(' after '" + name + "'");
    SmallVector<SymExpr> operands;
    do {
      operands.push_back(parseSum());
      if (!operands.back())
        return {};
    } while (tokens.consume(Punct::Comma));
    if (!tokens.consume(Punct::RParen))
      return fail("expected ')' in expression");
    if (name == "min")
      return check(operands.front(), SymExpr::min(operands));
    if (name == "max")
      return check(operands.front(), SymExpr::max(operands));
    if (operands.size() != 2)
      return fail("'" + name + "' takes 2 operands, but has " + Twine(operands.size()));
    return divide(operands[0], operands[1], name);
  }

  MLIRContext *context;
  TokenSource &tokens;
  unsigned depth = 0;
  bool failed = false;
};
} // namespace

SymExpr sym::detail::parseExpr(MLIRContext *context, TokenSource &tokens) {
  return ExprParser(context, tokens).parseSum();
}

//===----------------------------------------------------------------------===//
// Tokens of IR
//===----------------------------------------------------------------------===//

namespace {
class AsmTokens final : public TokenSource {
public:
  explicit AsmTokens(AsmParser &parser) : parser(parser) {}

  bool consume(Punct punct) override {
    switch (punct) {
    case Punct::Plus:
      return succeeded(parser.parseOptionalPlus());
    case Punct::Minus:
      return succeeded(parser.parseOptionalMinus());
    case Punct::Star:
      return succeeded(parser.parseOptionalStar());
    case Punct::LParen:
      return succeeded(parser.parseOptionalLParen());
    case Punct::RParen:
      return succeeded(parser.parseOptionalRParen());
    case Punct::Comma:
      return succeeded(parser.parseOptionalComma());
    case Punct::SlashSlash: // a comment in IR
    case Punct::Percent:    // a value in IR
    case Punct::StarStar:
      return false;
    }
    return false;
  }
  bool consumeKeyword(StringRef keyword) override { return succeeded(parser.parseOptionalKeyword(keyword)); }
  bool consumeWord(std::string &word) override {
    StringRef text;
    if (failed(parser.parseOptionalKeyword(&text)))
      return false;
    word = text.str();
    return true;
  }
  bool consumeQuoted(std::string &text) override { return succeeded(parser.parseOptionalString(&text)); }
  std::optional<int64_t> consumeInteger(bool &failed) override {
    APInt value;
    OptionalParseResult result = parser.parseOptionalDecimalInteger(value);
    if (!result.has_value())
      return std::nullopt;
    if (*result || value.getActiveBits() > 63) {
      if (!*result)
        error("integer does not fit 64 bits");
      failed = true;
      return std::nullopt;
    }
    return static_cast<int64_t>(value.getZExtValue());
  }
  void error(const Twine &message) override { parser.emitError(parser.getCurrentLocation(), message); }

private:
  AsmParser &parser;
};
} // namespace

FailureOr<SymExpr> mlir::relax::sym::parseSymExpr(AsmParser &parser) {
  AsmTokens tokens(parser);
  SymExpr expr = parseExpr(parser.getContext(), tokens);
  if (!expr)
    return failure();
  return expr;
}

ParseResult mlir::relax::sym::parseSymExprList(AsmParser &parser, SmallVectorImpl<SymExpr> &dims) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      dims.push_back({});
      return success();
    }
    FailureOr<SymExpr> expr = parseSymExpr(parser);
    if (failed(expr))
      return failure();
    dims.push_back(*expr);
    return success();
  });
}

//===----------------------------------------------------------------------===//
// Tokens of plain text
//===----------------------------------------------------------------------===//

namespace {
class TextTokens final : public TokenSource {
public:
  explicit TextTokens(StringRef text) : text(text), all(text) {}

  bool consume(Punct punct) override {
    static constexpr StringLiteral spellings[] = {"+", "-", "*", "(", ")", ",", "//", "%", "**"};
    skipSpace();
    StringRef spelling = spellings[static_cast<int>(punct)];
    if (!text.starts_with(spelling) || (punct == Punct::Star && text.starts_with("**")))
      return false;
    text = text.drop_front(spelling.size());
    return true;
  }
  bool consumeText(StringRef spelling) {
    skipSpace();
    return text.consume_front(spelling);
  }
  bool consumeKeyword(StringRef keyword) override {
    if (peekWord() != keyword)
      return false;
    text = text.drop_front(keyword.size());
    return true;
  }
  bool consumeWord(std::string &word) override {
    StringRef found = peekWord();
    text = text.drop_front(found.size());
    word = found.str();
    return !found.empty();
  }
  bool consumeQuoted(std::string &result) override {
    skipSpace();
    if (!text.starts_with("\""))
      return false;
    StringRef rest = text.drop_front();
    std::string unescaped;
    while (!rest.empty() && rest.front() != '"') {
      if (rest.consume_front("\\")) {
        // The escapes that printing IR strings makes: \\, \", and two hex digits.
        if (rest.size() >= 2 && llvm::isHexDigit(rest[0]) && llvm::isHexDigit(rest[1])) {
          unescaped.push_back(static_cast<char>(llvm::hexFromNibbles(rest[0], rest[1])));
          rest = rest.drop_front(2);
          continue;
        }
        if (rest.empty())
          break;
      }
      unescaped.push_back(rest.front());
      rest = rest.drop_front();
    }
    if (rest.empty())
      return false;
    text = rest.drop_front();
    result = unescaped;
    return true;
  }
  std::optional<int64_t> consumeInteger(bool &failed) override {
    skipSpace();
    StringRef digits = text.take_while(llvm::isDigit);
    if (digits.empty())
      return std::nullopt;
    StringRef tail = text.drop_front(digits.size());
    int64_t value;
    if (digits.getAsInteger(10, value) || (!tail.empty() && (llvm::isAlpha(tail.front()) || tail.front() == '_'))) {
      error(digits.size() > 18 ? "integer does not fit 64 bits" : "expected an operator after an integer");
      failed = true;
      return std::nullopt;
    }
    text = tail;
    return value;
  }
  void error(const Twine &what) override {
    if (!message.empty())
      return;
    size_t column = all.size() - text.size() + 1;
    message = (what + " at column " + Twine(column)).str();
    if (all.size() <= 400) // of a long text the part in question
      message += (" of '" + all + "'").str();
    else
      message += (", near '" + all.substr(column > 40 ? column - 40 : 0, 80) + "'").str();
  }

  bool atEnd() {
    skipSpace();
    return text.empty();
  }
  std::string message;

private:
  void skipSpace() { text = text.ltrim(" \t"); }
  StringRef peekWord() {
    skipSpace();
    if (text.empty() || (!llvm::isAlpha(text.front()) && text.front() != '_'))
      return {};
    return text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  }

  StringRef text, all;
};
} // namespace

SymExpr SymExpr::parse(MLIRContext *context, StringRef text, std::string &error) {
  TextTokens tokens(text);
  SymExpr expr = parseExpr(context, tokens);
  if (expr && !tokens.atEnd()) {
    tokens.error("unexpected text after the expression");
    expr = {};
  }
  error = tokens.message;
  return expr;
}

FailureOr<Fact> Fact::parse(MLIRContext *context, StringRef text, std::string &error) {
  TextTokens tokens(text);
  Fact fact;
  fact.lhs = parseExpr(context, tokens);
  if (fact.lhs) {
    // Longest spelling first.
    if (tokens.consumeText("=="))
      fact.op = Op::Equal;
    else if (tokens.consumeText("<="))
      fact.op = Op::LessEqual;
    else if (tokens.consumeText(">="))
      fact.op = Op::GreaterEqual;
    else if (tokens.consumeText("<"))
      fact.op = Op::Less;
    else if (tokens.consumeText(">"))
      fact.op = Op::Greater;
    else
      tokens.error("expected '==', '<=', '>=', '<' or '>'");
    if (tokens.message.empty())
      fact.rhs = parseExpr(context, tokens);
    if (fact.rhs && !tokens.atEnd())
      tokens.error("unexpected text after the fact");
  }
  error = tokens.message;
  if (!error.empty())
    return failure();
  return fact;
}
