// Two tensor programs written as loops. They are raised to linalg and fused to one program whose loop does max, then add.
//
//   relax-opt examples/relu_add_loops.mlir --relax-raise-loops --relax-annotate-pattern-kinds --relax-fuse-ops --relax-fuse-tensor-programs

#n_256 = #relax_sym.shape<[n, 256]>

relax_tp.func private @relu(%x: memref<?x256xf32> {relax_sym.shape = #n_256})
    outs(%o: memref<?x256xf32> {relax_sym.shape = #n_256}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x256xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 256 {
      %a = affine.load %x[%i, %j] : memref<?x256xf32>
      %m = arith.maximumf %a, %zero : f32
      affine.store %m, %o[%i, %j] : memref<?x256xf32>
    }
  }
  relax_tp.yield
}

relax_tp.func private @add_one(%x: memref<?x256xf32> {relax_sym.shape = #n_256})
    outs(%o: memref<?x256xf32> {relax_sym.shape = #n_256}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %x, %c0 : memref<?x256xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c256 step %c1 {
      %a = memref.load %x[%i, %j] : memref<?x256xf32>
      %s = arith.addf %a, %one : f32
      memref.store %s, %o[%i, %j] : memref<?x256xf32>
    }
  }
  relax_tp.yield
}

func.func @main(%x: tensor<?x256xf32, #n_256> {relax.name = "x"}) -> (tensor<?x256xf32, #n_256> {relax.name = "y"})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @relu(%x) : (tensor<?x256xf32, #n_256>) -> tensor<?x256xf32, #n_256>
  %1 = relax.call_tp @add_one(%0) : (tensor<?x256xf32, #n_256>) -> tensor<?x256xf32, #n_256>
  return %1 : tensor<?x256xf32, #n_256>
}
