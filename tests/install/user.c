/*
 * user.c - a stranger's program, compiled as C and as C++ against what was
 * installed. Its own functions have names that the library uses inside.
 */
#include <multiway_insight.h>

#include <stdio.h>
#include <string.h>

int fail(const char *what);
int launch(void);

int fail(const char *what)
{
    fprintf(stderr, "user: %s\n", what);
    return 1;
}

int launch(void)
{
    uint16_t keys[] = {5, 3, 65535, 0, 3};
    const uint16_t sorted[] = {65535, 5, 3, 3, 0};
    mw_options options = MW_OPTIONS_INIT;
    mw_tuning tuning = MW_TUNING_INIT;
    mw_counts counts = MW_COUNTS_INIT;
    mw_info info = MW_INFO_INIT;
    mw_context *context;
    mw_status status = mw_open(&context, "cpu:2", &options);

    if (status == MW_OK)
        status = mw_set_tuning(context, &tuning);
    if (status == MW_OK)
        status = mw_sort(context, MW_U16, MW_DESCENDING, keys, 5);
    if (status == MW_OK)
        status = mw_get_counts(context, &counts);
    if (status == MW_OK)
        status = mw_get_info(context, &info);
    if (status != MW_OK)
        fail(mw_error(context));
    mw_close(context);
    if (status != MW_OK)
        return 1;
    if (memcmp(keys, sorted, sizeof keys) != 0)
        return fail("not sorted");
    if (counts.count != 5 || strcmp(info.device, "cpu:2") != 0)
        return fail("wrong figures");
    return 0;
}

int main(void)
{
    if (mw_version() != MW_VERSION)
        return fail("library and header differ");
    return launch();
}
