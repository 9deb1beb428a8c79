// changed the answer: function 'main' with m = 3, n = 8: result 'result0' element 20: expected 1, actual -nan (tolerance 4.77e-07)
// relax-opt relax-validate-reproducer.mlir --relax-validate='seed=619 samples=6 optimize=0 pipeline=builtin.module(relax-decompose-ops)'
module {
  func.func @main(%arg0: tensor<?x?xf32, #relax_sym.shape<[n, m]>>, %arg1: tensor<?x?xf32, #relax_sym.shape<[m, n]>>, %arg2: tensor<?x4xi64, #relax_sym.shape<[n, 4]>>, %arg3: !relax.shape<[2]>) -> tensor<?x1x?xf32, #relax_sym.shape<[n, 1, m]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
    %0 = relax.selu %arg0 : (tensor<?x?xf32, #relax_sym.shape<[n, m]>>) -> tensor<?x?xf32, #relax_sym.shape<[n, m]>>
    %1 = relax.expand_dims %0 {axes = array<i64: 1>} : (tensor<?x?xf32, #relax_sym.shape<[n, m]>>) -> tensor<?x1x?xf32, #relax_sym.shape<[n, 1, m]>>
    %values, %indices = relax.topk %1, %arg3 {axis = 1 : i64, smallest} : (tensor<?x1x?xf32, #relax_sym.shape<[n, 1, m]>>, !relax.shape<[2]>) -> (tensor<?x1x?xf32, #relax_sym.shape<[n, 1, m]>>, tensor<?x1x?xi64, #relax_sym.shape<[n, 1, m]>>)
    %2 = relax.divide %1, %values : (tensor<?x1x?xf32, #relax_sym.shape<[n, 1, m]>>, tensor<?x1x?xf32, #relax_sym.shape<[n, 1, m]>>) -> tensor<?x1x?xf32, #relax_sym.shape<[n, 1, m]>>
    return %2 : tensor<?x1x?xf32, #relax_sym.shape<[n, 1, m]>>
  }
}
