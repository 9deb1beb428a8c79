// RUN: relax-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(relax-print-aliases))' -o /dev/null 2>&1 | FileCheck %s

#n = #relax_sym.shape<[n]>
relax_tp.func private @relu(%x: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}

// A result is the memory that its call writes to; names are what they name. %2, which no call writes, is itself.
// CHECK-LABEL: @straight:
//  CHECK-NEXT:   %2 may be %1
//  CHECK-NEXT:   %3 may be %1
//  CHECK-NEXT:   %4 may be %arg0
//   CHECK-NOT:   may be
func.func @straight(%x: tensor<?xf32, #n>) -> (tensor<?xf32>, tensor<?xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %s = relax.shape_of %x : tensor<?xf32, #n> -> !relax.shape<[n]>
  %d = relax.alloc %s : (!relax.shape<[n]>) -> tensor<?xf32, #n>
  %1 = relax.call_tp @relu(%x) into(%d) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %2 = relax.erase_shape %1 : tensor<?xf32, #n> to tensor<?xf32>
  %3 = relax.erase_shape %x : tensor<?xf32, #n> to tensor<?xf32>
  return %2, %3 : tensor<?xf32>, tensor<?xf32>
}

// -----

#n = #relax_sym.shape<[n]>
relax_tp.func private @relu(%x: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}

// What branches and iterations hand on may be any of them.
// CHECK-LABEL: @flow:
//  CHECK-NEXT:   [[IF:%[0-9]+]] may be %arg0, %arg1
//  CHECK-NEXT:   [[LOOP:%[0-9]+]] may be %arg0, %arg1, [[ALLOC:%[0-9]+]]
//  CHECK-NEXT:   [[CARRIED:%arg[0-9]+]] may be %arg0, %arg1, [[ALLOC]]
//  CHECK-NEXT:   [[CALL:%[0-9]+]] may be [[ALLOC]]
//   CHECK-NOT:   may be
func.func @flow(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #n>, %c: i1, %trips: index) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = relax.shape_of %x : tensor<?xf32, #n> -> !relax.shape<[n]>
  %0 = scf.if %c -> tensor<?xf32, #n> {
    scf.yield %x : tensor<?xf32, #n>
  } else {
    scf.yield %y : tensor<?xf32, #n>
  }
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %0) -> (tensor<?xf32, #n>) {
    %d = relax.alloc %s : (!relax.shape<[n]>) -> tensor<?xf32, #n>
    %1 = relax.call_tp @relu(%a) into(%d) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
    scf.yield %1 : tensor<?xf32, #n>
  }
  return %r : tensor<?xf32, #n>
}

// -----

#n = #relax_sym.shape<[n]>
#p = #relax_sym.shape<[p]>
func.func private @same(%x: tensor<?xf32, #p>) -> tensor<?xf32, #p> attributes {relax_sym.scope = #relax_sym.scope<>} {
  return %x : tensor<?xf32, #p>
}

// A function gives what it was given, or memory of its own.
// CHECK-LABEL: @calls:
//  CHECK-NEXT:   %0 may be %arg0, %0
//   CHECK-NOT:   may be
func.func @calls(%x: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call @same(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %0 : tensor<?xf32, #n>
}

// -----

#n = #relax_sym.shape<[n, 4]>
#m = #relax_sym.shape<[n * 4]>

// A view is the memory of its operand.
// CHECK-LABEL: @views:
//  CHECK-NEXT:   %2 may be %arg0
//   CHECK-NOT:   may be
func.func @views(%x: tensor<?x4xf32, #n>) -> tensor<?xf32, #m> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.shape_of %x : tensor<?x4xf32, #n> -> !relax.shape<[n, 4]>
  %1 = relax.make_shape %0 : (!relax.shape<[n, 4]>) -> !relax.shape<[n * 4]>
  %2 = relax.reshape %x, %1 : (tensor<?x4xf32, #n>, !relax.shape<[n * 4]>) -> tensor<?xf32, #m>
  return %2 : tensor<?xf32, #m>
}
