/*
 * 04_count.c - sort in the simulator and read its counts.
 *
 * The simulator runs the same kernels a GPU would and keeps a ledger of what
 * each warp asked of memory. Bank conflicts are the wavefronts beyond those
 * that the accesses need in any case: this sort has none.
 */
#include <multiway_insight.h>

#include <stdio.h>

enum { COUNT = 20000 };

static uint32_t keys[COUNT];

int main(void)
{
    mw_tuning tuning = MW_TUNING_INIT;
    mw_counts counts = MW_COUNTS_INIT;
    mw_context *context;
    uint64_t conflicts;
    mw_status status;

    for (uint32_t i = 0; i < COUNT; i++)
        keys[i] = (i + 1) * 2654435769u;
    tuning.ways = 8; /* merge eight lists at once; the rest is the library's choice */
    tuning.base = 1024;

    status = mw_open(&context, "sim", NULL);
    if (status == MW_OK)
        status = mw_set_tuning(context, &tuning);
    if (status == MW_OK)
        status = mw_sort(context, MW_U32, MW_ASCENDING, keys, COUNT);
    if (status == MW_OK)
        status = mw_get_counts(context, &counts);
    if (status != MW_OK)
        fprintf(stderr, "%s: %s\n", mw_status_text(status), mw_error(context));
    mw_close(context);

    conflicts = counts.traffic.shared_wavefronts - counts.traffic.shared_ideal;
    printf("%d keys, %u merge rounds, %u launches\n", COUNT, counts.rounds,
           counts.launches);
    printf("shared memory: %llu requests, %llu bank conflicts\n",
           (unsigned long long)counts.traffic.shared_requests,
           (unsigned long long)conflicts);
    printf("global memory: %llu requests, %llu sectors of 32 bytes\n",
           (unsigned long long)counts.traffic.global_requests,
           (unsigned long long)counts.traffic.global_sectors);
    return status != MW_OK || counts.traffic.shared_requests == 0 || conflicts != 0;
}
