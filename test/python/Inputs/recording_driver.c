/* A driver of CUDA or (with -DHIP) of HIP that has one device, writes down what it is asked for, and runs no kernel.
 *
 * Licensed under the Apache License, Version 2.0. See LICENSE.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HIP
#define NAME(cuda, hip) hip
#else
#define NAME(cuda, hip) cuda
#endif

static void note(const char *text) {
  FILE *file = fopen(getenv("DRIVER_LOG"), "a");
  if (file) {
    fprintf(file, "%s\n", text);
    fclose(file);
  }
}
static int number(const char *variable) { return getenv(variable) ? atoi(getenv(variable)) : 0; }

int NAME(cuInit, hipInit)(unsigned flags) { return flags ? 1 : number("DRIVER_INIT"); }
int NAME(cuDeviceGetCount, hipGetDeviceCount)(int *count) { return *count = 1, 0; }
int NAME(cuDeviceGet, hipDeviceGet)(int *device, int index) { return *device = index, 0; }
int NAME(cuDeviceGetName, hipDeviceGetName)(char *name, int size, int device) {
  return snprintf(name, size, "recorder %d", device), 0;
}
int NAME(cuDeviceTotalMem_v2, hipDeviceTotalMem)(size_t *bytes, int device) { return *bytes = (size_t)1 << 30, device; }
int NAME(cuMemAllocManaged, hipMallocManaged)(void **memory, size_t bytes, unsigned flags) {
  *memory = calloc(1, bytes);
  return flags != 1;
}
int NAME(cuMemFree_v2, hipFree)(void *memory) { return free(memory), 0; }
int NAME(cuModuleLoadData, hipModuleLoadData)(void **module, const void *image) {
  const unsigned char *bytes = image;
  char text[64];
  *module = calloc(1, 1);
  /* e_flags of an ELF file of 64 bits tell the chip. */
  if (memcmp(bytes, "\177ELF", 4))
    snprintf(text, sizeof(text), "load text of %zu", strlen(image));
  else
    snprintf(text, sizeof(text), "load ELF for machine %d", bytes[18] | bytes[19] << 8);
  return note(text), number("DRIVER_LOAD");
}
int NAME(cuModuleGetFunction, hipModuleGetFunction)(void **function, void *module, const char *name) {
  *function = module;
  return note(name), 0;
}
int NAME(cuModuleUnload, hipModuleUnload)(void *module) { return free(module), note("unload"), 0; }
int NAME(cuLaunchKernel, hipModuleLaunchKernel)(void *function, unsigned x, unsigned y, unsigned z, unsigned bx,
                                                unsigned by, unsigned bz, unsigned shared, void *stream,
                                                void **arguments, void **extra) {
  char text[128];
  const unsigned *words = *(void **)arguments[number("DRIVER_WORDS")];
  snprintf(text, sizeof(text), "launch %u %u %u of %u %u %u, shared %u, elements %u", x, y, z, bx, by, bz, shared,
           words[0]);
  return note(text), !function || !stream || extra != NULL;
}
int NAME(cuStreamCreate, hipStreamCreateWithFlags)(void **stream, unsigned flags) {
  return *stream = malloc(1), flags != 1;
}
int NAME(cuStreamSynchronize, hipStreamSynchronize)(void *stream) { return note("synchronize"), !stream; }
int NAME(cuStreamDestroy_v2, hipStreamDestroy)(void *stream) { return free(stream), note("end"), 0; }
#ifdef HIP
int hipSetDevice(int device) { return device; }
int hipGetDevicePropertiesR0600(void *properties, int device) {
  return strcpy((char *)properties + 1000, getenv("DRIVER_CHIP")), device;
}
#else
int cuDeviceGetAttribute(int *value, int what, int device) {
  int chip = number("DRIVER_CHIP");
  *value = what == 75 ? chip / 10 : chip % 10;
  return device;
}
int cuDevicePrimaryCtxRetain(void **context, int device) { return *context = malloc(1), device; }
int cuDevicePrimaryCtxRelease_v2(int device) { return device; }
int cuCtxSetCurrent(void *context) { return !context; }
#endif
