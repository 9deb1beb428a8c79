// RUN: relax-opt %s --split-input-file | FileCheck %s
// RUN: relax-opt %s --split-input-file | relax-opt --split-input-file | FileCheck %s
// RUN: relax-opt %s --split-input-file --verify-roundtrip -o /dev/null

// CHECK-LABEL: func.func private @normal_form
func.func private @normal_form() attributes {
  // CHECK-SAME: a01 = #relax_sym.expr<n * 4 + 4>
  a01 = #relax_sym.expr<4*(n+1)>,
  // CHECK-SAME: a02 = #relax_sym.expr<m * n>
  a02 = #relax_sym.expr<n*m>,
  // CHECK-SAME: a03 = #relax_sym.expr<n>
  a03 = #relax_sym.expr<n mod 4 + 4*(n floordiv 4)>,
  // CHECK-SAME: a04 = #relax_sym.expr<0>
  a04 = #relax_sym.expr<(a+b)*(a-b) - a*a + b*b>,
  // CHECK-SAME: a05 = #relax_sym.expr<n + m floordiv 4>
  a05 = #relax_sym.expr<(4*n + m) floordiv 4>,
  // CHECK-SAME: a06 = #relax_sym.expr<n floordiv 6>
  a06 = #relax_sym.expr<(n floordiv 2) floordiv 3>,
  // CHECK-SAME: a07 = #relax_sym.expr<n floordiv 2>
  a07 = #relax_sym.expr<(2*n + 1) floordiv 4>,
  // CHECK-SAME: a08 = #relax_sym.expr<n mod 4>
  a08 = #relax_sym.expr<(n mod 8) mod 4>,
  // CHECK-SAME: a09 = #relax_sym.expr<0>
  a09 = #relax_sym.expr<(n mod 12) floordiv 12>,
  // CHECK-SAME: a10 = #relax_sym.expr<n ceildiv 16>
  a10 = #relax_sym.expr<ceildiv(ceildiv(ceildiv(ceildiv(n,2),2),2),2)>,
  // CHECK-SAME: a11 = #relax_sym.expr<n ceildiv 4>
  a11 = #relax_sym.expr<(n - 1) floordiv 4 + 1>,
  // CHECK-SAME: a12 = #relax_sym.expr<m + 1>
  a12 = #relax_sym.expr<(n*m + n) floordiv n>,
  // CHECK-SAME: a13 = #relax_sym.expr<n>
  a13 = #relax_sym.expr<max(n, 0)>,
  // CHECK-SAME: a14 = #relax_sym.expr<min(a, b, c)>
  a14 = #relax_sym.expr<min(min(c, a), b, a)>,
  // CHECK-SAME: a15 = #relax_sym.expr<k + max(m, n)>
  a15 = #relax_sym.expr<max(n + k, m + k)>,
  // CHECK-SAME: a16 = #relax_sym.expr<min(m, n) * 4>
  a16 = #relax_sym.expr<min(4*n, 4*m)>,
  // CHECK-SAME: a17 = #relax_sym.expr<16>
  a17 = #relax_sym.expr<max(min(n, 8), 16)>,
  // CHECK-SAME: a18 = #relax_sym.expr<n>
  a18 = #relax_sym.expr<min(max(n, m), n)>,
  // CHECK-SAME: a19 = #relax_sym.expr<n * n>
  a19 = #relax_sym.expr<max(n*n, n)>,
  // CHECK-SAME: a20 = #relax_sym.expr<n mod m>
  a20 = #relax_sym.expr<n mod m>,
  // CHECK-SAME: a21 = #relax_sym.expr<n>
  a21 = #relax_sym.expr<min(max(n, 0), 2*n) - min(0, 2*n)>
}

// -----

// CHECK-LABEL: func.func private @spelling
func.func private @spelling() attributes {
  // CHECK-SAME: a01 = #relax_sym.expr<4 - n>
  a01 = #relax_sym.expr<-n + 4>,
  // CHECK-SAME: a02 = #relax_sym.expr<-n * 2>
  a02 = #relax_sym.expr<-n - n>,
  // CHECK-SAME: a03 = #relax_sym.expr<n + "past len">
  a03 = #relax_sym.expr<n + "past len">,
  // CHECK-SAME: a04 = #relax_sym.expr<"mod" + "x\22y">
  a04 = #relax_sym.expr<"mod" + "x\"y">,
  // CHECK-SAME: a05 = #relax_sym.expr<(n mod 4) * 3 + 1>
  a05 = #relax_sym.expr<3 * (n mod 4) + 1>,
  // CHECK-SAME: a06 = #relax_sym.expr<-(n mod 4)>
  a06 = #relax_sym.expr<-(n mod 4)>,
  // CHECK-SAME: a07 = #relax_sym.expr<(-n) mod 4>
  a07 = #relax_sym.expr<mod(0 - n, 4)>,
  // CHECK-SAME: a08 = #relax_sym.expr<max(e - s, 0) ceildiv 3>
  a08 = #relax_sym.expr<ceildiv(max(e - s, 0), 3)>,
  // CHECK-SAME: a09 = #relax_sym.expr<n floordiv (m * 2 + 2)>
  a09 = #relax_sym.expr<n floordiv 2 floordiv (m + 1)>,
  // CHECK-SAME: a10 = #relax_sym.expr<i64 + index>
  a10 = #relax_sym.expr<index + i64>,
  // CHECK-SAME: a11 = #relax_sym.expr<9223372036854775807>
  a11 = #relax_sym.expr<9223372036854775807>,
  // CHECK-SAME: a12 = #relax_sym.expr<n ceildiv 2>
  a12 = #relax_sym.expr<(n + 1) floordiv 2>
}

// -----

// CHECK-DAG: #[[$N4:.*]] = #relax_sym.shape<[n, 4]>
// CHECK-DAG: #[[$EXT:.*]] = #relax_sym.shape<[n * 2, ?], {device = 0 : i64}>
// CHECK: func.func private @shapes(tensor<?x4xf32, #[[$N4]]>, tensor<?x?xf32, #[[$EXT]]>
// CHECK-SAME: tensor<?xf32, #{{[a-z]+}}>
func.func private @shapes(tensor<?x4xf32, #relax_sym.shape<[n, 4]>>,
    tensor<?x?xf32, #relax_sym.shape<[n + n, ?], {device = 0 : i64}>>,
    tensor<?xf32, #relax_sym.shape<[?]>>) attributes {
  // CHECK-SAME: relax_sym.scope = #relax_sym.scope<"n >= 1", "n mod 4 == 0", "m < n * n", "\22past len\22 <= 4", "m > 0">
  relax_sym.scope = #relax_sym.scope<"n >= 1", "n % 4 == 0", "m < n**2", "\"past len\" <= 16 // 4", "m > 0">
}

// -----

// Upstream canonicalization leaves a static dimension beside a symbol.
// CHECK-LABEL: func.func private @lenient
func.func private @lenient(tensor<8x4xf32, #relax_sym.shape<[n, 4]>>, tensor<?x4xf32, #relax_sym.shape<[?, 4]>>)
    // CHECK-SAME: relax_sym.scope = #relax_sym.scope<>
    attributes {relax_sym.scope = #relax_sym.scope<>}
