/*
 * 12_split.c - cut sorted lists at ranks, so that parts can be merged independently.
 *
 * Three workers share the merge of two lists evenly. The cut at rank r says how many rows
 * of each list are among the first r of the merge. Worker w merges what lies between the
 * cuts w and w + 1. Finding cuts moves no rows.
 */
#include <multiway.h>

#include <stdio.h>

enum { LISTS = 2, WORKERS = 3, COUNT = 12 };

int main(void)
{
    int32_t left[] = {1, 2, 2, 3, 5, 5, 9}, right[] = {2, 4, 5, 5, 6};
    const mw_table lists[LISTS] = {
        {left,  7, NULL, 0},
        {right, 5, NULL, 0}
    };
    const uint64_t ranks[WORKERS + 1] = {0, COUNT / 3, 2 * COUNT / 3, COUNT};
    const uint64_t expected[WORKERS + 1][LISTS] = {
        {0, 0},
        {3, 1},
        {6, 2},
        {7, 5}
    };
    const void *parts[LISTS];
    uint64_t cuts[WORKERS + 1][LISTS], counts[LISTS];
    int32_t merged[COUNT];
    mw_job job = MW_JOB_INIT;
    mw_context *context;
    mw_status status;

    job.operation = MW_SPLIT;
    job.order = mw_order_of(MW_I32, MW_ASCENDING);
    job.in = lists;
    job.in_count = LISTS;
    job.ranks = ranks;
    job.rank_count = WORKERS + 1;
    job.cuts = cuts[0];

    status = mw_open(&context, "auto", NULL);
    if (status == MW_OK)
        status = mw_run(context, &job);
    for (int w = 0; status == MW_OK && w < WORKERS; w++) {
        parts[0] = left + cuts[w][0];
        parts[1] = right + cuts[w][1];
        for (int i = 0; i < LISTS; i++)
            counts[i] = cuts[w + 1][i] - cuts[w][i];
        status = mw_merge(context, MW_I32, MW_ASCENDING, parts, counts, LISTS,
                          merged + ranks[w]);
    }
    if (status != MW_OK)
        fprintf(stderr, "%s: %s\n", mw_status_text(status), mw_error(context));
    mw_close(context);

    for (int r = 0; status == MW_OK && r <= WORKERS; r++) {
        printf("rank %2d: %d and %d\n", (int)ranks[r], (int)cuts[r][0], (int)cuts[r][1]);
        if (cuts[r][0] != expected[r][0] || cuts[r][1] != expected[r][1])
            return 1;
    }
    for (int i = 1; status == MW_OK && i < COUNT; i++) {
        if (merged[i - 1] > merged[i])
            return 1;
    }
    return status != MW_OK;
}
