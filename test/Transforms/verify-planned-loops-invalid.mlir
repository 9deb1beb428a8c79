// RUN: relax-opt %s --split-input-file --relax-verify-planned --verify-diagnostics

relax_tp.func private @same(%x: tensor<8xf32>) outs(%o: tensor<8xf32>) {
  relax_tp.yield %o : tensor<8xf32>
}
// What the next iteration reads is overwritten there.
func.func @carried(%x: tensor<8xf32>, %count: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %st = relax.storage %c32 {alignment = 64 : i64, space = "arena"} : !relax.storage
  // expected-note @below {{the loop is here}}
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x) -> (tensor<8xf32>) {
    // expected-error @below {{is written in a loop that may carry its contents to a later iteration}}
    %d = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<8xf32>
    %b = relax.call_tp @same(%a) into(%d) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

relax_tp.func private @same(%x: tensor<8xf32>) outs(%o: tensor<8xf32>) {
  relax_tp.yield %o : tensor<8xf32>
}
// Two blocks that take turns keep one iteration, not two.
func.func @shifted(%x: tensor<8xf32>, %count: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %st = relax.storage %c0 {alignment = 64 : i64, space = "alternating"} : !relax.storage
  // expected-note @below {{the loop is here}}
  %r:2 = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x, %b = %x) -> (tensor<8xf32>, tensor<8xf32>) {
    // expected-error @below {{is written in a loop that may carry its contents to a later iteration}}
    %d = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<8xf32>
    %s = relax.call_tp @same(%b) into(%d) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    scf.yield %s, %a : tensor<8xf32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}

// -----

relax_tp.func private @same(%x: tensor<8xf32>) outs(%o: tensor<8xf32>) {
  relax_tp.yield %o : tensor<8xf32>
}
// An inner loop overwrites what the outer one hands on.
func.func @nested(%x: tensor<8xf32>, %count: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %st = relax.storage %c0 {alignment = 64 : i64, space = "alternating"} : !relax.storage
  // expected-note @below {{the loop is here}}
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x) -> (tensor<8xf32>) {
    %q = scf.for %j = %c0 to %count step %c1 iter_args(%b = %a) -> (tensor<8xf32>) {
      // expected-error @below {{is written in a loop that may carry its contents to a later iteration}}
      %d = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<8xf32>
      %s = relax.call_tp @same(%b) into(%d) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      scf.yield %s : tensor<8xf32>
    }
    scf.yield %q : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func private @callee(tensor<8xf32>) -> tensor<8xf32>
func.func @called(%x: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  // expected-note @below {{the loop is here}}
  %r = scf.while (%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    scf.condition(%c) %a : tensor<8xf32>
  } do {
  ^bb0(%b: tensor<8xf32>):
    // expected-error @below {{is written in a loop that may carry its contents to a later iteration}}
    %q = relax.call @callee(%b) : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %q : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @offset() {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %st = relax.storage %c0 {alignment = 64 : i64, space = "growing"} : !relax.storage
  // expected-error @below {{is at an offset of a storage that grows, expected 0}}
  %d = relax.tensor_at %st[%c64] : (!relax.storage, index) -> tensor<8xf32>
  return
}

// -----

func.func @shared() {
  %c0 = arith.constant 0 : index
  // expected-error @below {{grows and has 2 uses, expected one 'relax.tensor_at'}}
  %st = relax.storage %c0 {alignment = 64 : i64, space = "growing"} : !relax.storage
  %d = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<8xf32>
  %e = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<8xf32>
  return
}

// -----

func.func @inside(%c: i1) {
  %c0 = arith.constant 0 : index
  scf.if %c {
    // expected-error @below {{grows and is inside of control flow, expected it at the entry of the function}}
    %st = relax.storage %c0 {alignment = 64 : i64, space = "alternating"} : !relax.storage
    %d = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<8xf32>
  }
  return
}

// -----

relax_tp.func private @same(%x: tensor<8xf32>) outs(%o: tensor<8xf32>) {
  relax_tp.yield %o : tensor<8xf32>
}
func.func @twice(%x: tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %st = relax.storage %c32 {alignment = 64 : i64, space = "arena"} : !relax.storage
  %d = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<8xf32>
  // expected-error @below {{destination 0 is the destination of another call too}}
  %a = relax.call_tp @same(%x) into(%d) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %b = relax.call_tp @same(%x) into(%d) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

relax_tp.func private @same(%x: tensor<8xf32>) outs(%o: tensor<8xf32>) {
  relax_tp.yield %o : tensor<8xf32>
}
func.func @elsewhere(%x: tensor<8xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %st = relax.storage %c32 {alignment = 64 : i64, space = "arena"} : !relax.storage
  %d = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<8xf32>
  scf.if %c {
    // expected-error @below {{destination 0 is made in another block}}
    %a = relax.call_tp @same(%x) into(%d) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  }
  return
}
