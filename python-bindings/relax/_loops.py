# Licensed under the Apache License, Version 2.0. See LICENSE.
"""From the loops of a Python function to those of a tensor program: what relax.tensor_program reads.

An index is kept as an expression in sizes and loop variables as long as it is one, so that the prover knows where it
lies; everything else is a scalar in MLIR, or a number of Python that takes the type of what it meets.
"""
import ast
import itertools
import re

from ._compiler import Expr, Prover, dim, expr
from ._errors import Diagnostic, RelaxError
from ._graph import format_number, is_float, quote, size

_MATH = {"exp": "math.exp", "exp2": "math.exp2", "log": "math.log", "sqrt": "math.sqrt", "rsqrt": "math.rsqrt",
         "tanh": "math.tanh", "erf": "math.erf", "sin": "math.sin", "cos": "math.cos", "floor": "math.floor",
         "ceil": "math.ceil", "fabs": "math.absf", "log1p": "math.log1p", "expm1": "math.expm1"}
_COMPARE = {ast.Lt: ("olt", "lt"), ast.LtE: ("ole", "le"), ast.Gt: ("ogt", "gt"), ast.GtE: ("oge", "ge"),
            ast.Eq: ("oeq", "eq"), ast.NotEq: ("une", "ne")}
_PYTHON_COMPARE = {ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b, ast.Gt: lambda a, b: a > b,
                   ast.GtE: lambda a, b: a >= b, ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b}
_NUMPY = {"float16": "f16", "float32": "f32", "float64": "f64", "int8": "i8", "int16": "i16", "int32": "i32",
          "int64": "i64", "bool_": "i1", "bool": "i1"}
# Products of symbols, divisors that are none but symbols, and maxima.
_NOT_AFFINE = re.compile(r"max|min|[A-Za-z_\"]\w*\"? \* [A-Za-z_\"(]|\) \* |(floordiv|mod|ceildiv) [^\d\s]|\*\*")
# A name in an affine expression, not an operator.
_TOKEN = re.compile(r'"[^"]*"|\b(?!(?:floordiv|ceildiv|mod)\b)[A-Za-z_]\w*')


class _Scalar:
    """A value of MLIR."""

    __slots__ = ("name", "type")

    def __init__(self, name, type):
        self.name, self.type = name, type


def _assigned(nodes):
    """Names that statements assign, each once, in order."""
    names = {}
    for node in nodes:
        for part in ast.walk(node):
            if isinstance(part, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
                for target in part.targets if isinstance(part, ast.Assign) else [part.target]:
                    if isinstance(target, ast.Name):
                        names[target.id] = None
    return list(names)


def _is_number(value):
    return isinstance(value, (bool, int, float))


class Translator:
    """Writes the body of one program."""

    def __init__(self, file, indent, buffers, names, facts):
        self.file, self.indent, self.buffers, self.names = file, indent, buffers, names
        self.scalars = []  # symbols that no input shows
        self._lines, self._prelude, self._depth = [], [], 1
        self._count, self._known = itertools.count(), {}
        self._facts, self._loops = list(facts), {}  # loop symbol -> SSA name
        self._scope = [{}]
        self._node = None
        self._float = next((buffer.dtype for buffer in buffers.values() if is_float(buffer.dtype)), "f32")
        shown = {str(extent): (name, axis) for name, buffer in reversed(list(buffers.items())) if not buffer.is_out
                 for axis, extent in enumerate(buffer.shape)
                 if isinstance(extent, Expr) and str(extent) in extent.symbols}
        used = {symbol for buffer in buffers.values() for extent in buffer.shape if isinstance(extent, Expr)
                for symbol in extent.symbols}
        self._shown = shown
        self.scalars = sorted(used - set(shown))
        self._used = set(used)

    # ---- Text ---------------------------------------------------------------------------------------------------

    def fail(self, message, node=None):
        node = node if node is not None and hasattr(node, "lineno") else self._node
        diagnostic = Diagnostic("error", message, self.file, node.lineno, node.col_offset + self.indent + 1)
        raise RelaxError(str(diagnostic), "invalid module", [diagnostic])

    def _place(self):
        return f"loc({quote(self.file)}:{self._node.lineno}:{self._node.col_offset + self.indent + 1})"

    def add(self, text):
        self._lines.append(f"{'  ' * self._depth}{text} {self._place()}")

    def new(self):
        return f"%v{next(self._count)}"

    def op(self, text, type):
        value = _Scalar(self.new(), type)
        self.add(f"{value.name} = {text}")
        return value

    def translate(self, tree):
        self._block(tree.body)
        return self._prelude + self._lines

    # ---- Numbers ------------------------------------------------------------------------------------------------

    def symbol_value(self, symbol):
        """The SSA name of a size."""
        if symbol in self.scalars:
            return f"%size_{symbol}"
        if symbol not in self._shown:
            self.fail(f"the size '{symbol}' is no extent of an input")
        if symbol not in self._known:
            name, axis = self._shown[symbol]
            buffer, axis_name, result = self.buffers[name], self.new(), self.new()
            self._prelude.append(f"  {axis_name} = arith.constant {axis} : index")
            self._prelude.append(f"  {result} = memref.dim %{name}, {axis_name} : {self.memref(buffer)}")
            self._known[symbol] = result
        return self._known[symbol]

    @staticmethod
    def memref(buffer):
        return "memref<" + "".join(f"{extent if isinstance(extent, int) else '?'}x" for extent in buffer.shape) + (
            buffer.dtype + ">")

    def _is_affine(self, text):
        return not _NOT_AFFINE.search(text)

    def affine_map(self, value):
        """`affine_map<(d0)[s0] -> (..)>(%i)[%n]`, a value, a constant, or None."""
        if isinstance(value, int):
            return str(value)
        text, dims, symbols = str(value), [], []
        if text in value.symbols:
            return self._loops.get(text) or self.symbol_value(text)
        if not self._is_affine(text):
            return None

        def replace(word):
            name = word[0]
            names, prefix = (dims, "d") if name in self._loops else (symbols, "s")
            ssa = self._loops.get(name) or self.symbol_value(name)
            if ssa not in names:
                names.append(ssa)
            return f"{prefix}{names.index(ssa)}"
        body = _TOKEN.sub(replace, text)
        formal = ", ".join(f"d{i}" for i in range(len(dims))), ", ".join(f"s{i}" for i in range(len(symbols)))
        return (f"affine_map<({formal[0]})[{formal[1]}] -> ({body})>({', '.join(dims)})[{', '.join(symbols)}]")

    def index(self, value):
        """An index as a value of MLIR."""
        if isinstance(value, (bool, float)):
            self.fail(f"an integer is expected, actual {value}")
        if isinstance(value, _Scalar):
            if value.type == "index":
                return value
            if is_float(value.type) or value.type == "i1":
                self.fail(f"an index is expected to be an integer, actual {value.type}")
            cast = "index_castui" if value.type.startswith("ui") else "index_cast"
            return self.op(f"arith.{cast} {value.name} : {value.type.lstrip('u')} to index", "index")
        if isinstance(value, int):
            return self.op(f"arith.constant {value} : index", "index")
        text = str(value)
        if text in self._loops:
            return _Scalar(self._loops[text], "index")
        if text in value.symbols:
            return _Scalar(self.symbol_value(text), "index")
        affine = self.affine_map(value)
        return self._compute(text) if affine is None else self.op("affine.apply " + affine, "index")

    def _compute(self, text):
        """An expression that is not affine, operation by operation."""
        def emit(node):
            if isinstance(node, ast.Name):
                return self.index(dim(quoted.get(node.id, node.id)))
            if isinstance(node, ast.Constant):
                return self.index(node.value)
            if isinstance(node, ast.UnaryOp):
                return self.binary(ast.Sub(), self.index(0), emit(node.operand))
            if isinstance(node, ast.Call):
                result = emit(node.args[0])
                for other in node.args[1:]:
                    result = self._extreme(max if node.func.id == "max" else min, result, emit(other))
                return result
            a, b = emit(node.left), emit(node.right)
            if isinstance(node.op, ast.MatMult):
                a, b = self.binary(ast.Sub(), self.index(0), a), b
                return self.binary(ast.Sub(), self.index(0), self.binary(ast.FloorDiv(), a, b))
            return self.binary(node.op, a, b)
        quoted = {}
        for word in re.findall(r'"[^"]*"', text):
            name = f"quoted_{len(quoted)}"
            quoted[name] = word[1:-1]
            text = text.replace(word, name)
        for word, operator in ((" floordiv ", " // "), (" mod ", " % "), (" ceildiv ", " @ ")):
            text = text.replace(word, operator)
        return emit(ast.parse(text, mode="eval").body)

    def typed(self, value, type):
        """A value in a type: numbers and indices take it, other scalars must have it."""
        if isinstance(value, _Scalar):
            if value.type == type:
                return value
            if value.type != "index":
                self.fail(f"element types {type} and {value.type} meet; convert one, as in np.{_name(type)}(x)")
            if is_float(type):
                value = self.op(f"arith.index_cast {value.name} : index to i64", "i64")
                return self.op(f"arith.sitofp {value.name} : i64 to {type}", type)
            return self.op(f"arith.index_cast {value.name} : index to {type}", type)
        if isinstance(value, Expr):
            return self.typed(self.index(value), type)
        if not is_float(type) and isinstance(value, float):
            self.fail(f"the number {value} beside integers of type {type}")
        if type == "index":
            return self.index(value)
        number = format_number(value, type)
        return self.op("arith.constant " + (number if type == "i1" else f"{number} : {type}"), type)

    def join(self, a, b):
        """Two operands in one type, and the type; None when Python knows both."""
        types = [x.type for x in (a, b) if isinstance(x, _Scalar)]
        strong = [type for type in types if type != "index"]
        if strong:
            type = strong[0]
        elif any(isinstance(x, float) for x in (a, b)):
            type = self._float
        else:
            type = "index"
        return self.typed(a, type), self.typed(b, type), type

    def _default(self, value):
        """The type of a value that a loop or a branch changes."""
        if isinstance(value, _Scalar):
            return "i64" if value.type == "index" else value.type
        if isinstance(value, bool):
            return "i1"
        return self._float if isinstance(value, float) else "i64"

    # ---- Expressions --------------------------------------------------------------------------------------------

    def value(self, node):
        outer, self._node = self._node, node
        method = getattr(self, "_value_" + type(node).__name__, None)
        if method is None:
            self.fail(f"'{ast.unparse(node)}' is not understood here")
        result = method(node)
        self._node = outer
        return result

    def _value_Constant(self, node):
        if not _is_number(node.value):
            self.fail(f"a number is expected, actual {node.value!r}")
        return node.value

    def _resolve(self, node):
        """What a name or attribute is in Python; None when it is none."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = self._resolve(node.value)
            return getattr(owner, node.attr, None) if owner is not None else None
        return None

    def _value_Name(self, node):
        for scope in reversed(self._scope):
            if node.id in scope:
                if scope[node.id] is None:
                    self.fail(f"'{node.id}' has a value in one branch only")
                return scope[node.id]
        if node.id in self.buffers:
            self.fail(f"'{node.id}' is a buffer; an element of it needs indices")
        found = self._resolve(node)
        if not _is_number(found) and not isinstance(found, Expr):
            self.fail(f"'{node.id}' is not defined here" if found is None else f"'{node.id}' is no number and no size")
        return size(found)

    def _value_Attribute(self, node):
        if isinstance(node.value, ast.Name) and node.value.id in self.buffers:
            self.fail("of a buffer only elements and `.shape[axis]` are understood")
        found = self._resolve(node)
        if not _is_number(found) and not isinstance(found, Expr):
            self.fail(f"'{ast.unparse(node)}' is no number and no size")
        return size(found)

    def _value_Subscript(self, node):
        owner = node.value
        if isinstance(owner, ast.Attribute) and owner.attr == "shape" and isinstance(owner.value, ast.Name) and (
                owner.value.id in self.buffers):
            axis, shape = self.value(node.slice), self.buffers[owner.value.id].shape
            if not isinstance(axis, int) or not -len(shape) <= axis < len(shape):
                self.fail(f"axis {ast.unparse(node.slice)} is out of range for rank {len(shape)}")
            return shape[axis]
        name, buffer, indices = self._element(node)
        return self._access(name, buffer, indices, None)

    def _element(self, node):
        if not isinstance(node.value, ast.Name) or node.value.id not in self.buffers:
            self.fail(f"'{ast.unparse(node.value)}' is no buffer")
        name = node.value.id
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        buffer = self.buffers[name]
        if len(parts) != len(buffer.shape):
            self.fail(f"'{name}' has rank {len(buffer.shape)}, {len(parts)} indices are given")
        indices = [self.value(part) for part in parts]
        for part, index in zip(parts, indices):
            if isinstance(index, (bool, float)):
                self.fail(f"an index is expected to be an integer, actual {index}", part)
        return name, buffer, indices

    def _is_proved(self, index, extent):
        if isinstance(index, _Scalar):
            return False
        if isinstance(index, int) and isinstance(extent, int):
            if not 0 <= index < extent:
                self.fail(f"index {index} is out of range for extent {extent}")
            return True
        prover, shown = Prover(self._facts), index
        index, extent = expr(index), expr(extent)
        answers = prover.holds(index >= 0), prover.holds(index < extent)
        if False in answers:
            self.fail(f"index {shown} is out of range for extent {extent}")
        return all(answers)

    def _access(self, name, buffer, indices, stored):
        """Loads an element, or stores one. Where an index may be outside it is checked first."""
        type = self.memref(buffer)
        open_axes = [axis for axis, (index, extent) in enumerate(zip(indices, buffer.shape))
                     if not self._is_proved(index, extent)]
        if not open_axes:
            places = [self._affine_operand(index) for index in indices]
            kind = "affine" if all(places) else "memref"
            if kind == "memref":
                places = [self.index(index).name for index in indices]
            if stored is not None:
                self.add(f"{kind}.store {stored.name}, %{name}[{', '.join(places)}] : {type}")
                return None
            return self.op(f"{kind}.load %{name}[{', '.join(places)}] : {type}", buffer.dtype)
        values = [self.index(index) for index in indices]
        inside = None
        for axis in open_axes:
            zero, extent = self.index(0), self.index(buffer.shape[axis])
            for left, right in ((zero, values[axis]), (values[axis], extent)):
                predicate = "sle" if left is zero else "slt"
                test = self.op(f"arith.cmpi {predicate}, {left.name}, {right.name} : index", "i1")
                inside = self.op(f"arith.andi {inside.name}, {test.name} : i1", "i1") if inside else test
        self.add(f"relax_tp.assert {inside.name}, {quote(f'an index of {name} is out of range')}")
        places = ", ".join(value.name for value in values)
        if stored is not None:
            self.add(f"scf.if {inside.name} {{\n{'  ' * self._depth}  memref.store {stored.name}, %{name}[{places}] : "
                     f"{type}\n{'  ' * self._depth}}}")
            return None
        zero, result, loaded = self.typed(0.0 if is_float(buffer.dtype) else 0, buffer.dtype), self.new(), self.new()
        pad = "  " * self._depth
        self.add(f"{result} = scf.if {inside.name} -> ({buffer.dtype}) {{\n{pad}  {loaded} = memref.load "
                 f"%{name}[{places}] : {type}\n{pad}  scf.yield {loaded} : {buffer.dtype}\n{pad}}} else {{\n"
                 f"{pad}  scf.yield {zero.name} : {buffer.dtype}\n{pad}}}")
        return _Scalar(result, buffer.dtype)

    def _affine_operand(self, index):
        """An index as affine.load spells it; None when it is not affine."""
        if isinstance(index, _Scalar):
            return None
        text = str(index)
        if not self._is_affine(text):
            return None

        def replace(word):
            name = word[0]
            return self._loops[name] if name in self._loops else f"symbol({self.symbol_value(name)})"
        return _TOKEN.sub(replace, text)

    def _value_UnaryOp(self, node):
        x = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return (not x) if _is_number(x) else self._not(self._condition(x))
        if isinstance(node.op, ast.UAdd):
            return x
        if not isinstance(node.op, ast.USub):
            self.fail(f"'{ast.unparse(node)}' is not understood here")
        if isinstance(x, _Scalar):
            if is_float(x.type):
                return self.op(f"arith.negf {x.name} : {x.type}", x.type)
            zero = self.typed(0, x.type)
            return self.op(f"arith.subi {zero.name}, {x.name} : {x.type}", x.type)
        return size(0 - x) if isinstance(x, Expr) else -x

    def _not(self, condition):
        one = self.typed(True, "i1")
        return self.op(f"arith.xori {condition.name}, {one.name} : i1", "i1")

    def _value_BinOp(self, node):
        return self.binary(node.op, self.value(node.left), self.value(node.right))

    def binary(self, op, a, b):
        kind = type(op)
        if not isinstance(a, _Scalar) and not isinstance(b, _Scalar):
            mixed = any(isinstance(x, Expr) for x in (a, b)) and any(isinstance(x, float) for x in (a, b))
            if not mixed and not (kind is ast.Div and any(isinstance(x, Expr) for x in (a, b))):
                return self._fold(kind, a, b)
        if kind is ast.Pow and isinstance(b, int) and not isinstance(b, bool) and 1 <= b <= 4:
            result = a
            for _ in range(b - 1):
                result = self.binary(ast.Mult(), result, a)
            return result
        a, b, joined = self.join(a, b)
        if joined == "i1":
            self.fail("bools are combined with and, or and not")
        if is_float(joined):
            if kind in (ast.Add, ast.Sub, ast.Mult, ast.Div):
                name = {ast.Add: "addf", ast.Sub: "subf", ast.Mult: "mulf", ast.Div: "divf"}[kind]
                return self.op(f"arith.{name} {a.name}, {b.name} : {joined}", joined)
            if kind is ast.Pow:
                return self.op(f"math.powf {a.name}, {b.name} : {joined}", joined)
            if kind is ast.FloorDiv:
                quotient = self.op(f"arith.divf {a.name}, {b.name} : {joined}", joined)
                return self.op(f"math.floor {quotient.name} : {joined}", joined)
        elif kind in (ast.Add, ast.Sub, ast.Mult):
            name = {ast.Add: "addi", ast.Sub: "subi", ast.Mult: "muli"}[kind]
            return self.op(f"arith.{name} {a.name}, {b.name} : {joined}", joined)
        elif kind in (ast.FloorDiv, ast.Mod):
            zero, one = self.typed(0, joined), self.typed(1, joined)
            test = self.op(f"arith.cmpi ne, {b.name}, {zero.name} : {joined}", "i1")
            self.add(f"relax_tp.assert {test.name}, \"division by zero\"")
            b = self.op(f"arith.select {test.name}, {b.name}, {one.name} : {joined}", joined)
            quotient = self.op(f"arith.floordivsi {a.name}, {b.name} : {joined}", joined)
            if kind is ast.FloorDiv:
                return quotient
            whole = self.op(f"arith.muli {quotient.name}, {b.name} : {joined}", joined)
            return self.op(f"arith.subi {a.name}, {whole.name} : {joined}", joined)
        return self.fail("this operator is not understood for elements of type " + joined)

    def _fold(self, kind, a, b):
        try:
            result = {ast.Add: lambda: a + b, ast.Sub: lambda: a - b, ast.Mult: lambda: a * b, ast.Div: lambda: a / b,
                      ast.FloorDiv: lambda: a // b, ast.Mod: lambda: a % b, ast.Pow: lambda: a ** b}[kind]()
        except KeyError:
            self.fail("this operator is not understood")
        except (ArithmeticError, TypeError, RelaxError) as error:
            self.fail(str(error))
        return size(result)

    def _condition(self, value):
        if isinstance(value, bool):
            return self.typed(value, "i1")
        if not isinstance(value, _Scalar) or value.type != "i1":
            self.fail("a condition is expected to be a comparison")
        return value

    def _value_Compare(self, node):
        values, result = [self.value(part) for part in [node.left, *node.comparators]], None
        for op, a, b in zip(node.ops, values, values[1:]):
            if type(op) not in _COMPARE:
                self.fail("this comparison is not understood")
            if _is_number(a) and _is_number(b):
                test = self.typed(_PYTHON_COMPARE[type(op)](a, b), "i1")
            else:
                a, b, joined = self.join(a, b)
                ordered, name = _COMPARE[type(op)]
                sign = "" if name in ("eq", "ne") else "s"
                test = (self.op(f"arith.cmpf {ordered}, {a.name}, {b.name} : {joined}", "i1") if is_float(joined) else
                        self.op(f"arith.cmpi {sign}{name}, {a.name}, {b.name} : {joined}", "i1"))
            result = self.op(f"arith.andi {result.name}, {test.name} : i1", "i1") if result else test
        return result

    def _value_BoolOp(self, node):
        name = "andi" if isinstance(node.op, ast.And) else "ori"
        parts = [self._condition(self.value(part)) for part in node.values]
        result = parts[0]
        for part in parts[1:]:
            result = self.op(f"arith.{name} {result.name}, {part.name} : i1", "i1")
        return result

    def _value_IfExp(self, node):
        condition = self._condition(self.value(node.test))
        a, b, joined = self.join(self.value(node.body), self.value(node.orelse))
        return self.op(f"arith.select {condition.name}, {a.name}, {b.name} : {joined}", joined)

    def _value_Call(self, node):
        found = self._resolve(node.func)
        name = getattr(found, "__name__", "")
        if node.keywords or found is None:
            self.fail(f"the call of '{ast.unparse(node.func)}' is not understood")
        arguments = [self.value(argument) for argument in node.args]
        if found in (min, max) and len(arguments) >= 2:
            result = arguments[0]
            for other in arguments[1:]:
                result = self._extreme(found, result, other)
            return result
        if len(arguments) != 1:
            self.fail(f"the call of '{ast.unparse(node.func)}' is not understood")
        x = arguments[0]
        if found is float or found is int:
            return self._convert(x, self._float if found is float else "i64")
        if name in _NUMPY and getattr(found, "__module__", "") == "numpy":
            return self._convert(x, _NUMPY[name])
        if found is abs and isinstance(x, _Scalar) and not is_float(x.type):
            return self.op(f"math.absi {x.name} : {x.type}", x.type)
        op = "math.absf" if found is abs else _MATH.get(name)
        if op is None:
            self.fail(f"the function '{ast.unparse(node.func)}' is not understood")
        if not isinstance(x, _Scalar) or x.type == "index":
            x = self.typed(float(x) if _is_number(x) else x, self._float)
        if not is_float(x.type):
            self.fail(f"'{name}' takes floats, actual {x.type}")
        return self.op(f"{op} {x.name} : {x.type}", x.type)

    def _extreme(self, function, a, b):
        if _is_number(a) and _is_number(b):
            return function(a, b)
        a, b, joined = self.join(a, b)
        name = f"{function.__name__}imumf" if is_float(joined) else f"{function.__name__}si"
        return self.op(f"arith.{name} {a.name}, {b.name} : {joined}", joined)

    def _convert(self, x, to):
        if not isinstance(x, _Scalar):
            return self.typed(bool(x) if to == "i1" else float(x) if is_float(to) and _is_number(x) else x, to)
        if x.type in (to, "index"):
            return self.typed(x, to)
        def bits(type):
            return int(re.sub(r"\D", "", type))
        if to == "i1":
            zero = self.typed(0.0 if is_float(x.type) else 0, x.type)
            return self.op(f"arith.cmpf une, {x.name}, {zero.name} : {x.type}" if is_float(x.type) else
                           f"arith.cmpi ne, {x.name}, {zero.name} : {x.type}", "i1")
        if is_float(x.type) and is_float(to):
            op = "extf" if bits(to) > bits(x.type) else "truncf"
        elif is_float(x.type):
            op = "fptosi"
        elif is_float(to):
            op = "uitofp" if x.type == "i1" else "sitofp"
        else:
            op = "extui" if x.type == "i1" else "extsi" if bits(to) > bits(x.type) else "trunci"
        return self.op(f"arith.{op} {x.name} : {x.type} to {to}", to)

    # ---- Statements ---------------------------------------------------------------------------------------------

    def _block(self, nodes):
        for node in nodes:
            self._node = node
            method = getattr(self, "_do_" + type(node).__name__, None)
            if method is None:
                self.fail(f"'{ast.unparse(node).splitlines()[0]}' is not understood here")
            method(node)

    def _do_Pass(self, node):
        pass

    def _do_Expr(self, node):
        if not isinstance(node.value, ast.Constant) or not isinstance(node.value.value, str):
            self.fail(f"'{ast.unparse(node)}' has no effect")

    def _do_Assert(self, node):
        condition = self._condition(self.value(node.test))
        message = node.msg.value if isinstance(node.msg, ast.Constant) else ast.unparse(node.test) + " does not hold"
        self.add(f"relax_tp.assert {condition.name}, {quote(str(message))}")

    def _do_Assign(self, node):
        if len(node.targets) != 1:
            self.fail("one target is expected")
        self._store(node.targets[0], self.value(node.value))

    def _do_AugAssign(self, node):
        load = ast.copy_location(ast.parse(ast.unparse(node.target), mode="eval").body, node.target)
        for part in ast.walk(load):
            ast.copy_location(part, node.target)
        self._store(node.target, self.binary(node.op, self.value(load), self.value(node.value)))

    def _store(self, target, value):
        if isinstance(target, ast.Name):
            if target.id in self.buffers:
                self.fail(f"'{target.id}' is a buffer; its elements are assigned", target)
            for scope in reversed(self._scope):
                if target.id in scope:
                    scope[target.id] = value
                    return
            self._scope[-1][target.id] = value
            return
        if not isinstance(target, ast.Subscript):
            self.fail(f"'{ast.unparse(target)}' cannot be assigned", target)
        name, buffer, indices = self._element(target)
        if not buffer.is_out:
            self.fail(f"'{name}' is an input and is only read", target)
        self._access(name, buffer, indices, self.typed(value, buffer.dtype))

    def _carried(self, nodes):
        """Scalars from before that the statements change: their names and types."""
        names = [name for name in _assigned(nodes) if any(scope.get(name) is not None for scope in self._scope)]
        return {name: self._default(self._value_Name(ast.Name(name, lineno=0))) for name in names}

    def _do_For(self, node):
        if node.orelse:
            self.fail("a loop without else is expected")
        if not isinstance(node.iter, ast.Call) or node.iter.keywords:
            self.fail("a loop over range(...) or relax.grid(...) is expected", node.iter)
        found = self._resolve(node.iter.func)
        arguments = [self.value(argument) for argument in node.iter.args]
        if getattr(found, "__name__", "") == "grid" and found is not range:
            targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
            if len(targets) != len(arguments):
                self.fail(f"{len(arguments)} loop variables are expected, actual {len(targets)}")
            return self._nest([(target, (0, extent, 1)) for target, extent in zip(targets, arguments)], node.body)
        if found is not range or not 1 <= len(arguments) <= 3:
            self.fail("a loop over range(...) or relax.grid(...) is expected", node.iter)
        bounds = (0, arguments[0], 1) if len(arguments) == 1 else (*arguments, 1)[:3]
        if not isinstance(bounds[2], int) or bounds[2] < 1:
            self.fail("a step is expected to be a number of 1 or more", node.iter)
        return self._nest([(node.target, bounds)], node.body)

    def _nest(self, loops, body):
        (target, bounds), inner = loops[0], loops[1:]
        if not isinstance(target, ast.Name):
            self.fail("a loop variable is expected to be a name", target)
        if target.id in self.buffers or any(target.id in scope for scope in self._scope):
            self.fail(f"the loop variable '{target.id}' is used for something else", target)
        place, carried = self._node, self._carried(body)
        starts = {name: self.typed(self._value_Name(ast.Name(name)), type) for name, type in carried.items()}
        symbol = next(name for name in itertools.chain([target.id], (f"{target.id}_{i}" for i in itertools.count()))
                      if name not in self._used)
        self._used.add(symbol)
        low, high = (bound if isinstance(bound, _Scalar) else self.affine_map(bound) for bound in bounds[:2])
        # A symbol is a number of 0 or more.
        if isinstance(low, _Scalar) or isinstance(high, _Scalar) or low is None or high is None or (
                Prover(self._facts).holds(expr(bounds[0]) >= 0) is not True):
            return self._dynamic(target, symbol, bounds, carried, starts, inner, body)
        variable, facts = self.new(), len(self._facts)
        step = f" step {bounds[2]}" if bounds[2] != 1 else ""
        names = {name: self.new() for name in carried}
        heads = ", ".join(f"{names[name]} = {starts[name].name}" for name in carried)
        types = f"({', '.join(carried.values())})"
        carries = f" iter_args({heads}) -> {types}" if carried else ""
        results = [self.new() for _ in carried]
        made = f"{', '.join(results)} = " if results else ""
        self._lines.append(f"{'  ' * self._depth}{made}affine.for {variable} = {low} to {high}{step}{carries} {{")
        loop, low, high = dim(symbol), expr(bounds[0]), expr(bounds[1])
        self._facts += [str(loop >= low), str(loop < high)]
        self._loops[symbol] = variable
        self._inside({target.id: loop}, names, carried, inner, body, "affine.yield")
        self._node = place
        self._lines.append(f"{'  ' * self._depth}}} {self._place()}")
        del self._facts[facts:], self._loops[symbol]
        for name, result in zip(carried, results):
            self._store(ast.Name(name), _Scalar(result, carried[name]))

    def _dynamic(self, target, symbol, bounds, carried, starts, inner, body):
        """Bounds that are computed: the variable is a scalar, of which nothing is proved."""
        low, high, step = (self.index(bound) for bound in bounds)
        place, variable, names = self._node, self.new(), {name: self.new() for name in carried}
        heads = ", ".join(f"{names[name]} = {starts[name].name}" for name in carried)
        carries = f" iter_args({heads}) -> ({', '.join(carried.values())})" if carried else ""
        results = [self.new() for _ in carried]
        made = f"{', '.join(results)} = " if results else ""
        self._lines.append(f"{'  ' * self._depth}{made}scf.for {variable} = {low.name} to {high.name} step {step.name}"
                           f"{carries} {{")
        self._inside({target.id: _Scalar(variable, "index")}, names, carried, inner, body, "scf.yield")
        self._node = place
        self._lines.append(f"{'  ' * self._depth}}} {self._place()}")
        for name, result in zip(carried, results):
            self._store(ast.Name(name), _Scalar(result, carried[name]))

    def _inside(self, variables, names, carried, inner, body, end):
        """The inside of a loop or branch, with values of its own for what it changes."""
        self._scope.append({**variables, **{name: _Scalar(ssa, carried[name]) for name, ssa in names.items()}})
        self._depth += 1
        if inner:
            self._nest(inner, body)
        else:
            self._block(body)
        scope = self._scope[-1]
        values = [self.typed(scope[name], type) for name, type in carried.items()]
        if carried:
            self.add(f"{end} {', '.join(value.name for value in values)} : {', '.join(carried.values())}")
        self._depth -= 1
        self._scope.pop()

    def _do_If(self, node):
        test, place = self.value(node.test), self._node
        if isinstance(test, bool):
            return self._block(node.body if test else node.orelse)
        condition, carried = self._condition(test), self._carried([*node.body, *node.orelse])
        before = {name: self.typed(self._value_Name(ast.Name(name)), type) for name, type in carried.items()}
        names = {name: value.name for name, value in before.items()}
        results = [self.new() for _ in carried]
        head = f"{', '.join(results)} = scf.if {condition.name} -> ({', '.join(carried.values())})" if carried else (
            f"scf.if {condition.name}")
        self._lines.append(f"{'  ' * self._depth}{head} {{")
        facts = len(self._facts)
        self._facts += self._facts_of(node.test)
        self._inside({}, names, carried, [], node.body, "scf.yield")
        del self._facts[facts:]
        self._node = place
        if carried or node.orelse:
            self._lines.append(f"{'  ' * self._depth}}} else {{")
            self._inside({}, names, carried, [], node.orelse, "scf.yield")
            self._node = place
        self._lines.append(f"{'  ' * self._depth}}} {self._place()}")
        for name, result in zip(carried, results):
            self._store(ast.Name(name), _Scalar(result, carried[name]))

    def _facts_of(self, node):
        """What a condition says about sizes and loop variables."""
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            return [fact for part in node.values for fact in self._facts_of(part)]
        facts = []
        if isinstance(node, ast.Compare) and ast.NotEq not in map(type, node.ops):
            count = len(self._lines)
            values = [self.value(part) for part in [node.left, *node.comparators]]
            if len(self._lines) == count:
                for op, a, b in zip(node.ops, values, values[1:]):
                    if all(isinstance(x, (int, Expr)) and not isinstance(x, bool) for x in (a, b)) and (
                            isinstance(a, Expr) or isinstance(b, Expr)):
                        text = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "=="}[type(op)]
                        facts.append(f"{a} {text} {b}")
            del self._lines[count:]
        return facts


def _name(type):
    return next(name for name, mlir in _NUMPY.items() if mlir == type)
