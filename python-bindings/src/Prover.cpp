//===- Prover.cpp - Symbolic sizes in Python ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect-c/Prover.h"
#include "Compiler.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>

using namespace relax_python;

namespace {

/// Expressions of all of Python are in one context, so that any two of them can be compared. It is never destroyed.
relax_context *getContext() {
  static relax_context *context = [] {
    relax_context *made = nullptr;
    check(relax_context_create(&made));
    return made;
  }();
  return context;
}

struct Expr {
  const relax_expr *handle;
  std::string str() const {
    std::string text;
    relax_expr_print(handle, appendTo, &text);
    return text;
  }
};

/// A relation between two expressions, as text.
struct Fact {
  std::string text;
  bool isEquation;
};

class Prover {
public:
  explicit Prover(const std::vector<std::string> &facts) : facts(facts) {
    std::vector<const char *> texts = pointers(facts);
    check(relax_prover_create(getContext(), texts.data(), static_cast<int64_t>(texts.size()), &handle));
  }
  ~Prover() { relax_prover_destroy(handle); }
  Prover(const Prover &) = delete;
  Prover &operator=(const Prover &) = delete;

  relax_verdict ask(const std::string &fact, std::string *why = nullptr) const {
    relax_verdict verdict = RELAX_DEPENDS;
    callUnlocked([&] { return relax_prover_holds(handle, fact.c_str(), &verdict, why ? appendTo : nullptr, why); });
    return verdict;
  }

  std::vector<std::string> facts;
  relax_prover *handle = nullptr;
};

Expr toExpr(nb::handle value) {
  Expr expr = {nullptr};
  if (nb::isinstance<Expr>(value))
    return nb::cast<Expr>(value);
  if (nb::isinstance<nb::str>(value))
    check(relax_expr_parse(getContext(), nb::cast<std::string>(value).c_str(), &expr.handle));
  else
    check(relax_expr_constant(getContext(), nb::cast<int64_t>(value), &expr.handle));
  return expr;
}

Expr combine(relax_expr_op op, const Expr &a, const Expr &b) {
  Expr expr = {nullptr};
  check(relax_expr_binary(op, a.handle, b.handle, &expr.handle));
  return expr;
}

Expr combineAll(relax_expr_op op, const nb::args &values) {
  if (values.empty())
    throw nb::type_error("expected at least one size");
  Expr result = toExpr(values[0]);
  for (size_t i = 1; i < values.size(); ++i)
    result = combine(op, result, toExpr(values[i]));
  return result;
}

std::string getFactText(nb::handle fact) {
  return nb::isinstance<Fact>(fact) ? nb::cast<Fact>(fact).text : nb::cast<std::string>(fact);
}

std::vector<std::string> getFactTexts(const nb::iterable &facts) {
  std::vector<std::string> texts;
  for (nb::handle fact : facts)
    texts.push_back(getFactText(fact));
  return texts;
}

std::optional<bool> toAnswer(relax_verdict verdict) {
  if (verdict == RELAX_DEPENDS)
    return std::nullopt;
  return verdict == RELAX_TRUE;
}

bool isTrue(const Fact &fact) {
  std::optional<bool> answer = toAnswer(Prover({}).ask(fact.text));
  // Python's containers ask about equations.
  if (!answer && !fact.isEquation)
    throw nb::value_error(
        ("'" + fact.text + "' depends on the sizes; relax.Prover(facts).holds(...) answers None then").c_str());
  return answer.value_or(false);
}

/// A method of Expr with an operand on the right.
template <typename Class> void defineOperator(Class &expr, const char *name, const char *reflected, relax_expr_op op) {
  expr.def(
      name, [op](const Expr &a, nb::handle b) { return combine(op, a, toExpr(b)); }, nb::is_operator(),
      nb::sig(("def " + std::string(name) + "(self, other: Expr | int) -> Expr").c_str()));
  expr.def(
      reflected, [op](const Expr &a, nb::handle b) { return combine(op, toExpr(b), a); }, nb::is_operator(),
      nb::sig(("def " + std::string(reflected) + "(self, other: Expr | int) -> Expr").c_str()));
}

template <typename Class> void defineRelation(Class &expr, const char *name, const char *op) {
  bool isEquation = std::strcmp(op, "==") == 0;
  std::string other = isEquation ? "object" : "Expr | int";
  expr.def(
      name,
      [op, isEquation](const Expr &a, nb::handle b) -> nb::object {
        if (!nb::isinstance<Expr>(b) && !PyLong_Check(b.ptr()))
          return nb::borrow(Py_NotImplemented);
        return nb::cast(Fact{a.str() + " " + op + " " + toExpr(b).str(), isEquation});
      },
      nb::sig(("def " + std::string(name) + "(self, other: " + other + ") -> Fact").c_str()));
}

} // namespace

void relax_python::bindProver(nb::module_ &module) {
  nb::class_<Fact>(
      module, "Fact",
      "A relation between sizes. Its truth value is True when it holds for all sizes and False when it\n"
      "holds for none; one that depends on the sizes is False for == and raises ValueError for the others.")
      .def("__str__", [](const Fact &fact) { return fact.text; })
      .def("__repr__", [](const Fact &fact) { return fact.text; })
      .def("__bool__", &isTrue);

  nb::class_<Expr> expr(
      module, "Expr",
      "An integer expression over sizes, kept in a normal form. Symbols are >= 0. Comparisons give a\n"
      "Fact; calling it with values for its symbols gives a number.");
  defineOperator(expr, "__add__", "__radd__", RELAX_ADD);
  defineOperator(expr, "__sub__", "__rsub__", RELAX_SUB);
  defineOperator(expr, "__mul__", "__rmul__", RELAX_MUL);
  defineOperator(expr, "__floordiv__", "__rfloordiv__", RELAX_FLOORDIV);
  defineOperator(expr, "__mod__", "__rmod__", RELAX_MOD);
  defineRelation(expr, "__eq__", "==");
  defineRelation(expr, "__le__", "<=");
  defineRelation(expr, "__ge__", ">=");
  defineRelation(expr, "__lt__", "<");
  defineRelation(expr, "__gt__", ">");
  expr.def(
          "__ne__",
          [](const Expr &a, nb::handle b) -> nb::object {
            if (!nb::isinstance<Expr>(b) && !PyLong_Check(b.ptr()))
              return nb::borrow(Py_NotImplemented);
            return nb::bool_(!isTrue({a.str() + " == " + toExpr(b).str(), true}));
          },
          nb::sig("def __ne__(self, other: object) -> bool"), "Not proved to be equal.")
      .def("__hash__", [](const Expr &self) { return std::hash<const void *>()(self.handle); })
      .def("__neg__", [](const Expr &self) { return combine(RELAX_SUB, toExpr(nb::int_(0)), self); })
      .def("__str__", &Expr::str)
      .def("__repr__", &Expr::str)
      .def("__int__",
           [](const Expr &self) {
             int64_t value = 0;
             if (!relax_expr_get_constant(self.handle, &value))
               throw nb::value_error(("'" + self.str() + "' is not a constant").c_str());
             return value;
           })
      .def(
          "__call__",
          [](const Expr &self, const nb::kwargs &values) {
            std::vector<std::string> names;
            std::vector<int64_t> numbers;
            names.reserve(values.size());
            numbers.reserve(values.size());
            for (auto [name, value] : values) {
              names.push_back(nb::cast<std::string>(name));
              numbers.push_back(nb::cast<int64_t>(value));
            }
            std::vector<const char *> texts = pointers(names);
            int64_t result = 0;
            check(relax_expr_evaluate(self.handle, texts.data(), numbers.data(), static_cast<int64_t>(texts.size()),
                                      &result));
            return result;
          },
          nb::sig("def __call__(self, **kwargs: int) -> int"), "The value where symbols have these values.")
      .def_prop_ro(
          "symbols",
          [](const Expr &self) {
            nb::list names;
            relax_expr_symbols(
                self.handle,
                [](void *user, const char *bytes, size_t size) {
                  static_cast<nb::list *>(user)->append(nb::str(bytes, size));
                },
                &names);
            return nb::tuple(names);
          },
          nb::sig("def symbols(self) -> tuple[str, ...]"), "Names of the symbols, sorted.");

  nb::class_<Prover>(module, "Prover", "Answers questions about sizes that satisfy facts.")
      .def(
          "__init__", [](Prover *self, const nb::iterable &facts) { new (self) Prover(getFactTexts(facts)); },
          nb::arg("facts") = nb::list(), nb::sig("def __init__(self, facts: typing.Iterable[Fact | str] = ()) -> None"),
          "facts: texts such as 'n mod 4 == 0', or comparisons. Facts that exclude every size are an error.")
      .def_prop_ro(
          "facts", [](const Prover &self) { return self.facts; }, "The facts as text.")
      .def(
          "holds", [](const Prover &self, nb::handle fact) { return toAnswer(self.ask(getFactText(fact))); },
          nb::arg("fact"), nb::sig("def holds(self, fact: Fact | str) -> bool | None"),
          "True and False are proofs for all sizes; None: it depends, or was not decided within the step limit.")
      .def(
          "explain",
          [](const Prover &self, nb::handle fact) {
            std::string why;
            self.ask(getFactText(fact), &why);
            return why;
          },
          nb::arg("fact"), nb::sig("def explain(self, fact: Fact | str) -> str"),
          "The steps of a proof, or sizes for both outcomes.")
      .def(
          "bounds",
          [](const Prover &self, nb::handle value) {
            bool hasLower = false, hasUpper = false;
            int64_t lower = 0, upper = 0;
            check(relax_prover_bounds(self.handle, toExpr(value).handle, &hasLower, &lower, &hasUpper, &upper));
            return std::make_pair(hasLower ? std::optional<int64_t>(lower) : std::nullopt,
                                  hasUpper ? std::optional<int64_t>(upper) : std::nullopt);
          },
          nb::arg("expr"), nb::sig("def bounds(self, expr: Expr | str) -> tuple[int | None, int | None]"),
          "The greatest known lower bound and the least known upper bound; None where there is none.")
      .def(
          "simplify",
          [](const Prover &self, nb::handle value) {
            Expr result = {nullptr};
            check(relax_prover_simplify(self.handle, toExpr(value).handle, &result.handle));
            return result;
          },
          nb::arg("expr"), nb::sig("def simplify(self, expr: Expr | str) -> Expr"),
          "An equal, simpler expression under the facts.");

  module.def(
      "dim",
      [](const std::string &name) {
        Expr result = {nullptr};
        check(relax_expr_symbol(getContext(), name.c_str(), &result.handle));
        return result;
      },
      nb::arg("name"), "The size of this name.");
  module.def("expr", &toExpr, nb::arg("value"), nb::sig("def expr(value: str | int | Expr) -> Expr"),
             "An expression from text, 'n*4 + 1' or 'max(n, (m + 3) // 4)', or from a number.");
  module.def(
      "maximum", [](const nb::args &values) { return combineAll(RELAX_MAX, values); },
      nb::sig("def maximum(*args: Expr | int) -> Expr"), "The greatest of sizes.");
  module.def(
      "minimum", [](const nb::args &values) { return combineAll(RELAX_MIN, values); },
      nb::sig("def minimum(*args: Expr | int) -> Expr"), "The least of sizes.");
  module.def(
      "ceildiv", [](nb::handle a, nb::handle b) { return combine(RELAX_CEILDIV, toExpr(a), toExpr(b)); }, nb::arg("a"),
      nb::arg("b"), nb::sig("def ceildiv(a: Expr | int, b: Expr | int) -> Expr"), "The quotient rounded up.");
}
