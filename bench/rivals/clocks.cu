/*
 * clocks.cu - what the GPU runs at. The runtime knows the highest clocks; those
 * of this moment are known to NVML, which is opened at run time if it is there.
 */
#include "clocks.cuh"

#include <dlfcn.h>

#include <cstdio>

namespace
{

/* NVML's numbers for its clocks. */
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2 };

/* The few functions of NVML that are called here. */
struct nvml {
    int (*init)(void);
    int (*by_bus)(const char *bus, void **device);
    int (*clock)(void *device, int which, unsigned *megahertz);
    int (*shutdown)(void);
};

template <typename F> bool find(void *library, const char *symbol, F *function)
{
    void *const address = dlsym(library, symbol);

    memcpy(function, &address, sizeof address);
    return address != nullptr;
}

bool find_all(void *library, nvml *api)
{
    return find(library, "nvmlInit_v2", &api->init) &&
           find(library, "nvmlDeviceGetHandleByPciBusId_v2", &api->by_bus) &&
           find(library, "nvmlDeviceGetClockInfo", &api->clock) &&
           find(library, "nvmlShutdown", &api->shutdown);
}

/* The clocks of this moment into `text`, or nothing. */
void present_clocks(int device, char *text, size_t bytes)
{
    void *const library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    char bus[32] = "";
    void *handle = nullptr;
    unsigned sm = 0;
    unsigned memory = 0;
    nvml api;

    if (!library)
        return;
    if (find_all(library, &api) && api.init() == 0) {
        if (cudaDeviceGetPCIBusId(bus, sizeof bus, device) == cudaSuccess &&
            api.by_bus(bus, &handle) == 0 && api.clock(handle, CLOCK_SM, &sm) == 0 &&
            api.clock(handle, CLOCK_MEMORY, &memory) == 0)
            snprintf(text, bytes, "; now SM %u MHz, memory %u MHz", sm, memory);
        api.shutdown();
    }
    dlclose(library);
}

} // namespace

int clocks_describe(int device, char *text, size_t bytes)
{
    int sm = 0;
    int memory = 0;
    int bus = 0;
    int l2 = 0;
    char now[80] = "";

    if (rival_check(cudaDeviceGetAttribute(&sm, cudaDevAttrClockRate, device), "clocks") ||
        rival_check(cudaDeviceGetAttribute(&memory, cudaDevAttrMemoryClockRate, device),
                    "clocks") ||
        rival_check(cudaDeviceGetAttribute(&bus, cudaDevAttrGlobalMemoryBusWidth, device),
                    "bus width") ||
        rival_check(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device),
                    "cache size"))
        return -1;
    present_clocks(device, now, sizeof now);
    snprintf(text, bytes, "at most SM %d MHz, memory %d MHz x %d bits; L2 cache %d MiB%s",
             sm / 1000, memory / 1000, bus, l2 >> 20, now);
    return 0;
}
