/*
 * tour.c - a short tour of every kernel on one device: each type by each
 * engine, few ways and many, counts that end in the middle of everything.
 *
 *   tour cuda      or under compute-sanitizer: see CONTRIBUTING.md
 *
 * The long tables are sort_matrix's; this one is short enough for a tool that
 * makes every access a hundred times slower.
 */
#include "tap.h"
#include "trial.h"

static const struct tuning_row {
    const char *name;
    mw_tuning tuning; /* size, engine, ways, warps, threads, items, base */
    int phases;       /* are cuts and merges launched apart? */
} rows[] = {
    {"heap, 2 ways, small base",
     {sizeof(mw_tuning), MW_ENGINE_HEAP, 2, 24, 64, 0, 1024},
     0                                                                                    },
    {"heap, 8 ways",             {sizeof(mw_tuning), MW_ENGINE_HEAP, 8, 0, 0, 0, 2048},  0},
    {"heap, 32 ways",            {sizeof(mw_tuning), MW_ENGINE_HEAP, 32, 5, 0, 0, 1024}, 0},
    {"heap, one base case",      {sizeof(mw_tuning), MW_ENGINE_HEAP, 4, 0, 0, 0, 0},     0},
    {"tile, 2 ways",             {sizeof(mw_tuning), MW_ENGINE_TILE, 2, 0, 0, 0, 0},     0},
    {"tile",                     {sizeof(mw_tuning), MW_ENGINE_TILE, 0, 0, 0, 0, 0},     0},
    {"tile, large tiles",        {sizeof(mw_tuning), MW_ENGINE_TILE, 8, 0, 256, 0, 0},   0},
    {"tile, many tiles",         {sizeof(mw_tuning), MW_ENGINE_TILE, 8, 0, 64, 32, 0},   0},
    {"tile, many, phases apart", {sizeof(mw_tuning), MW_ENGINE_TILE, 8, 0, 64, 32, 0},   1},
    {"pair",                     {sizeof(mw_tuning), MW_ENGINE_PAIR, 0, 0, 0, 0, 0},     0},
};

static const struct {
    const char *shape;
    uint64_t count;
} inputs[] = {
    {"specials", 1000 },
    {"random",   9001 },
    {"few:3",    40009}
};

/* How many keys are more tiles of 2048 than find their own cuts. */
static uint64_t many_tiles(mw_context *context)
{
    mw_info info = MW_INFO_INIT;

    if (mw_get_info(context, &info) != MW_OK || info.processors < 16)
        return 64 * 2048 + 1;
    return 4 * 2048 * (uint64_t)info.processors + 1;
}

/* Was it one launch a round or, with phases apart, one for cuts and one for merging? */
static int launched(mw_context *context, int phases)
{
    mw_counts counts = MW_COUNTS_INIT;

    return mw_get_counts(context, &counts) == MW_OK &&
           counts.launches == 1 + (phases ? 2 : 1) * counts.rounds;
}

int main(int argc, char **argv)
{
    const char *const device = argc > 1 ? argv[1] : "sim";
    mw_context *context = NULL;
    struct tap tap = {0};

    if (mw_open(&context, device, NULL) != MW_OK) {
        tap_skip(&tap, device, mw_error(context));
        mw_close(context);
        return tap_end(&tap);
    }
    for (size_t row = 0; row < COUNT_OF(rows); row++) {
        mw_set_timing(context, rows[row].phases ? MW_TIMING_PHASES : MW_TIMING_OFF);
        for (int type = 0; type < MW_TYPE_COUNT; type++) {
            for (size_t i = 0; i < COUNT_OF(inputs); i++) {
                const int many = rows[row].tuning.items && i + 1 == COUNT_OF(inputs) &&
                                 (type == MW_U32 || type == MW_U64);
                const struct trial t = {.type = (mw_type)type,
                                        .direction = (mw_direction)(type % 2),
                                        .shape = inputs[i].shape,
                                        .seed = 1 + row,
                                        .count =
                                            many ? many_tiles(context) : inputs[i].count,
                                        .tuning = rows[row].tuning,
                                        .device_memory = 1};
                struct outcome outcome;
                const int well = trial_run(context, &t, &outcome) &&
                                 (!many || launched(context, rows[row].phases));

                if (!well)
                    tap_note("%s", outcome.why);
                tap_case(&tap, well, "%s: %s, %llu %s", rows[row].name,
                         mw_type_name(t.type), (unsigned long long)t.count, t.shape);
                trial_close(&outcome);
            }
        }
    }
    mw_close(context);
    return tap_end(&tap);
}
