/*
 * cover.h - few cases instead of all: every pair of values of two parameters
 * occurs in at least one case.
 */
#ifndef MW_TESTS_COVER_H
#define MW_TESTS_COVER_H

enum { COVER_MOST = 16 };

struct cover {
    int parameters;
    const int *values; /* how many each parameter has, up to 64 */
    int *cases;        /* `count` rows of `parameters` values, counted from 0 */
    int count;
};

/*
 * Choose the cases, always the same ones for the same numbers of values.
 * Returns 0, or -1 if there is no memory; close it either way.
 */
int cover_open(struct cover *cover, int parameters, const int *values);
void cover_close(struct cover *cover);

#endif
