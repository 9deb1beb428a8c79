// RUN: relax-opt %s --pass-pipeline='builtin.module(func.func(relax-lower-kernel-math))' | FileCheck %s

// CHECK-LABEL: func.func private @polynomials(
//   CHECK-NOT:   math.exp
//   CHECK-NOT:   math.log
//   CHECK-NOT:   math.tanh
//   CHECK-NOT:   math.erf
//       CHECK:   math.fma
func.func private @polynomials(%x: memref<f32>, %e: memref<1xi64>) {
  %0 = memref.load %x[] : memref<f32>
  %1 = math.exp %0 : f32
  %2 = math.log %1 : f32
  %3 = math.tanh %2 : f32
  %4 = math.erf %3 : f32
  memref.store %4, %x[] : memref<f32>
  return
}

// Where an approximation would be wrong, the library's function stays.
// CHECK-LABEL: func.func private @library(
//       CHECK:   math.sin
//       CHECK:   math.powf
//       CHECK:   math.exp {{.*}} : f64
func.func private @library(%x: memref<f32>, %d: memref<f64>, %e: memref<1xi64>) {
  %0 = memref.load %x[] : memref<f32>
  %1 = math.sin %0 : f32
  %2 = math.powf %1, %0 : f32
  memref.store %2, %x[] : memref<f32>
  %3 = memref.load %d[] : memref<f64>
  %4 = math.exp %3 : f64
  memref.store %4, %d[] : memref<f64>
  return
}

// A square is exact by one multiplication; other powers are not.
// CHECK-LABEL: func.func private @square(
//       CHECK:   %[[X:.*]] = memref.load
//       CHECK:   arith.mulf %[[X]], %[[X]] : f32
//       CHECK:   math.powf
func.func private @square(%x: memref<f32>, %e: memref<1xi64>) {
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %0 = memref.load %x[] : memref<f32>
  %1 = math.powf %0, %two : f32
  %2 = math.powf %1, %three : f32
  memref.store %2, %x[] : memref<f32>
  return
}

// Written so that no digit is lost near 0.
// CHECK-LABEL: func.func private @near_zero(
//   CHECK-NOT:   math.expm1
//   CHECK-NOT:   math.log1p
//       CHECK:   %[[E:.*]] = math.exp %[[X:.*]] : f64
//       CHECK:   %[[D:.*]] = arith.subf %[[E]], %{{.*}} : f64
//       CHECK:   %[[L:.*]] = math.log %[[E]] : f64
//       CHECK:   %[[Q:.*]] = arith.divf %[[X]], %[[L]] : f64
//       CHECK:   arith.mulf %[[D]], %[[Q]] : f64
//       CHECK:   %[[S:.*]] = arith.addf %[[R:.*]], %{{.*}} : f64
//       CHECK:   %[[D2:.*]] = arith.subf %[[S]], %{{.*}} : f64
//       CHECK:   math.log %[[S]] : f64
//       CHECK:   arith.divf %[[R]], %[[D2]] : f64
func.func private @near_zero(%d: memref<f64>, %e: memref<1xi64>) {
  %0 = memref.load %d[] : memref<f64>
  %1 = math.expm1 %0 : f64
  %2 = math.log1p %1 : f64
  memref.store %2, %d[] : memref<f64>
  return
}

// f16 computes in f32.
// CHECK-LABEL: func.func private @half(
//       CHECK:   arith.extf %{{.*}} : f16 to f32
//       CHECK:   arith.truncf %{{.*}} : f32 to f16
func.func private @half(%x: memref<f16>, %e: memref<1xi64>) {
  %0 = memref.load %x[] : memref<f16>
  %1 = math.exp %0 : f16
  memref.store %1, %x[] : memref<f16>
  return
}

// Far from 0 a tangent is one, without fused products too.
// CHECK-LABEL: func.func private @ends(
//   CHECK-DAG:   %[[TEN:.*]] = arith.constant 1.000000e+01 : f32
//   CHECK-DAG:   %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
//   CHECK-DAG:   %[[LOW:.*]] = arith.constant -1.000000e+01 : f32
//   CHECK-DAG:   %[[MINUS:.*]] = arith.constant -1.000000e+00 : f32
//       CHECK:   %[[X:.*]] = memref.load
//       CHECK:   %[[ISLOW:.*]] = arith.cmpf olt, %[[X]], %[[LOW]] : f32
//       CHECK:   %[[BELOW:.*]] = arith.select %[[ISLOW]], %[[MINUS]]
//       CHECK:   %[[ISHIGH:.*]] = arith.cmpf ogt, %[[X]], %[[TEN]] : f32
//       CHECK:   arith.select %[[ISHIGH]], %[[ONE]], %[[BELOW]]
func.func private @ends(%x: memref<f32>, %e: memref<1xi64>) {
  %0 = memref.load %x[] : memref<f32>
  %1 = math.tanh %0 : f32
  memref.store %1, %x[] : memref<f32>
  return
}
