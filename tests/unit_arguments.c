/*
 * unit_arguments.c - every wrong argument of every call on a handle: refused as
 * MW_BAD_ARGUMENT, in words that name it, with nothing touched.
 */
#include "kit.h"

#include "tap.h"

#include <stdlib.h>

enum { KEYS = 100, BYTES = KEYS * 8 };

/* A handle and memory of its device, for calls that should not go through. */
struct bench {
    mw_context *context;
    const char *device;
    char *keys;   /* host memory */
    char *before; /* what it holds */
    char *there;  /* device memory, as many bytes and 16 more */
    char *workspace;
    uint64_t workspace_bytes;
};

static const mw_type no_type = (mw_type)MW_TYPE_COUNT;
static const mw_direction no_direction = (mw_direction)2;
static const uint64_t too_many = (UINT64_C(1) << 60) + 1;

/* One call on `b`; `*expected` is a word its message must hold. */
typedef mw_status wrong_call(struct bench *b, const char **expected);

static mw_status sort_type(struct bench *b, const char **expected)
{
    *expected = "type";
    return mw_sort(b->context, no_type, MW_ASCENDING, b->keys, KEYS);
}

static mw_status sort_negative_type(struct bench *b, const char **expected)
{
    *expected = "type";
    return mw_sort(b->context, (mw_type)-1, MW_ASCENDING, b->keys, KEYS);
}

static mw_status sort_direction(struct bench *b, const char **expected)
{
    *expected = "direction";
    return mw_sort(b->context, MW_U64, no_direction, b->keys, KEYS);
}

static mw_status sort_null(struct bench *b, const char **expected)
{
    *expected = "keys";
    return mw_sort(b->context, MW_U64, MW_ASCENDING, NULL, 1);
}

static mw_status sort_too_many(struct bench *b, const char **expected)
{
    *expected = "count";
    return mw_sort(b->context, MW_U64, MW_ASCENDING, b->keys, too_many);
}

static mw_status sort_most(struct bench *b, const char **expected)
{
    *expected = "count";
    return mw_sort(b->context, MW_U8, MW_ASCENDING, b->keys, UINT64_MAX);
}

static mw_status sort_unaligned(struct bench *b, const char **expected)
{
    *expected = "aligned";
    return mw_sort(b->context, MW_U64, MW_ASCENDING, (char *)b->keys + 1, KEYS - 1);
}

static mw_status workspace_type(struct bench *b, const char **expected)
{
    uint64_t bytes = 12345;
    const mw_status status = kit_sort_workspace(b->context, no_type, KEYS, &bytes);

    *expected = bytes == 12345 ? "type" : "untouched";
    return status;
}

static mw_status workspace_null(struct bench *b, const char **expected)
{
    *expected = "bytes";
    return kit_sort_workspace(b->context, MW_U64, KEYS, NULL);
}

static mw_status workspace_too_many(struct bench *b, const char **expected)
{
    uint64_t bytes = 12345;
    const mw_status status = kit_sort_workspace(b->context, MW_U64, too_many, &bytes);

    *expected = bytes == 12345 ? "count" : "untouched";
    return status;
}

static mw_status there_type(struct bench *b, const char **expected)
{
    *expected = "type";
    return kit_sort_device(b->context, no_type, MW_ASCENDING, b->there, KEYS, b->workspace,
                          b->workspace_bytes, NULL);
}

static mw_status there_direction(struct bench *b, const char **expected)
{
    *expected = "direction";
    return kit_sort_device(b->context, MW_U64, no_direction, b->there, KEYS, b->workspace,
                          b->workspace_bytes, NULL);
}

static mw_status there_null(struct bench *b, const char **expected)
{
    *expected = "keys";
    return kit_sort_device(b->context, MW_U64, MW_ASCENDING, NULL, KEYS, b->workspace,
                          b->workspace_bytes, NULL);
}

static mw_status there_too_many(struct bench *b, const char **expected)
{
    *expected = "count";
    return kit_sort_device(b->context, MW_U64, MW_ASCENDING, b->there, too_many,
                          b->workspace, b->workspace_bytes, NULL);
}

static mw_status there_keys_unaligned(struct bench *b, const char **expected)
{
    *expected = "aligned";
    return kit_sort_device(b->context, MW_U64, MW_ASCENDING, b->there + 8, KEYS,
                          b->workspace, b->workspace_bytes, NULL);
}

static mw_status there_workspace_unaligned(struct bench *b, const char **expected)
{
    *expected = "aligned";
    return kit_sort_device(b->context, MW_U64, MW_ASCENDING, b->there, KEYS,
                          b->workspace + 8, b->workspace_bytes, NULL);
}

/* As many keys as need a workspace: more than any base. */
static mw_status there_workspace_small(struct bench *b, const char **expected)
{
    uint64_t wanted = 0;
    mw_status status = kit_sort_workspace(b->context, MW_U64, 100000, &wanted);

    *expected = "workspace";
    if (status == MW_OK && wanted > 0)
        status = kit_sort_device(b->context, MW_U64, MW_ASCENDING, b->there, 100000,
                                b->workspace, wanted - 1, NULL);
    return status;
}

static mw_status there_workspace_null(struct bench *b, const char **expected)
{
    uint64_t wanted = 0;
    mw_status status = kit_sort_workspace(b->context, MW_U64, 100000, &wanted);

    *expected = "workspace";
    if (status == MW_OK && wanted > 0)
        status = kit_sort_device(b->context, MW_U64, MW_ASCENDING, b->there, 100000, NULL,
                                wanted, NULL);
    return status;
}

static mw_status alloc_null(struct bench *b, const char **expected)
{
    *expected = "memory";
    return mw_alloc(b->context, 1, NULL);
}

static mw_status upload_to_null(struct bench *b, const char **expected)
{
    *expected = "NULL";
    return mw_upload(b->context, NULL, b->keys, BYTES);
}

static mw_status upload_from_null(struct bench *b, const char **expected)
{
    *expected = "NULL";
    return mw_upload(b->context, b->there, NULL, BYTES);
}

static mw_status download_to_null(struct bench *b, const char **expected)
{
    *expected = "NULL";
    return mw_download(b->context, NULL, b->there, BYTES);
}

static mw_status download_from_null(struct bench *b, const char **expected)
{
    *expected = "NULL";
    return mw_download(b->context, b->keys, NULL, BYTES);
}

static mw_status tuning_size(struct bench *b, const char **expected)
{
    mw_tuning tuning = MW_TUNING_INIT;

    tuning.size--;
    *expected = "MW_TUNING_INIT";
    return mw_set_tuning(b->context, &tuning);
}

static mw_status tuning_ways(struct bench *b, const char **expected)
{
    mw_tuning tuning = MW_TUNING_INIT;

    tuning.ways = 3;
    *expected = "ways";
    return mw_set_tuning(b->context, &tuning);
}

static mw_status get_tuning_type(struct bench *b, const char **expected)
{
    mw_tuning tuning = MW_TUNING_INIT;

    *expected = "type";
    return kit_get_tuning(b->context, no_type, KEYS, &tuning);
}

static mw_status get_tuning_null(struct bench *b, const char **expected)
{
    *expected = "tuning";
    return kit_get_tuning(b->context, MW_U64, KEYS, NULL);
}

static mw_status counts_null(struct bench *b, const char **expected)
{
    *expected = "counts";
    return mw_get_counts(b->context, NULL);
}

static mw_status counts_size(struct bench *b, const char **expected)
{
    mw_counts counts = {.size = 8};

    *expected = "MW_COUNTS_INIT";
    return mw_get_counts(b->context, &counts);
}

static mw_status ledger_lines_null(struct bench *b, const char **expected)
{
    size_t count;

    *expected = "lines";
    return mw_get_ledger(b->context, NULL, &count);
}

static mw_status ledger_count_null(struct bench *b, const char **expected)
{
    const mw_ledger_line *lines;

    *expected = "count";
    return mw_get_ledger(b->context, &lines, NULL);
}

static mw_status info_null(struct bench *b, const char **expected)
{
    *expected = "info";
    return mw_get_info(b->context, NULL);
}

static mw_status info_size(struct bench *b, const char **expected)
{
    mw_info info = {.size = 8};

    *expected = "MW_INFO_INIT";
    return mw_get_info(b->context, &info);
}

static const struct {
    const char *name;
    wrong_call *call;
} calls[] = {
    {"mw_sort, no such type",                  sort_type                },
    {"mw_sort, a negative type",               sort_negative_type       },
    {"mw_sort, no such direction",             sort_direction           },
    {"mw_sort, NULL keys",                     sort_null                },
    {"mw_sort, too many keys",                 sort_too_many            },
    {"mw_sort, 2^64 - 1 keys",                 sort_most                },
    {"mw_sort, unaligned keys",                sort_unaligned           },
    {"mw_sort_workspace, no such type",        workspace_type           },
    {"mw_sort_workspace, NULL bytes",          workspace_null           },
    {"mw_sort_workspace, too many keys",       workspace_too_many       },
    {"mw_sort_device, no such type",           there_type               },
    {"mw_sort_device, no such direction",      there_direction          },
    {"mw_sort_device, NULL keys",              there_null               },
    {"mw_sort_device, too many keys",          there_too_many           },
    {"mw_sort_device, unaligned keys",         there_keys_unaligned     },
    {"mw_sort_device, unaligned workspace",    there_workspace_unaligned},
    {"mw_sort_device, workspace a byte short", there_workspace_small    },
    {"mw_sort_device, NULL workspace",         there_workspace_null     },
    {"mw_alloc, NULL memory",                  alloc_null               },
    {"mw_upload, to NULL",                     upload_to_null           },
    {"mw_upload, from NULL",                   upload_from_null         },
    {"mw_download, to NULL",                   download_to_null         },
    {"mw_download, from NULL",                 download_from_null       },
    {"mw_set_tuning, another version's",       tuning_size              },
    {"mw_set_tuning, 3 ways",                  tuning_ways              },
    {"mw_get_tuning, no such type",            get_tuning_type          },
    {"mw_get_tuning, NULL tuning",             get_tuning_null          },
    {"mw_get_counts, NULL",                    counts_null              },
    {"mw_get_counts, another version's",       counts_size              },
    {"mw_get_ledger, NULL lines",              ledger_lines_null        },
    {"mw_get_ledger, NULL count",              ledger_count_null        },
    {"mw_get_info, NULL",                      info_null                },
    {"mw_get_info, another version's",         info_size                },
};

static mw_status bench_open(struct bench *b)
{
    mw_status status = mw_open(&b->context, b->device, NULL);

    kit_fill(MW_U64, "random", 1, b->keys, KEYS);
    memcpy(b->before, b->keys, BYTES);
    if (status == MW_OK)
        status = mw_alloc(b->context, BYTES + 16, (void **)&b->there);
    if (status == MW_OK)
        status = mw_upload(b->context, b->there, b->keys, BYTES);
    b->workspace_bytes = BYTES;
    if (status == MW_OK)
        status = mw_alloc(b->context, b->workspace_bytes + 16, (void **)&b->workspace);
    return status;
}

/* Keys here and there as they were, the tuning too, and the last sort not replaced. */
static int untouched(struct bench *b)
{
    mw_counts counts = MW_COUNTS_INIT;
    mw_tuning tuning = MW_TUNING_INIT;
    char back[BYTES];

    return memcmp(b->keys, b->before, BYTES) == 0 &&
           mw_download(b->context, back, b->there, BYTES) == MW_OK &&
           memcmp(back, b->before, BYTES) == 0 &&
           mw_get_counts(b->context, &counts) == MW_OK && counts.count == 7 &&
           kit_get_tuning(b->context, MW_U64, 5000, &tuning) == MW_OK && tuning.warps == 77;
}

static void test_calls(struct tap *tap, struct bench *b)
{
    mw_tuning tuning = MW_TUNING_INIT;
    uint64_t seven[7] = {7, 6, 5, 4, 3, 2, 1};

    tuning.warps = 77;
    tap_case(tap,
             mw_set_tuning(b->context, &tuning) == MW_OK &&
                 mw_sort(b->context, MW_U64, MW_ASCENDING, seven, 7) == MW_OK,
             "%s: a sort to remember", b->device);
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        const char *expected = "";
        const mw_status status = calls[i].call(b, &expected);
        const char *const error = mw_error(b->context);
        const int refused = status == MW_BAD_ARGUMENT && strstr(error, expected);

        if (!refused)
            tap_note("%s: \"%s\", which should name %s", mw_status_text(status), error,
                     expected);
        tap_case(tap, refused && untouched(b), "%s: %s", b->device, calls[i].name);
    }
}

int main(void)
{
    static const char *const devices[] = {"cpu:2", "sim", "cuda"};
    struct tap tap = {0, 0};

    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        char keys[BYTES];
        char before[BYTES];
        struct bench b = {.device = devices[i], .keys = keys, .before = before};
        const mw_status status = bench_open(&b);

        if (status == MW_OK)
            test_calls(&tap, &b);
        else if (status == MW_NO_DEVICE && strcmp(b.device, "cuda") == 0)
            tap_skip(&tap, "cuda: wrong arguments", "no CUDA device");
        else
            tap_ok(&tap, 0, b.device, mw_error(b.context));
        mw_free(b.context, b.workspace);
        mw_free(b.context, b.there);
        mw_close(b.context);
    }
    return tap_end(&tap);
}
