/*
 * trial.c - one sort, judged: in order, the same elements, nothing written beside it.
 */
#include "trial.h"

#include "tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { GUARD = 64, GUARD_BYTE = 0xa5 };

static int wrong(struct outcome *outcome, mw_status status, const char *format, ...)
{
    va_list list;

    outcome->status = status;
    va_start(list, format);
    vsnprintf(outcome->why, sizeof outcome->why, format, list);
    va_end(list);
    return 0;
}

static int guard_whole(const char *guard)
{
    for (int i = 0; i < GUARD; i++) {
        if ((unsigned char)guard[i] != GUARD_BYTE)
            return 0;
    }
    return 1;
}

/* One call of several, the first of which that fails ends them. */
#define STEP(call) status = status == MW_OK ? (call) : status

/*
 * Keys and workspace on the device, each no larger than it has to be, with a guard after
 * it; the simulator knows bounds without one. The keys take their guard along.
 */
static int sort_there(mw_context *context, const struct trial *t, struct outcome *outcome)
{
    const uint64_t bytes = t->count * mw_type_size(t->type);
    mw_info info = MW_INFO_INIT;
    mw_status status = mw_get_info(context, &info);
    const uint64_t guard = strcmp(info.device, "sim") == 0 ? 0 : GUARD;
    uint64_t wanted = 0;
    char *memory = NULL; /* the keys are aligned as their type is, and no better */
    const uint64_t shift = t->seed % 4 * mw_type_size(t->type);
    char *keys;
    char *workspace = NULL;
    char back[GUARD];

    memset(back, GUARD_BYTE, sizeof back);
    STEP(kit_sort_workspace(context, t->type, t->count, &wanted));
    STEP(mw_alloc(context, bytes + guard + shift, (void **)&memory));
    keys = memory ? memory + shift : NULL;
    STEP(mw_alloc(context, wanted + guard, (void **)&workspace));
    STEP(mw_upload(context, keys, outcome->keys, bytes + guard));
    STEP(mw_upload(context, workspace + wanted, back, guard));
    STEP(kit_sort_device(context, t->type, t->direction, keys, t->count, workspace, wanted,
                         NULL));
    STEP(mw_wait(context));
    STEP(mw_download(context, outcome->keys, keys, bytes + guard));
    STEP(mw_download(context, back, workspace + wanted, guard));
    mw_free(context, workspace);
    mw_free(context, memory);
    if (status != MW_OK)
        return wrong(outcome, status, "%s: %s", mw_status_text(status), mw_error(context));
    return guard_whole(back) || wrong(outcome, MW_OK, "written beside the workspace");
}

static int sort_here(mw_context *context, const struct trial *t, struct outcome *outcome)
{
    const mw_status status =
        mw_sort(context, t->type, t->direction, outcome->keys, t->count);

    if (status != MW_OK)
        return wrong(outcome, status, "%s: %s", mw_status_text(status), mw_error(context));
    return 1;
}

static int judge(const struct trial *t, struct outcome *outcome,
                 struct kit_fingerprint before)
{
    const uint64_t bytes = t->count * mw_type_size(t->type);
    const uint64_t disorder =
        kit_first_disorder(t->type, t->direction, outcome->keys, t->count);
    struct kit_fingerprint after = {0, 0};

    kit_fingerprint_add(&after, t->type, outcome->keys, t->count);
    if (disorder < t->count)
        return wrong(outcome, MW_OK, "out of order at position %llu",
                     (unsigned long long)disorder);
    if (!kit_fingerprint_equal(before, after))
        return wrong(outcome, MW_OK, "other elements than before");
    if (!guard_whole(outcome->memory) || !guard_whole(outcome->keys + bytes))
        return wrong(outcome, MW_OK, "written beside the keys");
    return 1;
}

int trial_run(mw_context *context, const struct trial *t, struct outcome *outcome)
{
    const uint64_t bytes = t->count * mw_type_size(t->type);
    struct kit_fingerprint before = {0, 0};
    mw_status status;

    *outcome = (struct outcome){MW_OK, NULL, malloc(bytes + 2 * GUARD), ""};
    if (!outcome->memory)
        return wrong(outcome, MW_NO_MEMORY, "no memory for the test itself");
    memset(outcome->memory, GUARD_BYTE, bytes + 2 * GUARD);
    outcome->keys = outcome->memory + GUARD;
    status =
        t->fill ? MW_OK : kit_fill(t->type, t->shape, t->seed, outcome->keys, t->count);
    if (t->fill)
        t->fill(t, outcome->keys);
    if (status != MW_OK)
        return wrong(outcome, status, "the kit has no shape %s", t->shape);
    kit_fingerprint_add(&before, t->type, outcome->keys, t->count);
    status = mw_set_tuning(context, &t->tuning);
    if (status != MW_OK)
        return wrong(outcome, status, "%s", mw_error(context));
    if (!(t->device_memory ? sort_there : sort_here)(context, t, outcome))
        return 0;
    return judge(t, outcome, before);
}

void trial_close(struct outcome *outcome)
{
    free(outcome->memory);
    outcome->memory = NULL;
    outcome->keys = NULL;
}

mw_context *trial_open(struct tap *tap, const char *device)
{
    mw_options options = MW_OPTIONS_INIT;
    mw_context *context;
    mw_status status;

    options.cache_path = getenv("MULTIWAY_TEST_CACHE");
    status = mw_open(&context, device, &options);

    if (status == MW_OK)
        return context;
    if (status == MW_NO_DEVICE && strncmp(device, "cuda", 4) == 0)
        tap_skip(tap, device, "no CUDA device");
    else
        tap_ok(tap, 0, device, mw_error(context));
    mw_close(context);
    return NULL;
}

int trial_dealt(mw_context *context)
{
    const mw_launch *launches;
    size_t count = 0;
    uint64_t merged = 0;

    if (mw_get_launches(context, &launches, &count) != MW_OK)
        return 0;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(launches[i].kernel, "tile_", 5) == 0 ||
            strcmp(launches[i].kernel, "deal_merge") == 0)
            merged += launches[i].traffic.shared_requests;
    }
    return count > 0 && merged == 0;
}

int trial_is_over(uint64_t jobs)
{
    static double began;
    const char *const seconds = getenv("MULTIWAY_TEST_SECONDS");

    if (began == 0)
        began = kit_seconds();
    if (!seconds || kit_seconds() - began < atof(seconds))
        return 0;
    tap_note("time is up after %llu jobs", (unsigned long long)jobs);
    return 1;
}

void trial_text(const struct trial *t, char text[TRIAL_TEXT])
{
    static const char *const engines[] = {"auto", "heap", "tile", "pair", "tally", "deal"};

    snprintf(text, TRIAL_TEXT,
             "%s %s %s seed %llu, %llu keys, %s, ways %u, warps %u, threads %u, "
             "items %u, base %u%s",
             mw_type_name(t->type), t->direction == MW_DESCENDING ? "desc" : "asc",
             t->shape, (unsigned long long)t->seed, (unsigned long long)t->count,
             engines[t->tuning.engine], t->tuning.ways, t->tuning.warps, t->tuning.threads,
             t->tuning.items, t->tuning.base, t->device_memory ? ", device memory" : "");
}

const char *trial_shape(int row, char text[SHAPE_TEXT])
{
    const struct kit_shape_text *const shape = kit_shape_text(row);
    const char *number = "";
    int length;

    if (!shape)
        return NULL;
    length = (int)strcspn(shape->usage, "[:");
    if (shape->usage[length] == ':')
        number = strchr(shape->usage, ',') ? ":17,256,worst" : ":100";
    snprintf(text, SHAPE_TEXT, "%.*s%s", length, shape->usage, number);
    return text;
}

int trial_shapes(char (*shapes)[SHAPE_TEXT], int step)
{
    static const char *const more[] = {
        "few:2",          "sawtooth:2",    "sawtooth:32",     "sawtooth:1024",
        "swaps:1",        "sawtooth:4",    "sawtooth:64",     "sawtooth:4096",
        "blocks:33",      "sawtooth:8",    "sawtooth:128",    "sawtooth:8192",
        "interleaved:2",  "sawtooth:16",   "sawtooth:256",    "sawtooth:16384",
        "blocks:8192",    "sawtooth:512",  "sawtooth:2048",   "sawtooth:32768",
        "interleaved:32", "sawtooth:1000", "interleaved:257", "sawtooth:65536"};
    int count = 0;

    while (trial_shape(count, shapes[count]))
        count++;
    for (size_t i = 0; i < sizeof more / sizeof *more; i += (size_t)step)
        snprintf(shapes[count++], SHAPE_TEXT, "%s", more[i]);
    return count;
}
