/*
 * 02_device_memory.c - sort device memory, with a workspace of one's own.
 *
 * mw_prepare plans the job, loads its kernels and returns the workspace size.
 * After that mw_enqueue allocates nothing and waits for nothing: on CUDA it only
 * enqueues the sort on a stream (here NULL, the default stream). A program that
 * has CUDA headers may use cudaMalloc and cudaStream_t instead of mw_alloc.
 */
#include <multiway.h>

#include <stdio.h>

enum { COUNT = 1000000 };

static uint64_t keys[COUNT];

/* Leave by the one way out as soon as a call fails. */
#define TRY(call)            \
    do {                     \
        status = (call);     \
        if (status != MW_OK) \
            goto done;       \
    } while (0)

int main(void)
{
    mw_context *context = NULL;
    mw_table table = {NULL, COUNT, NULL, 0};
    mw_job job = MW_JOB_INIT;
    void *workspace = NULL;
    uint64_t workspace_bytes;
    mw_status status;

    for (uint64_t i = 0; i < COUNT; i++)
        keys[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15); /* spread over all 64 bits */

    TRY(mw_open(&context, "auto", NULL));
    job.order = mw_order_of(MW_U64, MW_ASCENDING);
    job.in = &table;
    TRY(mw_prepare(context, &job, &workspace_bytes));
    TRY(mw_alloc(context, sizeof keys, &table.elements));
    TRY(mw_alloc(context, workspace_bytes, &workspace));
    TRY(mw_upload(context, table.elements, keys, sizeof keys));
    TRY(mw_enqueue(context, &job, workspace, workspace_bytes, NULL));
    TRY(mw_download(context, keys, table.elements, sizeof keys));
    for (int i = 1; i < COUNT; i++) {
        if (keys[i - 1] >= keys[i]) /* the multiples are all different */
            status = MW_DEVICE_FAILED;
    }
    printf("%d keys sorted with %llu bytes of workspace\n", COUNT,
           (unsigned long long)workspace_bytes);
done:
    if (status != MW_OK)
        fprintf(stderr, "%s: %s\n", mw_status_text(status), mw_error(context));
    mw_free(context, workspace);
    mw_free(context, table.elements);
    mw_close(context);
    return status != MW_OK;
}
