/*
 * unit_cuda_faults.c - the k-th call of the driver or of NVRTC fails, for every k: the
 * status is right, the message says why, nothing leaks, and the next device works. Needs
 * fake_cuda/ first in LD_LIBRARY_PATH.
 */
#include "fake_cuda/life.h"
#include "tap.h"

#include <string.h>

/* Calls that may fail without failing the work; `staged`: of a large copy. */
static int forgiven(const char *call, int staged)
{
    static const char *const calls[] = {
        "cuDriverGetVersion",
        "cuCtxPopCurrent_v2",
        "cuStreamDestroy_v2",
        "cuModuleUnload",
        "cuEventDestroy_v2",
        "cuMemFree_v2",
        "nvrtcDestroyProgram",
        /* Without these, copies are staged, or not. */
        "cuMemAllocHost_v2",
        "cuMemFreeHost",
        "cuPointerGetAttribute",
    };

    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        if (strcmp(calls[i], call) == 0)
            return 1;
    }
    return staged && strcmp(call, "cuStreamCreate") == 0;
}

static const struct fault_case {
    const char *name;
    int bits;
    uint64_t bytes;
    int error;  /* the driver's number, 0 for an unknown one */
    int sticky; /* 1: all later calls fail, too */
    int step;   /* from one call that fails to the next */
} cases[] = {
    {"image loaded",    ACCEPTED_BITS, 1000,                 0,                        0, 1},
    {"image rejected",  REJECTED_BITS, 1000,                 0,                        0, 1},
    {"memory runs out", REJECTED_BITS, 1000,                 CUDA_ERROR_OUT_OF_MEMORY, 0, 1},
    {"large copies",    ACCEPTED_BITS, COPY_STAGED_FROM + 5, 0,                        0, 4},
    {"context lost",    ABSENT_BITS,   1000,                 0,                        1, 1},
};

/* Is this the right outcome if `call`, number `k`, fails? "": no call was left to fail. */
static int right(const struct outcome *outcome, const struct fault_case *row,
                 const char *call, int k)
{
    const int staged = row->bytes >= COPY_STAGED_FROM;
    mw_status expected = MW_DEVICE_FAILED;

    if (row->error == CUDA_ERROR_OUT_OF_MEMORY)
        expected = MW_NO_MEMORY;
    else if (strcmp(call, "cuInit") == 0)
        expected = MW_NO_DEVICE;
    if (outcome->status == MW_OK)
        return outcome->same &&
               (!*call || k > outcome->close_calls || forgiven(call, staged));
    return outcome->status == expected && strstr(outcome->error.text, "CUDA_ERROR") &&
           strstr(outcome->error.text, "a failure made for a test");
}

/* Fail one call after the other until a life has no call left to fail. */
static void test_faults(struct tap *tap, const struct fault_case *row)
{
    struct fake_calls *const calls = &fakes.cuda->calls;
    int wrong = 0, left = 0, k = 1 - row->step;

    do {
        CUcontext context;

        /* As if the CUDA runtime were in use: what we forget will stay. */
        fakes.driver.DevicePrimaryCtxRetain(&context, 1);
        fail_call(calls, k += row->step, row->error);
        calls->sticky = row->sticky;

        const struct outcome outcome = life(row->bits, row->bytes);
        /* What is in a context that cannot be entered cannot be freed. */
        const int locked =
            k > outcome.close_calls && strcmp(calls->failed, "cuCtxPushCurrent_v2") == 0;

        if (!right(&outcome, row, calls->failed, k)) {
            tap_note("%s: call %d, %s: status %d, %s", row->name, k, calls->failed,
                     outcome.status, outcome.error.text);
            wrong++;
        }
        left += (leaks() != 1 && !locked) || fakes.cuda->depth() != 0;
        calls->fail_at = 0;
        fakes.driver.DevicePrimaryCtxRelease(1);
    } while (*calls->failed);
    tap_case(tap, wrong == 0 && k > 20, "%s: calls up to %d fail", row->name, k - 1);
    tap_case(tap, left == 0, "%s: nothing is left", row->name);

    const struct outcome after = life(row->bits, row->bytes);

    tap_case(tap, after.status == MW_OK && after.same && leaks() == 0,
             "%s: the next device works", row->name);
}

static void test_nvrtc_faults(struct tap *tap, int code, mw_status expected,
                              const char *name)
{
    const char *const call = fakes.nvrtc->failed;
    int wrong = 0, k = 0;

    do {
        fail_call(fakes.nvrtc, ++k, code);

        const struct outcome outcome = life(REJECTED_BITS, 1000);

        if (!*call || forgiven(call, 0))
            wrong += outcome.status != MW_OK;
        else if (strncmp(call, "nvrtcGetProgramLog", 18) == 0 || strstr(call, "Version"))
            wrong += outcome.status != MW_COMPILE_FAILED;
        else
            wrong +=
                outcome.status != expected || !strstr(outcome.error.text, "NVRTC 12.8");
        wrong += leaks() != 0;
    } while (*call);
    fail_call(fakes.nvrtc, 0, 0);
    tap_case(tap, wrong == 0 && k > 6, "%s: each of %d calls of NVRTC fails", name, k - 1);
}

int main(void)
{
    struct tap tap = {0, 0};

    if (!life_begin()) {
        tap_ok(&tap, 0, "the fake driver opens", "");
        return tap_end(&tap);
    }
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        test_faults(&tap, &cases[i]);
    test_nvrtc_faults(&tap, 0, MW_COMPILE_FAILED, "an internal error");
    test_nvrtc_faults(&tap, 1, MW_NO_MEMORY, "memory runs out");
    life_end();
    return tap_end(&tap);
}
