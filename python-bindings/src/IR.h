//===- IR.h - Operations and values in Python -------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_PYTHON_IR_H
#define RELAX_PYTHON_IR_H

#include "Compiler.h"

namespace relax_python {

/// Op and Value.
void bindIR(nb::module_ &module);
/// The operations of a module. `owner` is the module's object, which the operations keep alive.
nb::list walkModule(relax_module *module, nb::handle owner, const char *name);

} // namespace relax_python

#endif // RELAX_PYTHON_IR_H
