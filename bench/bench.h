/*
 * bench.h - what the files of multiway-bench share: contestants, cases and results.
 */
#ifndef MW_BENCH_H
#define MW_BENCH_H

#include "../cli/cli.h"
#include "../cli/device.h"
#include "rivals.h"

enum { WARM_UPS = 2, MOST_TRIALS = 10000, MOST_ITEMS = 64, MOST_NAME = 48 };

/* What the command line asks for. Lists are texts with commas. */
struct wish {
    const char *device;
    const char *types, *counts, *shapes; /* NULL: what suits the device */
    const char *with;                    /* contestants; NULL: all */
    const char *ours;                    /* ratios are relative to it; NULL: the first */
    const char *rivals_from;             /* a plugin's file; NULL: the one beside us */
    const char *tsv, *json, *launches, *report, *commit;
    uint64_t seed;
    uint32_t trials;
    int phases;
    struct cache_choice cache;
    char **arguments; /* the command line itself, ending with NULL */
};

/* One sort that is measured: a rival, or one of our engines where `rival` is NULL. */
struct contestant {
    char name[MOST_NAME];
    const char *about;
    mw_engine engine;
    const struct rival *rival;
    uint32_t ways, warps; /* of an engine; 0: the library's choice */
};

/* The contestants; ratios are relative to number 0. */
struct field {
    struct contestant list[MOST_ITEMS];
    int count;
};

struct shape {
    char name[MOST_NAME];
    struct kit_shape shape;
};

/* Every type in every shape in every count: types * shapes * counts cases. */
struct cases {
    mw_type types[MW_TYPE_COUNT];
    struct shape shapes[MOST_ITEMS];
    uint64_t counts[MOST_ITEMS];
    int type_count, shape_count, count_count;
};

struct one_case {
    mw_type type;
    const struct shape *shape;
    uint64_t count;
};

int cases_total(const struct cases *cases);
struct one_case cases_at(const struct cases *cases, int i);

/* Milliseconds. */
struct figures {
    double median, mean, least, most;
};

enum outcome { NOT_RUN, RIGHT, WRONG, FAILED };

/* The result of one contestant in one case. */
struct result {
    enum outcome outcome;
    struct figures ms;
    uint64_t workspace_bytes;
    char why[256];       /* if it is not RIGHT */
    mw_launch *launches; /* with --phases, medians; NULL: none */
    size_t launch_count;
};

/* A count as text: 2^20 for a power of two, otherwise its digits. */
enum { COUNT_TEXT = 24 };
const char *count_text(uint64_t count, char text[COUNT_TEXT]);

/* Read the lists of the wish. 0, or -1 after an error message. */
int lists_read_cases(const struct wish *wish, const mw_info *info, struct cases *cases);
int lists_read_field(const struct wish *wish, const mw_info *info,
                     const struct rivals *plugin, const char *why_none,
                     struct field *field);

/* Median, mean, least and most of `count` times, which are sorted in place. */
struct figures figures_of(double *times, uint32_t count);

#endif
