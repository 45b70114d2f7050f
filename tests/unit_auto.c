/*
 * unit_auto.c - device "auto" on the fake driver: a GPU with kernels is taken; one for
 * which none can be had is passed over for the CPU, and mw_info says why.
 */
#include "cuda/driver.h"
#include "fake_cuda/fake_cuda.h"
#include "multiway_insight.h"
#include "tap.h"

#include <dlfcn.h>
#include <string.h>

/* Open "auto" and a sort there; what it was opened on. */
static mw_info open_auto(int *sorts)
{
    mw_context *context = NULL;
    mw_info info = MW_INFO_INIT;
    int32_t keys[] = {3, 1, 2};

    *sorts = mw_open(&context, "auto", NULL) == MW_OK &&
             mw_get_info(context, &info) == MW_OK && !*mw_error(context);
    if (strncmp(info.device, "cpu", 3) == 0) /* the fake GPU sorts nothing */
        *sorts &= mw_sort(context, MW_I32, MW_ASCENDING, keys, 3) == MW_OK && keys[0] == 1;
    mw_close(context);
    return info;
}

int main(void)
{
    void *const cuda = dlopen("libcuda.so.1", RTLD_NOW);
    void *const nvrtc = dlopen("libnvrtc.so.13", RTLD_NOW);
    fake_cuda_fn *fake_cuda;
    fake_nvrtc_fn *fake_nvrtc;
    struct fake_cuda *driver;
    struct fake_calls *compiler;
    struct tap tap = {0, 0};
    mw_info info;
    int sorts;

    *(void **)&fake_cuda = cuda ? dlsym(cuda, "fake_cuda") : NULL;
    *(void **)&fake_nvrtc = nvrtc ? dlsym(nvrtc, "fake_nvrtc") : NULL;
    if (!fake_cuda || !fake_nvrtc) {
        tap_skip(&tap, "auto", "not on the fake driver");
        return tap_end(&tap);
    }
    driver = fake_cuda();
    compiler = fake_nvrtc();

    info = open_auto(&sorts);
    tap_ok(&tap, sorts && strcmp(info.device, "cuda:0") == 0 && !*info.fallback,
           "a GPU with kernels is taken", info.fallback);

    /* Without NVRTC, and if there are images the driver refuses the first it sees. */
    for (int k = 1; k < 200; k++) {
        driver->calls.count = compiler->count = 0;
        driver->calls.failed[0] = '\0';
        driver->calls.fail_at = info.ahead_of_time ? k : 0;
        driver->calls.error = CUDA_ERROR_NO_BINARY_FOR_GPU;
        compiler->fail_at = 1;

        const mw_info found = open_auto(&sorts);

        if (info.ahead_of_time && strcmp(driver->calls.failed, "cuModuleLoadData") != 0)
            continue;
        tap_ok(&tap,
               sorts && strncmp(found.device, "cpu:", 4) == 0 &&
                   strstr(found.fallback, "no embedded kernels for cuda:0"),
               "a GPU without kernels is passed over, and the CPU sorts", found.fallback);
        break;
    }
    /* A driver that finds no GPU: any of its calls may say so. */
    for (int k = 1; k < 4; k++) {
        driver->calls.count = 0;
        driver->calls.fail_at = k;
        driver->calls.error = CUDA_ERROR_NO_DEVICE;
        info = open_auto(&sorts);
        tap_ok(&tap, sorts && strncmp(info.device, "cpu:", 4) == 0, "no GPU",
               driver->calls.failed);
    }
    driver->calls.fail_at = compiler->fail_at = 0;
    tap_ok(&tap, tap.count == 5 && driver->calls.live() == 0, "nothing is left open", "");
    return tap_end(&tap);
}
