/*
 * count_report.h - the figures of `multiway count`, for readers and programs.
 */
#ifndef MW_CLI_COUNT_REPORT_H
#define MW_CLI_COUNT_REPORT_H

#include "tally.h"

/* What was asked for. */
struct count {
    mw_type type;
    int descending;
    uint64_t count;
    uint64_t seed;
    struct kit_shape shape;
    mw_tuning tuning;
    int all_lines;
    int json;
};

void count_report_text(const struct count *count, const struct tally *tally, int correct);
void count_report_json(const struct count *count, const struct tally *tally, int correct);

#endif
