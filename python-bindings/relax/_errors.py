# Licensed under the Apache License, Version 2.0. See LICENSE.
"""What the package raises."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """A message of the compiler. `line` is 0 where no place is known."""

    severity: str
    message: str
    file: str
    line: int
    column: int

    def __str__(self):
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        return f"{place}{self.severity}: {self.message}"


class RelaxError(RuntimeError):
    """A failure of the compiler, the interpreter or the runtime.

    The text has all messages with their places. `status` is the kind ("invalid module", "shape mismatch", ...), and
    `diagnostics` are the compiler's messages as objects; the runtime has none.
    """

    def __init__(self, text, status="", diagnostics=()):
        super().__init__(text)
        self.status: str = status
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
