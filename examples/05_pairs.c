/*
 * 05_pairs.c - sort keys and move a value along with each.
 *
 * The sort is stable: students with the same grade stay in the order they had.
 */
#include <multiway.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    float grades[] = {1.7f, 2.3f, 1.0f, 2.3f, 1.7f};
    char names[][8] = {"Ada", "Bob", "Cleo", "Dan", "Eve"};
    const char expected[][8] = {"Bob", "Dan", "Ada", "Eve", "Cleo"};
    const uint64_t count = sizeof grades / sizeof grades[0];
    mw_context *context;
    mw_status status;

    status = mw_open(&context, "auto", NULL);
    if (status == MW_OK)
        status = mw_sort_pairs(context, MW_F32, MW_DESCENDING, grades, names,
                               sizeof names[0], count);
    if (status != MW_OK)
        fprintf(stderr, "%s: %s\n", mw_status_text(status), mw_error(context));
    mw_close(context);

    for (uint64_t i = 0; i < count; i++)
        printf("%.1f %s\n", (double)grades[i], names[i]);
    for (uint64_t i = 0; i < count; i++) {
        if (strcmp(names[i], expected[i]) != 0)
            return 1;
    }
    return status != MW_OK;
}
