/*===- PlainLibrary.c - Library functions for code of relax-to-linalg -----===*\
|*
|* Licensed under the Apache License, Version 2.0. See LICENSE.
|*
\*===----------------------------------------------------------------------===*/
#include <stdint.h>

/* Descriptors of memrefs, as upstream lowering lays them out. */
typedef struct {
  float *allocated, *aligned;
  int64_t offset, size, stride;
} Vector;

typedef struct {
  float *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} Matrix;

typedef struct {
  int8_t *allocated, *aligned;
  int64_t offset, size, stride;
} Bytes;

/* scaled = x * factor and sums[i] = sum over x[i, :], by way of the scratch memory. Fails for negative elements. */
int32_t _mlir_ciface_plain_scale(const Matrix *x, Matrix *scaled, Vector *sums, Bytes *scratch, int64_t factor) {
  int64_t rows = x->sizes[0], columns = x->sizes[1];
  if (scratch->size != columns * 4 || x->strides[1] != 1 || x->strides[0] != columns)
    return 2;
  float *line = (float *)(void *)scratch->aligned;
  for (int64_t i = 0; i < rows; ++i) {
    sums->aligned[i] = 0;
    for (int64_t j = 0; j < columns; ++j) {
      line[j] = x->aligned[x->offset + i * columns + j];
      if (line[j] < 0)
        return 1;
      sums->aligned[i] += line[j];
    }
    for (int64_t j = 0; j < columns; ++j)
      scaled->aligned[i * columns + j] = line[j] * (float)factor;
  }
  return 0;
}
