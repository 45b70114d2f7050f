/*
 * unit_cuda_faults.c - the k-th call of the driver or of NVRTC fails, for every
 * k: the status is right, the words say why, nothing is left behind, and the
 * next device works. Needs fake_cuda/ first in LD_LIBRARY_PATH.
 */
#include "fake_cuda/life.h"
#include "tap.h"

#include <string.h>

/* These may fail and the work still gets done. */
static int forgiven(const char *call)
{
    static const char *const calls[] = {
        "cuDriverGetVersion",  "cuCtxPopCurrent_v2",    "cuMemAllocHost_v2",
        "cuStreamCreate",      "cuPointerGetAttribute", "cuMemFreeHost",
        "cuStreamDestroy_v2",  "cuModuleUnload",        "cuMemFree_v2",
        "nvrtcDestroyProgram", "cuEventDestroy_v2",
    };

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strcmp(calls[i], call) == 0)
            return 1;
    }
    return 0;
}

/* Is `outcome` what should come of `call`, number `k`, failing with `error`? */
static int right(const struct outcome *outcome, const char *call, int k, int error)
{
    mw_status expected = MW_DEVICE_FAILED;

    if (error == CUDA_ERROR_OUT_OF_MEMORY)
        expected = MW_NO_MEMORY;
    else if (strcmp(call, "cuInit") == 0)
        expected = MW_NO_DEVICE;
    if (outcome->status == MW_OK)
        return outcome->same && (k > outcome->close_calls || forgiven(call));
    return outcome->status == expected && strstr(outcome->error.text, "CUDA_ERROR") &&
           strstr(outcome->error.text, "a failure made for a test");
}

struct fault_case {
    const char *name;
    int bits;
    uint64_t bytes;
    int error;  /* the driver's number, 0 for an unknown one */
    int sticky; /* do all later calls fail, too? */
};

static const struct fault_case cases[] = {
    {"image loaded",    ACCEPTED_BITS, 1000,                 0,                        0},
    {"image rejected",  REJECTED_BITS, 1000,                 0,                        0},
    {"no image",        ABSENT_BITS,   1000,                 0,                        0},
    {"memory runs out", REJECTED_BITS, 1000,                 CUDA_ERROR_OUT_OF_MEMORY, 0},
    {"large copies",    ACCEPTED_BITS, COPY_STAGED_FROM + 5, 0,                        0},
    {"context lost",    ABSENT_BITS,   1000,                 0,                        1},
};

/* Fail call 1, then 2, and so on, until a life has no call left to fail. */
static void test_faults(struct tap *tap, const struct fault_case *row)
{
    char detail[160];
    int wrong = 0, leaks = 0, k = 0;

    snprintf(detail, sizeof detail, "%s", row->name);
    set("FAKE_CUDA_ERROR", row->error);
    set("FAKE_CUDA_STICKY", row->sticky);
    for (int done = 0; !done;) {
        CUcontext context;

        /* As if the CUDA runtime were in use: what we forget will stay. */
        set("FAKE_CUDA_FAIL", 0);
        fake.restart();
        fake.driver.DevicePrimaryCtxRetain(&context, 1);
        set("FAKE_CUDA_FAIL", ++k);
        fake.restart();

        const struct outcome outcome = life(row->bits, row->bytes, NULL);
        const char *const call = fake.failed();
        /* A context that cannot be entered cannot be emptied either. */
        const int locked =
            k > outcome.close_calls && strcmp(call, "cuCtxPushCurrent_v2") == 0;
        const int leak =
            (fake.live() != 1 && !locked) || fake.depth() != 0 || fake.nvrtc_live() != 0;

        done = !*call;
        if (!done && !right(&outcome, call, k, row->error)) {
            snprintf(detail, sizeof detail, "%s: %s, call %d: status %d, %.60s", row->name,
                     call, k, outcome.status, outcome.error.text);
            wrong++;
        }
        leaks += leak;
        if (done)
            wrong += outcome.status != MW_OK || !outcome.same;
        set("FAKE_CUDA_FAIL", 0);
        fake.restart();
        fake.driver.DevicePrimaryCtxRelease(1);
    }
    tap_ok(tap, wrong == 0 && k > 20, "the k-th call fails: right status and words",
           detail);
    tap_ok(tap, leaks == 0, "and nothing is left behind", row->name);
    set("FAKE_CUDA_ERROR", 0);
    set("FAKE_CUDA_STICKY", 0);

    const struct outcome after = life(row->bits, row->bytes, NULL);

    tap_ok(tap, after.status == MW_OK && after.same && fake.live() == 0,
           "and afterwards all is well", row->name);
}

static void test_nvrtc_faults(struct tap *tap, int error, mw_status expected,
                              const char *name)
{
    int wrong = 0, k = 0;

    set("FAKE_NVRTC_ERROR", error);
    for (int done = 0; !done;) {
        set("FAKE_NVRTC_FAIL", ++k);
        fake.nvrtc_restart();

        const struct outcome outcome = life(REJECTED_BITS, 1000, NULL);
        const char *const call = fake.nvrtc_failed();

        done = !*call;
        if (done || forgiven(call))
            wrong += outcome.status != MW_OK;
        else if (strncmp(call, "nvrtcGetProgramLog", 18) == 0 || strstr(call, "Version"))
            wrong += outcome.status != MW_COMPILE_FAILED;
        else
            wrong +=
                outcome.status != expected || !strstr(outcome.error.text, "NVRTC 12.8");
        wrong += fake.live() != 0 || fake.nvrtc_live() != 0;
    }
    set("FAKE_NVRTC_FAIL", 0);
    set("FAKE_NVRTC_ERROR", 0);
    fake.nvrtc_restart();
    tap_ok(tap, wrong == 0 && k > 6, "the k-th call of NVRTC fails", name);
}

int main(void)
{
    struct tap tap = {0, 0};

    if (!life_begin()) {
        tap_ok(&tap, 0, "the fake driver opens", "");
        return tap_end(&tap);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        test_faults(&tap, &cases[i]);
    test_nvrtc_faults(&tap, 0, MW_COMPILE_FAILED, "an internal error");
    test_nvrtc_faults(&tap, 1, MW_NO_MEMORY, "memory runs out");
    life_end();
    return tap_end(&tap);
}
