// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @effect() {
  // expected-error @below {{'relax.dataflow' op contains an op that may have a memory effect}}
  %0 = relax.dataflow -> (tensor<4xf32>) {
    // expected-note @below {{'relax.alloc' is here}}
    %1 = relax.alloc : () -> tensor<4xf32>
    relax.output %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @count(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.dataflow' op along control flow edge from Operation relax.output to parent: region branch point has 2 operands, but region successor needs 1 inputs}}
  %0 = relax.dataflow -> (tensor<4xf32>) {
    // expected-note @below {{region branch point}}
    relax.output %x, %x : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @type(%x: tensor<4xf32>) {
  // expected-error @below {{successor operand type #0 'tensor<4xf32>' should match successor input type #0 'tensor<5xf32>'}}
  %0 = relax.fusion_group -> (tensor<5xf32>) {
    // expected-note @below {{region branch point}}
    relax.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @parent() {
  // expected-error @below {{'relax.yield' op expects parent op 'relax.fusion_group'}}
  relax.yield
}

// -----

func.func @escaping_symbol(%x: tensor<?xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.dataflow' op has a result type with symbol 'm', whose binder does not dominate it}}
  %0 = relax.dataflow -> (tensor<?xf32, #relax_sym.shape<[m]>>) {
    // expected-note @below {{bound here}}
    %1 = relax.match_cast %x binds [m] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[m]>>
    relax.output %1 : tensor<?xf32, #relax_sym.shape<[m]>>
  }
  return
}
