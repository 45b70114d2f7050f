/*
 * 06_argsort.c - find the order of keys without moving them.
 *
 * positions[0] is where the first key of the sorted sequence stands, and so on. Equal
 * keys are in the order of their positions.
 */
#include <multiway.h>

#include <stdio.h>

int main(void)
{
    const int64_t times[] = {940, 815, 1200, 815, 700};
    const uint32_t expected[] = {4, 1, 3, 0, 2};
    const uint64_t count = sizeof times / sizeof times[0];
    uint32_t positions[sizeof times / sizeof times[0]];
    mw_context *context;
    mw_status status;

    status = mw_open(&context, "auto", NULL);
    if (status == MW_OK)
        status = mw_argsort(context, MW_I64, MW_ASCENDING, times, positions, MW_U32, count);
    if (status != MW_OK)
        fprintf(stderr, "%s: %s\n", mw_status_text(status), mw_error(context));
    mw_close(context);

    for (uint64_t i = 0; status == MW_OK && i < count; i++) {
        printf("number %u at %lld\n", positions[i], (long long)times[positions[i]]);
        if (positions[i] != expected[i])
            return 1;
    }
    return status != MW_OK;
}
