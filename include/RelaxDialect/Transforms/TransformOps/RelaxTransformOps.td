//===- RelaxTransformOps.td - Transform ops on handles ----*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TRANSFORMS_TRANSFORMOPS_RELAXTRANSFORMOPS
#define RELAXDIALECT_TRANSFORMS_TRANSFORMOPS_RELAXTRANSFORMOPS

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Dialect/Transform/IR/TransformTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

class RelaxTransformOp<string mnemonic> : Op<Transform_Dialect, "relax." # mnemonic, [
    DeclareOpInterfaceMethods<TransformOpInterface>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let cppNamespace = "::mlir::relax::transform_ops";
}

def RelaxFuseOp : RelaxTransformOp<"fuse"> {
  let summary = "Makes one tensor program of some calls.";
  let description = [{
    The handle is to calls of tensor programs (`relax.call_tp`) in one block, in any order; only the last one's results
    may be used by others. They become one call, where the last one was, of a new program: what `relax-fuse-ops` would
    decide is decided by the handle, what `relax-fuse-tensor-programs` needs must be there. Gives a handle to the new
    call and consumes the one to the calls. Where they cannot become one program, that is a silenceable failure that
    says why; the calls then stand next to each other.

    Example:
    ```mlir
    %calls = transform.structured.match ops{["relax.call_tp"]} in %function : (!transform.any_op) -> !transform.any_op
    %fused = transform.relax.fuse %calls : (!transform.any_op) -> !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$calls);
  let results = (outs TransformHandleTypeInterface:$fused);
  let assemblyFormat = "$calls attr-dict `:` functional-type(operands, results)";
}

def RelaxDispatchOp : RelaxTransformOp<"dispatch"> {
  let summary = "Calls library functions where patterns match at some ops.";
  let description = [{
    The handle is to graph ops. Where a pattern with a library function, of the files that `libraries` names, has one of
    them as its last op, it becomes a choice between the library function and what is there (`scf.if`), as
    `relax-dispatch-libraries` makes one. Ops that no pattern matches stay as they are. Gives a handle to the choices.

    Example:
    ```mlir
    %choices = transform.relax.dispatch %products {libraries = ["openblas.mlir"]} : (!transform.any_op) -> !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$roots, StrArrayAttr:$libraries);
  let results = (outs TransformHandleTypeInterface:$choices);
  let assemblyFormat = "$roots attr-dict `:` functional-type(operands, results)";
}

def RelaxPlanOp : RelaxTransformOp<"plan"> {
  let summary = "Plans the memory of some functions.";
  let description = [{
    The handle is to functions of the destination phase; after it they are in the planned phase, as `relax-plan-memory`
    makes them. Without `share` every tensor of the arena has a place of its own. Consumes the handle, since destinations
    are replaced, and gives one to the same functions.

    Example:
    ```mlir
    %planned = transform.relax.plan %functions {share = true} : (!transform.any_op) -> !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$functions, DefaultValuedAttr<BoolAttr, "true">:$share);
  let results = (outs TransformHandleTypeInterface:$planned);
  let assemblyFormat = "$functions attr-dict `:` functional-type(operands, results)";
}

#endif // RELAXDIALECT_TRANSFORMS_TRANSFORMOPS_RELAXTRANSFORMOPS
