// RUN: relax-opt %s --split-input-file --relax-verify-planned --verify-diagnostics

func.func @left() {
  // expected-error @below {{is left in the planned phase, expected 'relax.tensor_at'}}
  %d = relax.alloc : () -> tensor<4xf32>
  return
}

// -----

relax_tp.func private @relu(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @missing(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{has no destinations, expected one for each result}}
  %0 = relax.call_tp @relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

relax_tp.func private @relu(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @argument(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{destination 0 is not made by 'relax.tensor_at'}}
  %0 = relax.call_tp @relu(%x) into(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @outside() {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %st = relax.storage %c8 {alignment = 64 : i64, space = "arena"} : !relax.storage
  // expected-error @below {{is not proved to lie inside of its storage: ends at 16 of 8 bytes}}
  %d = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<4xf32>
  return
}

// -----

func.func @unknown(%off: index) {
  %c8 = arith.constant 8 : index
  %st = relax.storage %c8 {alignment = 64 : i64, space = "arena"} : !relax.storage
  // expected-error @below {{has an offset or a storage whose size is not made of constants, 'relax.eval_expr', sums without overflow, maxima and choices}}
  %d = relax.tensor_at %st[%off] : (!relax.storage, index) -> tensor<4xf32>
  return
}

// -----

// A sum that may overflow is no offset.
func.func @wraps(%s: !relax.shape<[n]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %a = relax.eval_expr %s, n * 4 : !relax.shape<[n]> -> index
  %sum = arith.addi %a, %a : index
  %st = relax.storage %sum {alignment = 64 : i64, space = "arena"} : !relax.storage
  // expected-error @below {{has an offset or a storage whose size is not made of constants, 'relax.eval_expr', sums without overflow, maxima and choices}}
  %d = relax.tensor_at %st[%a], %s : (!relax.storage, index, !relax.shape<[n]>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  return
}

// -----

// Where n < 3 it begins before the storage.
func.func @before(%s: !relax.shape<[n]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %a = relax.eval_expr %s, n - 3 : !relax.shape<[n]> -> index
  %b = relax.eval_expr %s, n * 5 : !relax.shape<[n]> -> index
  %st = relax.storage %b {alignment = 64 : i64, space = "arena"} : !relax.storage
  // expected-error @below {{is not proved to lie inside of its storage: begins at n - 3}}
  %d = relax.tensor_at %st[%a], %s : (!relax.storage, index, !relax.shape<[n]>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  return
}

// -----

// The second tensor begins at the end of the larger one of two, neither of which is the first tensor.
relax_tp.func private @copy(%x: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[k]>})
    outs(%o: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[k]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
func.func @above_others(%x: tensor<?xf32, #relax_sym.shape<[n]>>, %y: tensor<?xf32, #relax_sym.shape<[m]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %s = relax.shape_of %x : tensor<?xf32, #relax_sym.shape<[n]>> -> !relax.shape<[n]>
  %t = relax.shape_of %y : tensor<?xf32, #relax_sym.shape<[m]>> -> !relax.shape<[m]>
  %c0 = arith.constant 0 : index
  %n = relax.eval_expr %s, n * 2 : !relax.shape<[n]> -> index
  %m = relax.eval_expr %t, m * 4 : !relax.shape<[m]> -> index
  %p = relax.eval_expr %s, n * 4 : !relax.shape<[n]> -> index
  %max = arith.maxsi %n, %m : index
  %end = arith.addi %max, %p overflow<nsw> : index
  %st = relax.storage %end {alignment = 64 : i64, space = "arena"} : !relax.storage
  // expected-note @below {{they are placed here}}
  %a = relax.tensor_at %st[%c0], %s : (!relax.storage, index, !relax.shape<[n]>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  %0 = relax.call_tp @copy(%x) into(%a) : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  %b = relax.tensor_at %st[%max], %s : (!relax.storage, index, !relax.shape<[n]>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  // expected-error @below {{writes bytes max(m * 2, n) * 2 to n * 4 + max(m * 2, n) * 2, which are not proved to be apart from bytes 0 to n * 4 that are still needed}}
  %1 = relax.call_tp @copy(%0) into(%b) : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  return
}

// -----

// The second call overwrites what the third one reads.
relax_tp.func private @relu(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
relax_tp.func private @add(%x: tensor<4xf32>, %y: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @overlap(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %st = relax.storage %c128 {alignment = 64 : i64, space = "arena"} : !relax.storage
  // expected-note @below {{they are placed here}}
  %a = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<4xf32>
  %0 = relax.call_tp @relu(%x) into(%a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = relax.tensor_at %st[%c8] : (!relax.storage, index) -> tensor<4xf32>
  // expected-error @below {{writes bytes 8 to 24, which are not proved to be apart from bytes 0 to 16 that are still needed}}
  %1 = relax.call_tp @relu(%x) into(%b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c = relax.tensor_at %st[%c64] : (!relax.storage, index) -> tensor<4xf32>
  %2 = relax.call_tp @add(%0, %1) into(%c) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Scratch memory overlaps what the function reads.
relax_ext.func private @lib(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) attributes {symbol = "lib", workspace_bytes = #relax_sym.expr<32>}
relax_tp.func private @relu(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @scratch(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %st = relax.storage %c128 {alignment = 64 : i64, space = "arena"} : !relax.storage
  // expected-note @below {{they are placed here}}
  %a = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<4xf32>
  %0 = relax.call_tp @relu(%x) into(%a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = relax.tensor_at %st[%c64] : (!relax.storage, index) -> tensor<4xf32>
  // expected-error @below {{writes bytes 8 to 40, which are not proved to be apart from bytes 0 to 16 that are still needed}}
  %1 = relax.call_dps @lib(%0) into(%b) {relax.workspace_offset = #relax_sym.expr<8>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

relax_ext.func private @lib(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) attributes {symbol = "lib", workspace_bytes = #relax_sym.expr<32>}
func.func @unplanned(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %st = relax.storage %c64 {alignment = 64 : i64, space = "arena"} : !relax.storage
  %a = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<4xf32>
  // expected-error @below {{needs scratch memory that is not planned}}
  %1 = relax.call_dps @lib(%x) into(%a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

relax_ext.func private @lib(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) attributes {symbol = "lib", workspace_bytes = #relax_sym.expr<32>}
func.func @past_the_end(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %st = relax.storage %c64 {alignment = 64 : i64, space = "arena"} : !relax.storage
  %a = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<4xf32>
  // expected-error @below {{has scratch memory that is not proved to lie inside of its storage: ends at 72 of 64 bytes}}
  %1 = relax.call_dps @lib(%x) into(%a) {relax.workspace_offset = #relax_sym.expr<40>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// The result takes all of an output.
func.func @small_result(%s: !relax.shape<[n]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %a = relax.eval_expr %s, n * 8 : !relax.shape<[n]> -> index
  %st = relax.storage %a {alignment = 64 : i64, relax.output = 0 : i64, space = "output"} : !relax.storage
  // expected-error @below {{is the first tensor of an output and takes n * 4 of n * 8 bytes, expected all}}
  %d = relax.tensor_at %st[%c0], %s : (!relax.storage, index, !relax.shape<[n]>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  return
}

// -----

// What uses the memory of a result before it is written lies inside of it.
func.func @large_tenant(%s: !relax.shape<[n]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %a = relax.eval_expr %s, n * 4 : !relax.shape<[n]> -> index
  %st = relax.storage %a {alignment = 64 : i64, relax.output = 0 : i64, space = "output"} : !relax.storage
  %d = relax.tensor_at %st[%c0], %s : (!relax.storage, index, !relax.shape<[n]>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  // expected-error @below {{is not proved to lie inside of its storage: ends at n * 8 of n * 4 bytes}}
  %e = relax.tensor_at %st[%c0], %s : (!relax.storage, index, !relax.shape<[n]>) -> tensor<?xf64, #relax_sym.shape<[n]>>
  return
}

// -----

// A tensor that is still needed when the result is written cannot share its memory.
#n = #relax_sym.shape<[n]>
relax_tp.func private @relu(%x: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
func.func @read_late(%x: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %s = relax.shape_of %x : tensor<?xf32, #n> -> !relax.shape<[n]>
  %a = relax.eval_expr %s, n * 4 : !relax.shape<[n]> -> index
  %st = relax.storage %a {alignment = 64 : i64, relax.output = 0 : i64, space = "output"} : !relax.storage
  %d = relax.tensor_at %st[%c0], %s : (!relax.storage, index, !relax.shape<[n]>) -> tensor<?xf32, #n>
  // expected-note @below {{they are placed here}}
  %e = relax.tensor_at %st[%c0], %s : (!relax.storage, index, !relax.shape<[n]>) -> tensor<?xf32, #n>
  %0 = relax.call_tp @relu(%x) into(%e) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  // expected-error @below {{writes bytes 0 to n * 4, which are not proved to be apart from bytes 0 to n * 4 that are still needed}}
  %1 = relax.call_tp @relu(%0) into(%d) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %1 : tensor<?xf32, #n>
}

// -----

func.func @continued(%x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %st = relax.storage %c8 {alignment = 64 : i64, relax.extends = 0 : i64, relax.output = 0 : i64, space = "output"} : !relax.storage
  // expected-error @below {{is not proved to have room for argument 0, which it continues}}
  %d = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<2xf32>
  return
}

// -----

func.func @continued(%x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // expected-error @below {{continues what is not a tensor argument of the function, or is not an output of one tensor}}
  %st = relax.storage %c8 {alignment = 64 : i64, relax.extends = 1 : i64, relax.output = 0 : i64, space = "output"} : !relax.storage
  %d = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<2xf32>
  return
}

// -----

relax_tp.func private @relu(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @donated_and_read(%x: tensor<4xf32> {relax.donated}) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  // expected-note @below {{they are placed here}}
  %st = relax.storage %c16 {alignment = 64 : i64, relax.donated = 0 : i64, relax.output = 0 : i64, space = "output"} : !relax.storage
  %d = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<4xf32>
  // expected-error @below {{writes bytes 0 to 16, which are not proved to be apart from bytes ? to ? that are still needed}}
  %0 = relax.call_tp @relu(%x) into(%d) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

relax_tp.func private @relu(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @donated_and_read_later(%y: tensor<4xf32>, %x: tensor<4xf32> {relax.donated}) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  // expected-note @below {{they are placed here}}
  %st = relax.storage %c16 {alignment = 64 : i64, relax.donated = 1 : i64, relax.output = 0 : i64, space = "output"} : !relax.storage
  %d = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<4xf32>
  // expected-error @below {{writes bytes 0 to 16, which are not proved to be apart from bytes ? to ? that are still needed}}
  %0 = relax.call_tp @relu(%y) into(%d) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @not_donated(%x: tensor<4xf32>) {
  %c16 = arith.constant 16 : index
  // expected-error @below {{is in the memory of what is not a donated argument of the function, or is not an output of one tensor}}
  %st = relax.storage %c16 {alignment = 64 : i64, relax.donated = 0 : i64, relax.output = 0 : i64, space = "output"} : !relax.storage
  return
}

// -----

func.func @donated_twice(%x: tensor<4xf32> {relax.donated}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = relax.storage %c16 {alignment = 64 : i64, relax.donated = 0 : i64, relax.output = 0 : i64, space = "output"} : !relax.storage
  %d = relax.tensor_at %a[%c0] : (!relax.storage, index) -> tensor<4xf32>
  // expected-error @below {{is in the memory of argument 0, as another one is}}
  %b = relax.storage %c16 {alignment = 64 : i64, relax.donated = 0 : i64, relax.output = 1 : i64, space = "output"} : !relax.storage
  %e = relax.tensor_at %b[%c0] : (!relax.storage, index) -> tensor<4xf32>
  return
}

// -----

func.func @donated_and_continued(%x: tensor<4xf32> {relax.donated}, %y: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  // expected-error @below {{is in the memory of argument 0 and continues argument 1}}
  %a = relax.storage %c16 {alignment = 64 : i64, relax.donated = 0 : i64, relax.extends = 1 : i64, relax.output = 0 : i64, space = "output"} : !relax.storage
  %d = relax.tensor_at %a[%c0] : (!relax.storage, index) -> tensor<4xf32>
  return
}

// -----

// In the case that the condition holds the tensor is in the output, into which nothing proves that it fits.
func.func @chosen(%s: !relax.shape<[n, m]>) -> tensor<?xf32, #relax_sym.shape<[n]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %a = relax.eval_expr %s, n * 4 : !relax.shape<[n, m]> -> index
  %b = relax.eval_expr %s, m * 4 : !relax.shape<[n, m]> -> index
  %smaller = arith.cmpi slt, %a, %b : index
  %arena = relax.storage %b {alignment = 64 : i64, space = "arena"} : !relax.storage
  %out = relax.storage %a {alignment = 64 : i64, relax.output = 0 : i64, space = "output"} : !relax.storage
  %r = relax.tensor_at %out[%c0], %s : (!relax.storage, index, !relax.shape<[n, m]>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  %st = arith.select %smaller, %out, %arena : !relax.storage
  // expected-error @below {{is not proved to lie inside of its storage: ends at m * 4 of n * 4 bytes}}
  %d = relax.tensor_at %st[%c0], %s : (!relax.storage, index, !relax.shape<[n, m]>) -> tensor<?xf32, #relax_sym.shape<[m]>>
  return %r : tensor<?xf32, #relax_sym.shape<[n]>>
}

// -----

// The other case: the arena is too small there.
func.func @otherwise(%s: !relax.shape<[n, m]>) -> tensor<?xf32, #relax_sym.shape<[n]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %a = relax.eval_expr %s, n * 4 : !relax.shape<[n, m]> -> index
  %b = relax.eval_expr %s, m * 4 : !relax.shape<[n, m]> -> index
  %fits = arith.cmpi sle, %b, %a : index
  %bytes = arith.select %fits, %c0, %a : index
  %arena = relax.storage %bytes {alignment = 64 : i64, space = "arena"} : !relax.storage
  %out = relax.storage %a {alignment = 64 : i64, relax.output = 0 : i64, space = "output"} : !relax.storage
  %r = relax.tensor_at %out[%c0], %s : (!relax.storage, index, !relax.shape<[n, m]>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  %st = arith.select %fits, %out, %arena : !relax.storage
  // expected-error @below {{is not proved to lie inside of its storage: ends at m * 4 of n * 4 bytes}}
  %d = relax.tensor_at %st[%c0], %s : (!relax.storage, index, !relax.shape<[n, m]>) -> tensor<?xf32, #relax_sym.shape<[m]>>
  return %r : tensor<?xf32, #relax_sym.shape<[n]>>
}

// -----

func.func @growing(%c: i1) {
  %c0 = arith.constant 0 : index
  %a = relax.storage %c0 {alignment = 64 : i64, space = "growing"} : !relax.storage
  %b = relax.storage %c0 {alignment = 64 : i64, space = "arena"} : !relax.storage
  %st = arith.select %c, %a, %b : !relax.storage
  // expected-error @below {{is in a storage that is chosen, of space 'growing', expected 'arena' or 'output'}}
  %d = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<0xf32>
  return
}

// -----

// Seven conditions make more cases than are looked at.
func.func @cases(%a: i1, %b: i1, %c: i1, %d: i1, %e: i1, %f: i1, %g: i1) {
  // expected-error @above {{has places that are chosen in more than 64 cases}}
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %st = relax.storage %c64 {alignment = 64 : i64, space = "arena"} : !relax.storage
  %0 = arith.select %a, %c0, %c0 : index
  %1 = arith.select %b, %c0, %c0 : index
  %2 = arith.select %c, %c0, %c0 : index
  %3 = arith.select %d, %c0, %c0 : index
  %4 = arith.select %e, %c0, %c0 : index
  %5 = arith.select %f, %c0, %c0 : index
  %6 = arith.select %g, %c0, %c0 : index
  %t0 = relax.tensor_at %st[%0] : (!relax.storage, index) -> tensor<1xf32>
  %t1 = relax.tensor_at %st[%1] : (!relax.storage, index) -> tensor<1xf32>
  %t2 = relax.tensor_at %st[%2] : (!relax.storage, index) -> tensor<1xf32>
  %t3 = relax.tensor_at %st[%3] : (!relax.storage, index) -> tensor<1xf32>
  %t4 = relax.tensor_at %st[%4] : (!relax.storage, index) -> tensor<1xf32>
  %t5 = relax.tensor_at %st[%5] : (!relax.storage, index) -> tensor<1xf32>
  %t6 = relax.tensor_at %st[%6] : (!relax.storage, index) -> tensor<1xf32>
  return
}

// -----

// A view of more than there is.
func.func @more(%x: tensor<?xf32, #relax_sym.shape<[n]>>, %s: !relax.shape<[m, 4]>) -> tensor<?x4xf32, #relax_sym.shape<[m, 4]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{is a view of m * 4 elements, which are not proved to be the n of its operand}}
  %0 = relax.reshape %x, %s : (tensor<?xf32, #relax_sym.shape<[n]>>, !relax.shape<[m, 4]>) -> tensor<?x4xf32, #relax_sym.shape<[m, 4]>>
  return %0 : tensor<?x4xf32, #relax_sym.shape<[m, 4]>>
}
