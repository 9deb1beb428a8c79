// RUN: relax-opt --relax-annotate-shapes=fold=true --canonicalize %s | FileCheck %s
// RUN: mlir-opt --load-pass-plugin=%plugin --pass-pipeline='builtin.module(relax-annotate-shapes{fold=true},canonicalize)' %s | FileCheck %s

// Sizes that are proved equal are one value.
// CHECK-LABEL: func.func @sizes(
//  CHECK-SAME:     %[[X:.*]]: tensor<?xf32> {{.*}}, %[[Y:[^:]*]]: tensor<?xf32>
func.func @sizes(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]], %[[C0]]
  // CHECK: %[[L:.*]] = tensor.dim %{{concat.*}}, %[[C0]]
  // CHECK: return %[[N]], %[[N]], %[[L]]
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  // The addition needs equal sizes.
  %0 = arith.addf %x, %y : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %k = tensor.dim %0, %c0 : tensor<?xf32>
  %1 = tensor.concat dim(0) %0, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %l = tensor.dim %1, %c0 : tensor<?xf32>
  %d = arith.addi %n, %m : index
  return %m, %k, %d : index, index, index
}

// What is asserted once is not asserted again; what may fail stays.
// CHECK-LABEL: func.func @assertions(
func.func @assertions(%x: tensor<?x?xf32>, %y: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = tensor.dim %x, %c0 : tensor<?x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  // CHECK: cf.assert %{{.*}}, "b == 4 * a"
  %e = arith.muli %a, %c4 : index
  %p = arith.cmpi eq, %b, %e : index
  cf.assert %p, "b == 4 * a"
  // CHECK-NOT: "b >= a"
  %q = arith.cmpi sge, %b, %a : index
  cf.assert %q, "b >= a"
  // CHECK-NOT: "b mod 4 == 0"
  %r = arith.remui %b, %c4 : index
  %s = arith.cmpi eq, %r, %c0 : index
  cf.assert %s, "b mod 4 == 0"
  // CHECK: cf.assert %{{.*}}, "n > 0"
  %t = arith.cmpi ne, %n, %c0 : index
  cf.assert %t, "n > 0"
  return
}

// CHECK-LABEL: func.func @smaller(
func.func @smaller(%x: tensor<?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[N:.*]] = tensor.dim
  // CHECK: return %[[N]], %{{.*}}c0
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.addi %n, %c1 : index
  %0 = arith.minsi %m, %n : index
  %1 = arith.subi %0, %n : index
  return %0, %1 : index, index
}

// A condition holds in its branch and not beside it.
// CHECK-LABEL: func.func @branch(
func.func @branch(%x: tensor<?xf32>) -> (i1, i1, i1) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // CHECK: %[[FALSE:.*]] = arith.constant false
  // CHECK: %[[C:.*]] = arith.cmpi sgt
  // CHECK-NEXT: return %[[C]], %[[C]], %[[FALSE]]
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %c = arith.cmpi sgt, %n, %c8 : index
  %p = scf.if %c -> i1 {
    %0 = arith.cmpi sge, %n, %c8 : index
    scf.yield %0 : i1
  } else {
    %0 = arith.cmpi sgt, %n, %c8 : index
    scf.yield %0 : i1
  }
  %q = arith.cmpi slt, %n, %c0 : index
  return %c, %p, %q : i1, i1, i1
}

// A size may be 0: nothing is assumed.
// CHECK-LABEL: func.func @zero(
func.func @zero(%x: tensor<?xf32>, %n: index) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  // CHECK: arith.cmpi sge
  %0 = arith.cmpi sge, %d, %c1 : index
  // An index may be negative.
  // CHECK: arith.cmpi sge
  %1 = arith.cmpi sge, %n, %c0 : index
  return %0, %1 : i1, i1
}
