// RUN: relax-opt %s --split-input-file --relax-wrap-kernels --verify-diagnostics

// expected-error @below {{entry of kernel needs the name 'relax_kernel_f', which is taken}}
func.func private @f(%e: memref<1xi64>) {
  return
}
func.func private @relax_kernel_f() {
  return
}

// -----

// expected-error @below {{body of kernel needs the name 'relax_body_f', which is taken}}
func.func private @f(%e: memref<1xi64>) {
  return
}
func.func private @relax_body_f() {
  return
}

// -----

// expected-error @below {{work of kernel needs the name 'relax_work_f', which is taken}}
func.func private @f(%e: memref<1xi64>) attributes {relax_tp.work = affine_map<() -> (8, 0)>} {
  return
}
func.func private @relax_work_f() {
  return
}

// -----

// expected-error @below {{a launch of the kernel has 1 scalars, but its work depends on 2}}
func.func private @f(%x: memref<?xf32>, %e: memref<1xi64>) attributes {relax_tp.work = affine_map<()[s0, s1] -> (s0, s1)>} {
  return
}
