/*
 * 11_merge.c - merge sorted lists, any number of them, into one.
 *
 * mw_merge does it for bare keys. This is the same as a job, which can do more: values
 * move along, and positions tell where each row came from. Equal keys come in the order
 * of their lists.
 */
#include <multiway.h>

#include <stdio.h>

enum { LISTS = 3, ROWS = 9 };

int main(void)
{
    uint32_t day_1[] = {3, 8, 8, 20}, day_2[] = {1, 8, 30}, day_3[] = {2, 20};
    char name_1[] = "abcd", name_2[] = "efg", name_3[] = "hi";
    const mw_column names[LISTS] = {
        {name_1, 1},
        {name_2, 1},
        {name_3, 1}
    };
    const mw_table lists[LISTS] = {
        {day_1, 4, &names[0], 1},
        {day_2, 3, &names[1], 1},
        {day_3, 2, &names[2], 1}
    };
    const char expected[] = "ehabcfdig";
    uint32_t merged[ROWS], positions[ROWS];
    char merged_names[ROWS];
    const mw_column out_names = {merged_names, 1};
    const mw_table out = {merged, ROWS, &out_names, 1};
    mw_job job = MW_JOB_INIT;
    mw_context *context;
    mw_status status;

    job.operation = MW_MERGE;
    job.order = mw_order_of(MW_U32, MW_ASCENDING);
    job.in = lists;
    job.in_count = LISTS;
    job.out = &out;
    job.positions = positions; /* as if the lists were concatenated */
    job.position_type = MW_U32;

    status = mw_open(&context, "auto", NULL);
    if (status == MW_OK)
        status = mw_run(context, &job);
    if (status != MW_OK)
        fprintf(stderr, "%s: %s\n", mw_status_text(status), mw_error(context));
    mw_close(context);

    for (int i = 0; status == MW_OK && i < ROWS; i++) {
        printf("%2u %c, row %u of all\n", merged[i], merged_names[i], positions[i]);
        if (merged_names[i] != expected[i] || positions[i] != (uint32_t)(expected[i] - 'a'))
            return 1;
    }
    return status != MW_OK;
}
