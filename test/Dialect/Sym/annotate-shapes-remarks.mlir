// RUN: relax-opt --relax-annotate-shapes %s --verify-diagnostics --remark-format=emitRemark --remarks-filter='relax-.*'

func.func @reasons(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  // expected-remark @below {{result 0 is [s0 + s1]}}
  %0 = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %k = tensor.dim %0, %c0 : tensor<?xf32>
  // expected-remark @below {{always true: sge of s0 + s1 and s0}}
  %p = arith.cmpi sge, %k, %n : index
  // expected-remark @below {{the assertion always holds}}
  cf.assert %p, "grows"
  // expected-remark @below {{always false: slt of s0 + s1 and s1}}
  %q = arith.cmpi slt, %k, %m : index
  // expected-remark @below {{the assertion never holds}}
  cf.assert %q, "shrinks"
  return %0 : tensor<?xf32>
}

// What the function says about its arguments is taken at its word.
func.func @named(%x: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n * 2]>}, %y: tensor<?xf32>) -> tensor<?x2xf32>
    attributes {relax_sym.facts = #relax_sym.scope<"n >= 1">} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %a = tensor.dim %x, %c0 : tensor<?xf32>
  %b = arith.divui %a, %c2 : index
  // expected-remark @below {{result 0 is [n, 2]}}
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [%b, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
