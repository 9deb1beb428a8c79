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
