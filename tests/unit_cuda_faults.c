/*
 * unit_cuda_faults.c - the k-th call of the driver, NVRTC or the host fails, for every k:
 * the status is right, the message says why, nothing leaks, and the next device works.
 * Needs fake_cuda/ first in LD_LIBRARY_PATH.
 */
#include "cuda/nvrtc.h"
#include "fake_cuda/life.h"
#include "tap.h"

#include <string.h>

/* Calls that may fail without failing the work; `staged`: of a large copy. */
static int forgiven(const char *call, int staged)
{
    static const char calls[] =
        "cuDriverGetVersion cuCtxPopCurrent_v2 cuStreamDestroy_v2 cuModuleUnload "
        "cuEventDestroy_v2 cuMemFree_v2 nvrtcDestroyProgram /proc/driver/nvidia/version "
        "cuMemAllocHost_v2 cuMemFreeHost cuPointerGetAttribute"; /* for staging */

    return strstr(calls, call) || (staged && (strcmp(call, "cuStreamCreate") == 0 ||
                                              strcmp(call, "cuEventCreate") == 0 ||
                                              strcmp(call, "cuCtxPushCurrent_v2") == 0));
}

enum { SMALL = 1000, LARGE = COPY_STAGED_FROM + 5 };

enum whose { DRIVER, NVRTC, HOST };

static const struct fault_case {
    const char *name;
    int bits;
    uint64_t bytes;
    enum whose whose; /* calls fail */
    int error;        /* with this number, 0 for an unknown one */
    int sticky;       /* 1: all later calls fail, too */
    int step;         /* to the next call that fails, after two of one name */
} cases[] = {
    {"image loaded",   ACCEPTED_BITS, SMALL, DRIVER, 0,                         0, 1},
    {"image rejected", REJECTED_BITS, SMALL, DRIVER, 0,                         0, 1},
    {"no memory",      REJECTED_BITS, SMALL, DRIVER, CUDA_ERROR_OUT_OF_MEMORY,  0, 1},
    {"large copies",   ACCEPTED_BITS, LARGE, DRIVER, 0,                         0, 4},
    {"context lost",   ABSENT_BITS,   SMALL, DRIVER, 0,                         1, 1},
    {"NVRTC",          REJECTED_BITS, SMALL, NVRTC,  0,                         0, 1},
    {"NVRTC, memory",  REJECTED_BITS, SMALL, NVRTC,  NVRTC_ERROR_OUT_OF_MEMORY, 0, 1},
    {"host",           REJECTED_BITS, SMALL, HOST,   0,                         1, 1},
};

/* The status of a life whose call of this name failed and is not forgiven. */
static mw_status expected_status(const struct fault_case *row, const char *call)
{
    if (row->whose == HOST && strncmp(call, "dl", 2) != 0)
        return MW_NO_MEMORY;
    if (row->whose == HOST) /* the driver or NVRTC is missing, or a function of it */
        return fakes.cuda->calls.count ? MW_COMPILE_FAILED : MW_NO_DEVICE;
    if (strcmp(call, "nvrtcVersion") == 0)
        return MW_COMPILE_FAILED;
    if (row->error) /* of both libraries: no memory */
        return MW_NO_MEMORY;
    if (strcmp(call, "cuInit") == 0)
        return MW_NO_DEVICE;
    return row->whose == NVRTC ? MW_COMPILE_FAILED : MW_DEVICE_FAILED;
}

/* Is this the right outcome if `call`, number `k`, fails? "": no call was left to fail. */
static int right(const struct outcome *outcome, const struct fault_case *row,
                 const char *call, int k)
{
    static const char *const words[] = {"CUDA_ERROR", "NVRTC", ""};

    if (outcome->status != MW_OK)
        return *call && outcome->status == expected_status(row, call) &&
               *outcome->error.text && strstr(outcome->error.text, words[row->whose]);
    return outcome->same && (!*call || (row->whose == DRIVER && k > outcome->close_calls) ||
                             forgiven(call, row->bytes >= COPY_STAGED_FROM));
}

/* Fail one call after the other until a life has no call left to fail. */
static void test_faults(struct tap *tap, const struct fault_case *row)
{
    struct fake_calls *const all[] = {&fakes.cuda->calls, fakes.nvrtc, &host_calls};
    struct fake_calls *const calls = all[row->whose];
    char last[64] = "none";
    int wrong = 0, left = 0, k = 0;

    do {
        CUcontext context;

        /* As if the CUDA runtime were in use: what we forget will stay. */
        fakes.driver.DevicePrimaryCtxRetain(&context, 1);
        fakes.cuda->calls.count = 0;
        k += strcmp(calls->failed, last) == 0 ? row->step : 1;
        strcpy(last, calls->failed);
        fail_call(calls, k, row->error);
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
    /* The last life had no fault, so the next device works. */
    tap_case(tap, wrong == 0 && k > 20, "%s: calls up to %d fail", row->name, k - 1);
    tap_case(tap, left == 0 && leaks() == 0, "%s: nothing is left", row->name);
}

int main(void)
{
    struct tap tap = {0, 0};
    const int found = life_begin();

    tap_ok(&tap, found, "the fake driver opens", "");
    for (size_t i = 0; found && i < COUNT_OF(cases); i++)
        test_faults(&tap, &cases[i]);
    life_end();
    return tap_end(&tap);
}
