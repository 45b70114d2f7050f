/*
 * 03_descending_floats.c - the order of floats: NaN, infinities, both zeros.
 *
 * Ascending: numbers by value, -0 before +0, then every NaN. Descending is the
 * exact reverse, so NaNs come first and +0 comes before -0.
 */
#include <multiway.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    float keys[] = {1.5f, -0.0f, NAN, -INFINITY, 0.0f, -2.0f, INFINITY};
    const float expected[] = {NAN, INFINITY, 1.5f, 0.0f, -0.0f, -2.0f, -INFINITY};
    const uint64_t count = sizeof keys / sizeof keys[0];
    mw_context *context;
    mw_status status;

    status = mw_open(&context, "cpu", NULL);
    if (status == MW_OK)
        status = mw_sort(context, MW_F32, MW_DESCENDING, keys, count);
    if (status != MW_OK)
        fprintf(stderr, "%s: %s\n", mw_status_text(status), mw_error(context));
    mw_close(context);

    for (uint64_t i = 0; i < count; i++)
        printf("%g ", (double)keys[i]);
    printf("\n");
    /* The order is total on bits, so the answer is known to the last of them. */
    return status != MW_OK || memcmp(keys, expected, sizeof keys) != 0;
}
