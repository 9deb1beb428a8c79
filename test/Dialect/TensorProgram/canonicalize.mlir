// RUN: relax-opt %s --canonicalize | FileCheck %s

// Only a check that always holds goes away.
// CHECK-LABEL: relax_tp.func @assertions
//   CHECK-NOT:   "never fails"
//       CHECK:   relax_tp.assert %{{.*}}, "always fails"
//  CHECK     :   relax_tp.assert %{{.*}}, "may fail"
relax_tp.func @assertions() scalars(%k: index) {
  %true = arith.constant true
  %false = arith.constant false
  relax_tp.assert %true, "never fails"
  relax_tp.assert %false, "always fails"
  %c0 = arith.constant 0 : index
  %positive = arith.cmpi sgt, %k, %c0 : index
  relax_tp.assert %positive, "may fail"
  relax_tp.yield
}
