//===- Npz.cpp - Named arrays in a file -----------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Npz.h"

#include "Npy.h"
#include "Zip.h"

#include <cstring>
#include <utility>

using namespace relax_run;

namespace {

constexpr uint64_t kAlignment = 64;

using Memory = decltype(Array::data);

Memory allocate(uint64_t bytes) {
  Memory memory(nullptr, &std::free);
  if (bytes < static_cast<uint64_t>(PTRDIFF_MAX) - kAlignment)
    memory.reset(static_cast<uint8_t *>(std::aligned_alloc(kAlignment, (bytes / kAlignment + 1) * kAlignment)));
  return memory;
}

bool readArray(ZipReader &zip, const ZipMember &member, Array &array, std::string &error) {
  if (!zip.isPlausible(member)) {
    error = "corrupt: its sizes do not agree";
    return false;
  }
  Memory image = allocate(member.size);
  if (!image) {
    error = "no memory for " + std::to_string(member.size) + " bytes";
    return false;
  }
  NpyHeader header;
  if (!zip.read(member, image.get(), error) || !parseNpyHeader(image.get(), member.size, header, error))
    return false;
  uint64_t actual = member.size - header.headerSize;
  if (actual != header.dataSize) {
    error =
        "its header announces " + std::to_string(header.dataSize) + " bytes of data, it has " + std::to_string(actual);
    return false;
  }
  const uint8_t *data = image.get() + header.headerSize;
  array.dtype = header.dtype;
  array.dims = std::move(header.dims);
  if (!header.fortranOrder || array.dims.size() < 2 || actual == 0) {
    // In place: the image becomes the array.
    std::memmove(image.get(), data, actual);
    array.data = std::move(image);
  } else {
    array.data = allocate(actual);
    if (!array.data) {
      error = "no memory for " + std::to_string(actual) + " bytes";
      return false;
    }
    fortranToRowMajor(data, array.data.get(), array.dims, header.dtype.bits / 8);
  }
  // Compiled code may rely on booleans being 0 or 1.
  if (array.dtype.code == RELAX_RT_BOOL)
    for (uint64_t i = 0; i < actual; ++i)
      array.data.get()[i] = array.data.get()[i] != 0;
  return true;
}

} // namespace

bool relax_run::readNpz(const std::string &path, std::vector<Array> &arrays, std::string &error) {
  arrays.clear();
  error.clear();
  ZipReader zip;
  bool ok = zip.open(path, error);
  for (size_t i = 0; ok && i < zip.members().size(); ++i) {
    const ZipMember &member = zip.members()[i];
    Array array;
    array.name = member.name;
    if (array.name.size() > 4 && array.name.compare(array.name.size() - 4, 4, ".npy") == 0)
      array.name.resize(array.name.size() - 4);
    for (const Array &other : arrays)
      if (other.name == array.name) {
        error = path + ": array '" + array.name + "' appears twice";
        return false;
      }
    if (!readArray(zip, member, array, error)) {
      error = path + ": array '" + array.name + "': " + error;
      return false;
    }
    arrays.push_back(std::move(array));
  }
  if (!ok)
    error = path + ": " + error;
  return ok;
}

bool relax_run::writeNpz(const std::string &path, const std::vector<NamedView> &arrays, std::string &error) {
  ZipWriter zip;
  bool ok = zip.open(path, error);
  for (size_t i = 0; ok && i < arrays.size(); ++i) {
    const relax_rt_tensor_view &view = arrays[i].view;
    uint64_t bytes = (view.dtype.bits + 7u) / 8;
    for (int64_t d = 0; d < view.rank; ++d)
      bytes *= static_cast<uint64_t>(view.dims[d]);
    std::string header;
    ok = makeNpyHeader(view.dtype, view.dims, view.rank, header, error) &&
         zip.add(arrays[i].name + ".npy", header, static_cast<const uint8_t *>(view.data), bytes, error);
  }
  ok = ok && zip.finish(error);
  if (!ok)
    error = path + ": " + error;
  return ok;
}
