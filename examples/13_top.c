/*
 * 13_top.c - the largest few of many keys and where they stand, and the median.
 *
 * Only what is selected gets sorted. Equal keys come by position, so the answer is the
 * same on every run and on every device.
 */
#include <multiway.h>

#include <stdio.h>

enum { COUNT = 100001, K = 4 };

static float scores[COUNT];

int main(void)
{
    const uint32_t expected[K] = {777, 5, 50000, 100000};
    const mw_table in = {scores, COUNT, NULL, 0};
    float best[K], median = 0;
    const mw_table out = {&median, 1, NULL, 0};
    uint32_t positions[K];
    mw_job job = MW_JOB_INIT;
    mw_context *context;
    mw_status status;

    for (int i = 0; i < COUNT; i++)
        scores[i] = (float)((i * 7919L) % 1001);
    scores[777] = 5000;
    scores[5] = scores[50000] = scores[100000] = 4000;

    status = mw_open(&context, "auto", NULL);
    if (status == MW_OK)
        status = mw_top(context, MW_F32, MW_DESCENDING, scores, COUNT, K, best, positions,
                        MW_U32);

    job.operation = MW_SELECT; /* any ranks [first, last), here of the median alone */
    job.order = mw_order_of(MW_F32, MW_ASCENDING);
    job.in = &in;
    job.out = &out;
    job.first = COUNT / 2;
    job.last = COUNT / 2 + 1;
    if (status == MW_OK)
        status = mw_run(context, &job);
    if (status != MW_OK)
        fprintf(stderr, "%s: %s\n", mw_status_text(status), mw_error(context));
    mw_close(context);

    for (int i = 0; status == MW_OK && i < K; i++) {
        printf("%.0f at %u\n", (double)best[i], positions[i]);
        if (positions[i] != expected[i] || best[i] != scores[expected[i]])
            return 1;
    }
    printf("median %.0f\n", (double)median);
    return status != MW_OK || median != 500;
}
