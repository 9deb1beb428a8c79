// Two tensor programs called from a dataflow block: y = relu(x @ w), for any n.
//
//   relax-compile examples/matmul_relu.mlir -o matmul_relu.rlx
//   relax-run matmul_relu.rlx --inputs in.npz --outputs out.npz

#n_4 = #relax_sym.shape<[n, 4]>
#n_8 = #relax_sym.shape<[n, 8]>
#id = affine_map<(d0, d1) -> (d0, d1)>

relax_tp.func private @matmul(%x: tensor<?x4xf32> {relax_sym.shape = #n_4}, %w: tensor<4x8xf32>)
    outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x8xf32>) outs(%init : tensor<?x8xf32>) -> tensor<?x8xf32>
  relax_tp.yield %r : tensor<?x8xf32>
}

relax_tp.func private @relu(%x: tensor<?x8xf32> {relax_sym.shape = #n_8})
    outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %zero = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<?x8xf32>
  relax_tp.yield %r : tensor<?x8xf32>
}

func.func @main(%x: tensor<?x4xf32, #n_4> {relax.name = "x"}, %w: tensor<4x8xf32> {relax.name = "w"})
    -> (tensor<?x8xf32, #n_8> {relax.name = "y"}) attributes {relax_sym.scope = #relax_sym.scope<"n <= 4096">} {
  %y = relax.dataflow -> (tensor<?x8xf32, #n_8>) {
    %0 = relax.call_tp @matmul(%x, %w) : (tensor<?x4xf32, #n_4>, tensor<4x8xf32>) -> tensor<?x8xf32, #n_8>
    %1 = relax.call_tp @relu(%0) : (tensor<?x8xf32, #n_8>) -> tensor<?x8xf32, #n_8>
    relax.output %1 : tensor<?x8xf32, #n_8>
  }
  return %y : tensor<?x8xf32, #n_8>
}
