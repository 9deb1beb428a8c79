//===- VulkanDriver.cpp - Functions of the Vulkan loader ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "VulkanDriver.h"

#include <dlfcn.h>

using namespace relax_rt::vk;

using Function = void (*)();
using GetProc = Function (*)(Instance, const char *);

Driver::~Driver() {
  if (instance && DestroyInstance)
    DestroyInstance(instance, nullptr);
  if (library)
    dlclose(library);
}

bool Driver::open(std::string &reason) {
  library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    reason = "no Vulkan loader: cannot open 'libvulkan.so.1'";
    return false;
  }
  auto find = reinterpret_cast<GetProc>(dlsym(library, "vkGetInstanceProcAddr"));
  using Create = Result (*)(const InstanceCreateInfo *, const void *, Instance *);
  auto create = find ? reinterpret_cast<Create>(find(nullptr, "vkCreateInstance")) : nullptr;
  if (!create) {
    reason = "'libvulkan.so.1' is no Vulkan loader";
    return false;
  }
  ApplicationInfo application = {kApplicationInfo, nullptr, "relax", 1, "relax", 1, kApiVersion11};
  InstanceCreateInfo info = {kInstanceCreateInfo, nullptr, 0, &application, 0, nullptr, 0, nullptr};
  if (Result result = create(&info, nullptr, &instance)) {
    instance = nullptr;
    reason = "the Vulkan loader finds no driver (result " + std::to_string(result) + ")";
    return false;
  }
  const char *missing = nullptr;
#define RELAX_VK_FIND(name, result, parameters)                                                                        \
  name = reinterpret_cast<result(*) parameters>(find(instance, "vk" #name));                                           \
  if (!name)                                                                                                           \
    missing = "vk" #name;
  RELAX_VK_INSTANCE_FUNCTIONS(RELAX_VK_FIND)
#undef RELAX_VK_FIND
  if (missing)
    reason = std::string("the Vulkan loader has no '") + missing + "'";
  return !missing;
}
