/*
 * 14_segments.c - sort many parts of an array at once, and select the best of each.
 *
 * A segment is [begin, end) of the rows. One array of ascending offsets serves as both:
 * a segment ends where the next begins. Segments may have any length, and may be empty.
 */
#include <multiway.h>

#include <stdio.h>

enum { SEGMENTS = 4, COUNT = 10 };

int main(void)
{
    const uint32_t offsets[SEGMENTS + 1] = {0, 4, 4, 5, COUNT};
    int16_t keys[COUNT] = {7, -2, 9, 0, 4, 30, 10, 50, 20, 40};
    const int16_t expected[COUNT] = {-2, 0, 7, 9, 4, 10, 20, 30, 40, 50};
    const int16_t expected_best[SEGMENTS] = {9, 0, 4, 50};
    int16_t best[SEGMENTS] = {0}; /* an empty segment leaves its place untouched */
    const mw_table table = {keys, COUNT, NULL, 0};
    const mw_table out = {best, SEGMENTS, NULL, 0};
    mw_job job = MW_JOB_INIT;
    mw_context *context;
    mw_status status;

    job.in = &table;
    job.segment_begins = offsets;
    job.segment_ends = offsets + 1;
    job.segment_type = MW_U32;
    job.segment_count = SEGMENTS;

    status = mw_open(&context, "auto", NULL);
    if (status == MW_OK) { /* the largest of each segment */
        job.operation = MW_SELECT;
        job.order = mw_order_of(MW_I16, MW_DESCENDING);
        job.out = &out;
        job.last = 1;
        status = mw_run(context, &job);
    }
    if (status == MW_OK) { /* each segment in order, in place */
        job.operation = MW_SORT;
        job.order = mw_order_of(MW_I16, MW_ASCENDING);
        job.out = NULL;
        status = mw_run(context, &job);
    }
    if (status != MW_OK)
        fprintf(stderr, "%s: %s\n", mw_status_text(status), mw_error(context));
    mw_close(context);

    for (int s = 0; status == MW_OK && s < SEGMENTS; s++) {
        printf("best %d of:", best[s]);
        for (uint32_t i = offsets[s]; i < offsets[s + 1]; i++) {
            printf(" %d", keys[i]);
            if (keys[i] != expected[i])
                return 1;
        }
        printf("\n");
        if (best[s] != expected_best[s])
            return 1;
    }
    return status != MW_OK;
}
