/*
 * sort_table.h - sort a file with values from files of their own, by segments, or to
 * positions: all of it in memory.
 */
#ifndef MW_CLI_SORT_TABLE_H
#define MW_CLI_SORT_TABLE_H

#include "work.h"

enum { MOST_COLUMNS = TEXTS_MOST, MOST_FILES = 1 + MOST_COLUMNS };

/* The first part is set by the command and its options. */
struct sort_table {
    const char *output;
    const char *input;
    struct texts columns;
    const char *segments, *segment_type_name;

    struct work *work;
    mw_type segment_type;
    void *position;
    mw_table in, out;
    mw_column column[MOST_COLUMNS];
    struct source source[MOST_FILES + 1]; /* the elements, columns, offsets of segments */
    struct result result[MOST_FILES];
};

/* clang-format off */
#define SORT_TABLE_OPTIONS(t)                                                            \
    {"column",    0, "SPEC",  OPTION_LIST, &(t).columns,            0,                   \
     "BYTES:IN:OUT: values that move along, in files"},                                  \
    {"segments",  0, "FILE",  OPTION_TEXT, &(t).segments,           0,                   \
     "n + 1 offsets: sort n segments, each on its own"},                                 \
    {"segments-type", 0, "TYPE", OPTION_TEXT, &(t).segment_type_name, 0,                 \
     "the offsets' type: u32, i32, u64 or i64 (u64)"}
/* clang-format on */

/* Do the options ask for more than sorted rows? */
int sort_table_is_wanted(const struct sort_table *sort, const struct work *work);

/* Sort as the options say. Returns 0, or not 0 after a complaint. */
int sort_table(struct sort_table *sort, struct work *work);

#endif
