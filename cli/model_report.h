/*
 * model_report.h - the figures of `multiway model`, for readers and programs.
 */
#ifndef MW_CLI_MODEL_REPORT_H
#define MW_CLI_MODEL_REPORT_H

#include "forecast.h"
#include "pem.h"

/* What was asked for. */
struct model {
    mw_type type;
    uint64_t count;
    uint64_t seed;
    struct kit_shape shape;
    mw_tuning tuning;
    uint64_t block;  /* B; 0: 32 */
    uint64_t memory; /* M; 0: the keys of a base-case run */
    int run;         /* however many keys there are */
    int no_run;
    int json;
};

/* One way to sort: pairwise or multiway. */
struct model_way {
    struct pem pem;
    struct forecast forecast;
    mw_traffic traffic; /* of the whole sort, if it was run */
};

enum { MODEL_MOST_WAYS = 2 };

struct model_result {
    struct model_way ways[MODEL_MOST_WAYS]; /* pairwise first */
    int way_count;
    int ran;
    int correct; /* every sort */
    int held;    /* every forecast */
};

void model_report_text(const struct model *model, const struct model_result *result);
void model_report_json(const struct model *model, const struct model_result *result);

#endif
