// RUN: relax-opt %s --relax-raise-loops --split-input-file --verify-diagnostics --remark-format=emitRemark --remarks-filter='relax-.*' | FileCheck %s

// Nothing here may be raised: each remark names what does not fit, and every store stays.
// CHECK-COUNT-33: {{(memref|affine).store %}}

relax_tp.func @case_0(%x: memref<8xf32>) outs(%o: memref<8xf32>) {
  // expected-remark @below {{a local buffer has a layout}}
  %t = memref.alloc() : memref<8xf32, strided<[2]>>
  affine.for %i = 0 to 8 {
    %v = affine.load %x[%i] : memref<8xf32>
    affine.store %v, %o[%i] : memref<8xf32>
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_1(%x: memref<8xf32>) outs(%o: memref<8xf32>) {
  // expected-remark @below {{'memref.copy' is neither a loop nor a scalar computation}}
  memref.copy %x, %o : memref<8xf32> to memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %x[%i] : memref<8xf32>
    affine.store %v, %o[%i] : memref<8xf32>
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_2(%x: memref<8xf32>) outs(%o: memref<8xf32>) {
  // expected-remark @below {{'memref.subview' is neither a loop nor a scalar computation}}
  %s = memref.subview %o[0] [8] [1] : memref<8xf32> to memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %x[%i] : memref<8xf32>
    affine.store %v, %s[%i] : memref<8xf32>
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_3(%x: memref<8xf32>) outs(%o: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-remark @below {{the loop carries values}}
  %r = affine.for %i = 0 to 8 iter_args(%a = %zero) -> f32 {
    %v = affine.load %x[%i] : memref<8xf32>
    affine.store %v, %o[%i] : memref<8xf32>
    affine.yield %v : f32
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_4(%x: memref<8xf32>) outs(%o: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-remark @below {{the loop carries values}}
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %zero) -> f32 {
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %o[%i] : memref<8xf32>
    scf.yield %v : f32
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_5(%x: memref<8xf32>) outs(%o: memref<8xf32>) {
  // expected-remark @below {{the loop does not count from 0 in steps of 1}}
  affine.for %i = 0 to 8 step 2 {
    %v = affine.load %x[%i] : memref<8xf32>
    affine.store %v, %o[%i] : memref<8xf32>
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_6(%x: memref<8xf32>) outs(%o: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-remark @below {{the loop does not count from 0 in steps of 1}}
  scf.for %i = %c1 to %c8 step %c1 {
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %o[%i] : memref<8xf32>
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_7(%x: memref<8xf32>) outs(%o: memref<8xf32>) scalars(%k: index) {
  // expected-remark @below {{the loop's upper bound is not an expression of the extents}}
  affine.for %i = 0 to %k {
    %v = affine.load %x[%i] : memref<8xf32>
    affine.store %v, %o[%i] : memref<8xf32>
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_8(%x: memref<8xf32>) outs(%o: memref<8xf32>) {
  %true = arith.constant true
  affine.for %i = 0 to 8 {
    %v = affine.load %x[%i] : memref<8xf32>
    // expected-remark @below {{'relax_tp.assert' cannot be part of a structured operation}}
    relax_tp.assert %true, "message"
    affine.store %v, %o[%i] : memref<8xf32>
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_9(%x: memref<8xf32>) outs(%o: memref<8xf32>) {
  %true = arith.constant true
  affine.for %i = 0 to 8 {
    // expected-remark @below {{'scf.if' cannot be part of a structured operation}}
    scf.if %true {
      %v = affine.load %x[%i] : memref<8xf32>
      affine.store %v, %o[%i] : memref<8xf32>
    }
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_10(%x: memref<8xf32>, %p: memref<8xi32>) outs(%o: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %v = affine.load %x[%i] : memref<8xf32>
    %at = affine.load %p[%i] : memref<8xi32>
    %index = arith.index_cast %at : i32 to index
    // expected-remark @below {{an index of the store is not affine in the loops}}
    memref.store %v, %o[%index] : memref<8xf32>
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_11(%x: memref<8xf32>, %p: memref<8xi32>) outs(%o: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %at = affine.load %p[%i] : memref<8xi32>
    %index = arith.index_cast %at : i32 to index
    // expected-remark @below {{an index of the load is not affine in the loops}}
    %v = memref.load %x[%index] : memref<8xf32>
    affine.store %v, %o[%i] : memref<8xf32>
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_12(%x: memref<8xf32>) outs(%o: memref<8x8xf32>) {
  affine.for %i = 0 to 8 {
    %v = affine.load %x[%i] : memref<8xf32>
    // expected-remark @below {{the store's indices are not distinct loops}}
    affine.store %v, %o[%i, %i] : memref<8x8xf32>
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_13(%x: memref<8xf32>) outs(%o: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %v = affine.load %x[%i] : memref<8xf32>
    // expected-remark @below {{the store's indices are not distinct loops}}
    affine.store %v, %o[7 - %i] : memref<8xf32>
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_14(%x: memref<8xf32>) outs(%o: memref<8xf32>) {
  // expected-remark @below {{the loop's upper bound is not proved equal to dimension 0 of the stored buffer}}
  affine.for %i = 0 to 7 {
    %v = affine.load %x[%i] : memref<8xf32>
    affine.store %v, %o[%i] : memref<8xf32>
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_15(%x: memref<?xf32>, %y: memref<?xf32> {relax_sym.shape = #relax_sym.shape<[m]>}) outs(%o: memref<?xf32> {relax_sym.shape = #relax_sym.shape<[m]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  // expected-remark @below {{the loop's upper bound is not proved equal to dimension 0 of the stored buffer}}
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf32>
    affine.store %v, %o[%i] : memref<?xf32>
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_16(%x: memref<8xf32>) outs(%o: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    // expected-remark @below {{the loop reads other elements of the buffer that it stores}}
    %v = affine.load %o[0] : memref<8xf32>
    affine.store %v, %o[%i] : memref<8xf32>
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_17(%x: memref<9xf32>) outs(%o: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    // expected-remark @below {{dimension 0 of the loaded buffer is not proved equal to its loop}}
    %v = affine.load %x[%i] : memref<9xf32>
    affine.store %v, %o[%i] : memref<8xf32>
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_18(%x: memref<8xf32>) outs(%o: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    // expected-remark @below {{index 0 of the load is not a sum of loops within the buffer}}
    %v = affine.load %x[%i + 1] : memref<8xf32>
    affine.store %v, %o[%i] : memref<8xf32>
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_19(%x: memref<8xf32>) outs(%o: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    // expected-remark @below {{index 0 of the load is not a sum of loops within the buffer}}
    %v = affine.load %x[7 - %i] : memref<8xf32>
    affine.store %v, %o[%i] : memref<8xf32>
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_20(%x: memref<8xf32>) outs(%o: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    // expected-remark @below {{no load shows the extent of the reduction loop}}
    affine.for %j = 0 to 4 {
      %v = affine.load %x[%i] : memref<8xf32>
      %a = affine.load %o[%i] : memref<8xf32>
      %r = arith.addf %a, %v : f32
      affine.store %r, %o[%i] : memref<8xf32>
    }
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_21(%x: memref<8x4xf32>) outs(%o: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    // expected-remark @below {{the stored element is loaded outside of the innermost loop}}
    %a = affine.load %o[%i] : memref<8xf32>
    affine.for %j = 0 to 4 {
      %v = affine.load %x[%i, %j] : memref<8x4xf32>
      %r = arith.addf %a, %v : f32
      affine.store %r, %o[%i] : memref<8xf32>
    }
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_22(%x: memref<8x4xf32>) outs(%o: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 4 {
      %v = affine.load %x[%i, %j] : memref<8x4xf32>
      // expected-remark @below {{each iteration overwrites the element that the previous one stored}}
      affine.store %v, %o[%i] : memref<8xf32>
    }
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_23(%x: memref<8x4xf32>) outs(%o: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 4 {
      %v = affine.load %x[%i, %j] : memref<8x4xf32>
      %a = affine.load %o[%i] : memref<8xf32>
      %t = arith.mulf %a, %a : f32
      %r = arith.addf %t, %v : f32
      // expected-remark @below {{the stored value is not an associative combination with the stored element}}
      affine.store %r, %o[%i] : memref<8xf32>
    }
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_24(%x: memref<8x4xf32>) outs(%o: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 4 {
      %v = affine.load %x[%i, %j] : memref<8x4xf32>
      %a = affine.load %o[%i] : memref<8xf32>
      %r = arith.subf %a, %v : f32
      // expected-remark @below {{the stored value is not an associative combination with the stored element}}
      affine.store %r, %o[%i] : memref<8xf32>
    }
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_25(%x: memref<8xf32>) outs(%o: memref<8xf32>, %p: memref<8x4xf32>) {
  affine.for %i = 0 to 8 {
    // expected-remark @below {{a buffer that the nest writes is loaded outside of the innermost loop}}
    %v = affine.load %o[%i] : memref<8xf32>
    affine.for %j = 0 to 4 {
      affine.store %v, %p[%i, %j] : memref<8x4xf32>
    }
    %w = affine.load %x[%i] : memref<8xf32>
    affine.store %w, %o[%i] : memref<8xf32>
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_26(%x: memref<8x8xf32>) outs(%o: memref<8x8xf32>, %p: memref<8x8xf32>) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %v = affine.load %x[%i, %j] : memref<8x8xf32>
      affine.store %v, %o[%i, %j] : memref<8x8xf32>
      // expected-remark @below {{another iteration of the loop may touch the same element}}
      %w = affine.load %o[%j, %i] : memref<8x8xf32>
      affine.store %w, %p[%i, %j] : memref<8x8xf32>
    }
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_27(%x: memref<8x4xf32>) outs(%o: memref<8xf32>, %p: memref<8x4xf32>) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 4 {
      %v = affine.load %x[%i, %j] : memref<8x4xf32>
      %a = affine.load %o[%i] : memref<8xf32>
      %r = arith.addf %a, %v : f32
      affine.store %r, %o[%i] : memref<8xf32>
      // expected-remark @below {{another iteration of the loop may touch the same element}}
      %w = affine.load %o[%i] : memref<8xf32>
      affine.store %w, %p[%i, %j] : memref<8x4xf32>
    }
  }
  relax_tp.yield
}

// -----

relax_tp.func @case_28(%x: memref<8xf32>) outs(%o: memref<8xf32>, %p: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    // expected-remark @below {{the element is stored again between this load and the store that uses it}}
    %old = affine.load %o[%i] : memref<8xf32>
    %v = affine.load %x[%i] : memref<8xf32>
    affine.store %v, %o[%i] : memref<8xf32>
    affine.store %old, %p[%i] : memref<8xf32>
  }
  relax_tp.yield
}
