/*
 * unit_host.c - a sort of host memory in chunks on the fake driver, whose kernels do
 * nothing: the k-th call of the driver fails, for every k. The keys are the same elements
 * then, even where parts of a result have replaced them, and nothing is left.
 */
#include "backend_device.h"
#include "base/host.h"
#include "context.h"
#include "fake_cuda/fake_cuda.h"
#include "kit.h"
#include "tap.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { KEYS = (9 << 20) / 4 }; /* three pieces of a transfer */

/* Sort with a new handle, in one chunk: the fake driver cannot cut several. */
static mw_status sort(uint32_t *keys)
{
    mw_context *context = NULL;
    mw_status status;

    TRY(mw_open(&context, "cuda", NULL));
    ((struct device_backend *)context->backend)->chunked_from = 1;
    ((struct device_backend *)context->backend)->chunk_bytes = 4 * KEYS;
    TRY(mw_sort(context, MW_U32, MW_ASCENDING, keys, KEYS));
done:
    mw_close(context);
    return status;
}

/* Touching memory leaves what is written to it meanwhile. */
static void test_touch(struct tap *tap)
{
    const uint64_t bytes = 40 << 20;
    unsigned char *const memory = host_alloc(bytes);
    struct host_touch *const touch = memory ? host_touch_begin(memory, bytes) : NULL;
    int same = memory != NULL;

    for (uint64_t i = 0; memory && i < bytes; i += 4096)
        memory[i] = (unsigned char)(i >> 12 | 1);
    host_touch_end(touch);
    for (uint64_t i = 0; memory && i < bytes; i += 4096)
        same &= memory[i] == (unsigned char)(i >> 12 | 1);
    free(memory);
    tap_ok(tap, same, "memory is touched, not changed", "");
}

int main(void)
{
    void *const cuda = dlopen("libcuda.so.1", RTLD_NOW);
    uint32_t *const keys = malloc(4 * KEYS);
    uint32_t *const before = malloc(4 * KEYS);
    fake_cuda_fn *fake_cuda;
    struct fake_calls *calls;
    struct tap tap = {0, 0};
    int failures = 0, lost = 0, left = 0, k = 0;

    *(void **)&fake_cuda = cuda ? dlsym(cuda, "fake_cuda") : NULL;
    if (!fake_cuda || !keys || !before) {
        tap_skip(&tap, "host memory", "not on the fake driver");
        return tap_end(&tap);
    }
    test_touch(&tap);
    calls = &fake_cuda()->calls;
    kit_fill(MW_U32, "random", 1, before, KEYS);
    do {
        memcpy(keys, before, 4 * KEYS);
        calls->count = 0;
        calls->failed[0] = '\0';
        calls->fail_at = ++k;
        if (sort(keys) != MW_OK) {
            failures++;
            lost += memcmp(keys, before, 4 * KEYS) != 0; /* one chunk, and no kernel */
        }
        calls->fail_at = 0;
        left += calls->live() != 0;
    } while (*calls->failed);
    tap_case(&tap, failures > 20 && lost == 0, "%d calls fail: %d failures, %d lost keys",
             k - 1, failures, lost);
    tap_case(&tap, left == 0, "nothing is left");
    free(before);
    free(keys);
    return tap_end(&tap);
}
