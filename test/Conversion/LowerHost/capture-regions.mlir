// RUN: relax-opt %s --split-input-file --relax-capture-regions | FileCheck %s
// RUN: relax-opt %s --split-input-file --relax-capture-regions=max-calls=2 | FileCheck %s --check-prefix=MAX
// RUN: relax-opt %s --split-input-file --relax-capture-regions --relax-lower-host | FileCheck %s --check-prefix=HOST

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
relax_tp.func private @relu(%x: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}

// Three launches of n: the key is n, whatever else the function depends on. The table has the argument, two places of
// the arena, and the result.
// CHECK-LABEL: func.func @chain(
//       CHECK:   call_tp @relu({{.*}} {relax.capture = 0 : i64}
//       CHECK:   call_tp @relu({{.*}} {relax.capture = 0 : i64}
//       CHECK:   call_tp @relu({{.*}} {relax.capture = 0 : i64}

// One call is left over.
//   MAX-LABEL: func.func @chain(
//         MAX:   call_tp @relu({{.*}} {relax.capture = 0 : i64}
//         MAX:   call_tp @relu({{.*}} {relax.capture = 0 : i64}
//     MAX-NOT:   relax.capture
//         MAX:   return

// The argument, its size as the key, the table of three addresses; then the launches, by their places in the table.
// HOST-LABEL: func.func @relax_entry_chain(
//       HOST:   %[[N:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
//       HOST:   llvm.store %{{.*}}, %[[TABLE:[0-9]+]] : !llvm.ptr, !llvm.ptr
//       HOST:   llvm.store %[[N]], %[[KEY:[0-9]+]] : i64, !llvm.ptr
//  HOST-NEXT:   %[[REGION:.*]] = arith.constant 0 : i64
//  HOST-NEXT:   %[[COUNT:.*]] = arith.constant 1 : i64
//  HOST-NEXT:   %[[ADDRESSES:.*]] = arith.constant 3 : i64
//       HOST:   llvm.getelementptr inbounds %{{.*}}[11]
//       HOST:   llvm.call %{{.*}}(%arg0, %[[REGION]], %[[KEY]], %[[COUNT]], %[[TABLE]], %[[ADDRESSES]], %{{.*}})
//       HOST:   %[[DONE:.*]] = arith.cmpi ne
//  HOST-NEXT:   cf.cond_br %[[DONE]], ^[[AFTER:.*]], ^[[RECORD:.*]]
//  HOST-NEXT: ^[[RECORD]]:
//       HOST:   llvm.store %[[N]], %[[SCALARS:[0-9]+]] : i64, !llvm.ptr
//       HOST:   llvm.getelementptr inbounds %{{.*}}[12]
//       HOST: ^[[AFTER]]:
//       HOST:   return
func.func @chain(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %s = relax.shape_of %x : tensor<?xf32, #n> -> !relax.shape<[n]>
  %bytes = relax.eval_expr %s, (n ceildiv 16) * 64 : !relax.shape<[n]> -> index
  %arena = relax.storage %bytes {alignment = 64 : i64, space = "arena"} : !relax.storage
  %a = relax.tensor_at %arena[%c0], %s : (!relax.storage, index, !relax.shape<[n]>) -> tensor<?xf32, #n>
  %1 = relax.call_tp @relu(%x) into(%a) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %size = relax.eval_expr %s, n * 4 : !relax.shape<[n]> -> index
  %out = relax.storage %size {alignment = 64 : i64, relax.output = 0 : i64, space = "output"} : !relax.storage
  %b = relax.tensor_at %out[%c0], %s : (!relax.storage, index, !relax.shape<[n]>) -> tensor<?xf32, #n>
  %2 = relax.call_tp @relu(%1) into(%b) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %3 = relax.call_tp @relu(%2) into(%b) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %3 : tensor<?xf32, #n>
}

// -----

// What may not stand between two launches of a region ends it: programs that find extents, reads of tensors, branches with those.
#n = #relax_sym.shape<[n]>
relax_tp.func private @relu(%x: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
// CHECK-LABEL: func.func @ends(
//       CHECK:   call_tp @relu({{.*}} {relax.capture = 0 : i64}
//       CHECK:   call_tp @relu({{.*}} {relax.capture = 0 : i64}
//       CHECK:   tensor.extract
//       CHECK:   scf.if
//       CHECK:     tensor.extract
//   CHECK-NOT:     relax.capture
//       CHECK:   } else {
//       CHECK:     call_tp @relu({{.*}} {relax.capture = 1 : i64}
//       CHECK:     call_tp @relu({{.*}} {relax.capture = 1 : i64}
//       CHECK:   }
//   CHECK-NOT:   relax.capture
//       CHECK:   return
func.func @ends(%x: tensor<?xf32, #n>, %flag: tensor<i1>, %a: tensor<?xf32, #n>, %b: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %1 = relax.call_tp @relu(%x) into(%a) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %2 = relax.call_tp @relu(%1) into(%b) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %c = tensor.extract %flag[] : tensor<i1>
  scf.if %c {
    %3 = relax.call_tp @relu(%2) into(%a) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
    %d = tensor.extract %flag[] : tensor<i1>
  } else {
    %3 = relax.call_tp @relu(%2) into(%a) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
    %4 = relax.call_tp @relu(%3) into(%b) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  }
  %5 = relax.call_tp @relu(%2) into(%a) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return
}

// -----

// A branch of which each side only makes launches is in the region, with its condition in the key. One with more launches than a
// region may have is not.
#n = #relax_sym.shape<[n]>
relax_tp.func private @relu(%x: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
relax_ext.func private @mark(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {capturable, symbol = "lib_mark", relax_sym.scope = #relax_sym.scope<>}
// CHECK-LABEL: func.func @branch(
//       CHECK:   call_tp @relu({{.*}} {relax.capture = 0 : i64}
//       CHECK:   relax_ext.available
//       CHECK:   scf.if
//   CHECK-NOT:     relax.capture
//       CHECK:   } {relax.capture = 0 : i64}
//       CHECK:   call_tp @relu({{.*}} {relax.capture = 0 : i64}

//   MAX-LABEL: func.func @branch(
//         MAX:   call_tp @relu
//     MAX-NOT:   relax.capture
//         MAX:   } else {
//         MAX:     call_tp @relu({{.*}} {relax.capture = 0 : i64}
//         MAX:     call_tp @relu({{.*}} {relax.capture = 0 : i64}
//     MAX-NOT:   relax.capture
//         MAX:   return

// The key is n and whether the library is there: 2 numbers, 3 addresses.
//  HOST-LABEL: func.func @relax_entry_branch(
//        HOST:   llvm.getelementptr inbounds %[[API:[0-9]+]][9]
//        HOST:   %[[FOUND:.*]] = arith.cmpi ne
//        HOST:   cf.cond_br %[[FOUND]]
//        HOST:   %[[OTHER:.*]] = arith.xori %[[FOUND]], %{{.*}} : i1
//        HOST:   %[[COUNT:.*]] = arith.constant 2 : i64
//   HOST-NEXT:   %[[ADDRESSES:.*]] = arith.constant 3 : i64
//        HOST:   llvm.getelementptr inbounds %[[API]][11]
//        HOST:   cf.cond_br %[[FOUND]]
//        HOST:   cf.cond_br %[[OTHER]]
func.func @branch(%x: tensor<?xf32, #n>, %a: tensor<?xf32, #n>, %b: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %true = arith.constant true
  %1 = relax.call_tp @relu(%x) into(%a) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %c = relax_ext.available @mark if %true {site = 0 : i64}
  %2 = scf.if %c -> tensor<?xf32, #n> {
    %3 = relax.call_dps @mark(%1) into(%b) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
    scf.yield %3 : tensor<?xf32, #n>
  } else {
    %3 = relax.call_tp @relu(%1) into(%b) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
    %4 = relax.call_tp @relu(%3) into(%b) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
    %5 = relax.call_tp @relu(%4) into(%b) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
    scf.yield %5 : tensor<?xf32, #n>
  }
  %6 = relax.call_tp @relu(%2) into(%a) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return
}

// -----

// Library functions that may be recorded are launches like others: their sizes are in the key, their scratch memory in the
// table. Those that do not say so end a region.
#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
relax_tp.func private @relu(%x: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
relax_ext.func private @mark(%x: tensor<?xf32> {relax_sym.shape = #n}, %y: tensor<?xf32> {relax_sym.shape = #m})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {capturable, symbol = "lib_mark", workspace_bytes = #relax_sym.expr<n * 4>, relax_sym.scope = #relax_sym.scope<>}
relax_ext.func private @plain(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {symbol = "lib_plain", relax_sym.scope = #relax_sym.scope<>}

// CHECK-LABEL: func.func @inside(
//       CHECK:   call_tp @relu({{.*}} {relax.capture = 0 : i64}
//       CHECK:   call_dps @mark({{.*}} {relax.capture = 0 : i64
//       CHECK:   call_tp @relu({{.*}} {relax.capture = 0 : i64}

// The key is n and m; x, a, y, the scratch memory and b are five addresses. The call is function 0 with four of them.
//  HOST-LABEL: func.func @relax_entry_inside(
//        HOST:   llvm.store %[[N:[0-9]+]], %[[KEY:[0-9]+]] : i64, !llvm.ptr
//   HOST-NEXT:   %[[SECOND:.*]] = llvm.getelementptr inbounds %[[KEY]][1]
//   HOST-NEXT:   llvm.store %[[M:[0-9]+]], %[[SECOND]] : i64, !llvm.ptr
//   HOST-NEXT:   %[[REGION:.*]] = arith.constant 0 : i64
//   HOST-NEXT:   %[[COUNT:.*]] = arith.constant 2 : i64
//   HOST-NEXT:   %[[ADDRESSES:.*]] = arith.constant 5 : i64
//        HOST:   llvm.getelementptr inbounds %{{.*}}[11]
//        HOST:   llvm.call %{{.*}}(%arg0, %[[REGION]], %[[KEY]], %[[COUNT]], %{{.*}}, %[[ADDRESSES]], %{{.*}})
//        HOST:   llvm.getelementptr inbounds %{{.*}}[12]
//        HOST:   %[[FUNCTION:.*]] = arith.constant 0 : i64
//   HOST-NEXT:   %[[ARGS:.*]] = arith.constant 4 : i64
//        HOST:   llvm.getelementptr inbounds %{{.*}}[14]
//        HOST:   llvm.call %{{.*}}(%arg0, %[[FUNCTION]], %{{.*}}, %{{.*}}, %[[ARGS]], %{{.*}}, %{{.*}})
//        HOST:   llvm.getelementptr inbounds %{{.*}}[12]
//        HOST:   llvm.getelementptr inbounds %{{.*}}[13]
func.func @inside(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>, %a: tensor<?xf32, #n>, %b: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %s = relax.shape_of %x : tensor<?xf32, #n> -> !relax.shape<[n]>
  %bytes = relax.eval_expr %s, (n ceildiv 16) * 64 : !relax.shape<[n]> -> index
  %arena = relax.storage %bytes {alignment = 64 : i64, space = "arena"} : !relax.storage
  %1 = relax.call_tp @relu(%x) into(%a) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %2 = relax.call_dps @mark(%1, %y) into(%b) {relax.workspace_offset = #relax_sym.expr<0>} : (tensor<?xf32, #n>, tensor<?xf32, #m>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %3 = relax.call_tp @relu(%2) into(%a) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return
}

// CHECK-LABEL: func.func @outside(
//       CHECK:   call_tp @relu({{.*}} {relax.capture = 0 : i64}
//       CHECK:   call_tp @relu({{.*}} {relax.capture = 0 : i64}
//       CHECK:   call_dps @plain(
//   CHECK-NOT:   relax.capture
//       CHECK:   call_tp @relu({{.*}} {relax.capture = 1 : i64}
//       CHECK:   call_tp @relu({{.*}} {relax.capture = 1 : i64}

//  HOST-LABEL: func.func @relax_entry_outside(
// Blocks of the recording are printed behind what follows the region.
//        HOST:   llvm.getelementptr inbounds %[[API:[0-9]+]][11]
//    HOST-NOT:   llvm.getelementptr inbounds %[[API]][14]
//        HOST:   llvm.getelementptr inbounds %[[API]][3]
//        HOST:   llvm.getelementptr inbounds %[[API]][13]
//        HOST:   llvm.getelementptr inbounds %[[API]][11]
//    HOST-NOT:   llvm.getelementptr inbounds %[[API]][14]
//        HOST:   llvm.getelementptr inbounds %[[API]][13]
func.func @outside(%x: tensor<?xf32, #n>, %a: tensor<?xf32, #n>, %b: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %1 = relax.call_tp @relu(%x) into(%a) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %2 = relax.call_tp @relu(%1) into(%b) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %3 = relax.call_dps @plain(%2) into(%a) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %4 = relax.call_tp @relu(%3) into(%b) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %5 = relax.call_tp @relu(%4) into(%a) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return
}
