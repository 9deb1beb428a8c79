//===- llm_library.cpp - Library functions of llm_block.mlir --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// What a user's library looks like: plain functions over tensor views, made
// known to a runtime instance by relax_rt_register_library. Simple and slow.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Runtime/Runtime.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace {

/// Error codes of this library; the runtime reports them.
enum Error : int32_t { kOk = 0, kBadIndex = 1 };

/// embedding(table[vocab, hidden], ids[batch, seq]) -> out[batch, seq, hidden]. An id outside of the table is
/// kBadIndex.
int32_t embedding(void *, const relax_rt_tensor_view *args, int64_t, const int64_t *, int64_t) {
  const relax_rt_tensor_view &table = args[0], &ids = args[1], &out = args[2];
  int64_t vocab = table.dims[0], hidden = table.dims[1], count = ids.dims[0] * ids.dims[1];
  for (int64_t i = 0; i < count; ++i) {
    int64_t id = static_cast<const int64_t *>(ids.data)[i];
    if (id < 0 || id >= vocab)
      return kBadIndex;
    const float *row = static_cast<const float *>(table.data) + id * hidden;
    std::copy_n(row, hidden, static_cast<float *>(out.data) + i * hidden);
  }
  return kOk;
}

/// attention(x[batch, seq, heads * d], past[batch, heads, past, d] f16) -> out like x, present[batch, heads, past +
/// seq, d] f16. x is query and new key at once, the keys are the values too; every query sees all keys.
int32_t attention(void *, const relax_rt_tensor_view *args, int64_t, const int64_t *, int64_t) {
  const relax_rt_tensor_view &x = args[0], &past = args[1], &out = args[2], &present = args[3];
  int64_t batch = past.dims[0], heads = past.dims[1], pastLen = past.dims[2], d = past.dims[3], seq = x.dims[1];
  int64_t len = pastLen + seq;
  const float *queries = static_cast<const float *>(x.data);
  std::vector<float> scores(static_cast<size_t>(len));
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t h = 0; h < heads; ++h) {
      const _Float16 *old = static_cast<const _Float16 *>(past.data) + (b * heads + h) * pastLen * d;
      _Float16 *keys = static_cast<_Float16 *>(present.data) + (b * heads + h) * len * d;
      std::copy_n(old, pastLen * d, keys);
      auto query = [&](int64_t s) { return queries + ((b * seq + s) * heads + h) * d; };
      for (int64_t s = 0; s < seq; ++s)
        std::copy_n(query(s), d, keys + (pastLen + s) * d);
      for (int64_t s = 0; s < seq; ++s) {
        float greatest = -INFINITY, sum = 0;
        for (int64_t t = 0; t < len; ++t) {
          float score = 0;
          for (int64_t e = 0; e < d; ++e)
            score += query(s)[e] * static_cast<float>(keys[t * d + e]);
          scores[static_cast<size_t>(t)] = score / std::sqrt(static_cast<float>(d));
          greatest = std::max(greatest, scores[static_cast<size_t>(t)]);
        }
        for (float &score : scores)
          sum += score = std::exp(score - greatest);
        float *row = static_cast<float *>(out.data) + ((b * seq + s) * heads + h) * d;
        for (int64_t e = 0; e < d; ++e) {
          row[e] = 0;
          for (int64_t t = 0; t < len; ++t)
            row[e] += scores[static_cast<size_t>(t)] / sum * static_cast<float>(keys[t * d + e]);
        }
      }
    }
  }
  return kOk;
}

} // namespace

extern "C" RELAX_RT_API int32_t relax_rt_register_library(relax_rt_instance *instance) {
  if (relax_rt_status status = relax_rt_instance_register(instance, "example_embedding", embedding, nullptr))
    return status;
  return relax_rt_instance_register(instance, "example_attention", attention, nullptr);
}
