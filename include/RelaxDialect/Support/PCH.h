//===- PCH.h - Headers that nearly every file includes ---------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Precompiled once. Never include it: files name what they use, and
// utils/check_headers.py compiles headers without it.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_SUPPORT_PCH_H
#define RELAXDIALECT_SUPPORT_PCH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

#endif // RELAXDIALECT_SUPPORT_PCH_H
