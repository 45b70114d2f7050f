/*
 * 01_sort.c - sort an array in host memory, on the best device there is.
 */
#include <multiway.h>

#include <stdio.h>

int main(void)
{
    int32_t keys[] = {30, -7, 12, 0, 99, -7, 5, 41};
    const uint64_t count = sizeof keys / sizeof keys[0];
    mw_context *context;
    mw_status status;

    status = mw_open(&context, "auto", NULL); /* a GPU if there is one, else the CPU */
    if (status == MW_OK)
        status = mw_sort(context, MW_I32, MW_ASCENDING, keys, count);
    if (status != MW_OK)
        fprintf(stderr, "%s: %s\n", mw_status_text(status), mw_error(context));
    mw_close(context);

    for (uint64_t i = 0; i < count; i++)
        printf("%d ", (int)keys[i]);
    printf("\n");
    for (uint64_t i = 1; i < count; i++) {
        if (keys[i - 1] > keys[i])
            return 1;
    }
    return status != MW_OK;
}
