// RUN: relax-opt %s --relax-strip-shapes --split-input-file --verify-diagnostics

// expected-error @below {{'func.func' op returns a shape value, which cannot be replaced by index values}}
func.func @result(%s: !relax.shape<[?]>) -> !relax.shape<[?]> {
  return %s : !relax.shape<[?]>
}

// -----

func.func @user(%s: !relax.shape<[4]>) {
  // expected-error @below {{'relax.alloc' op has a shape value that cannot be replaced by index values}}
  %0 = relax.alloc %s : (!relax.shape<[4]>) -> tensor<4xf32>
  return
}
