/*
 * cover.c - a greedy covering: each new case begins with a pair not yet seen
 * and then takes, parameter by parameter, the value that adds the most pairs.
 */
#include "cover.h"

#include <stdlib.h>
#include <string.h>

/* Which pairs have occurred: one byte each, parameters i < j side by side. */
struct pairs {
    char *seen;
    int first[COVER_MOST][COVER_MOST];
    int count;
};

static int pairs_open(struct pairs *pairs, const struct cover *cover)
{
    pairs->count = 0;
    for (int i = 0; i < cover->parameters; i++) {
        for (int j = i + 1; j < cover->parameters; j++) {
            pairs->first[i][j] = pairs->count;
            pairs->count += cover->values[i] * cover->values[j];
        }
    }
    pairs->seen = calloc((size_t)pairs->count + 1, 1);
    return pairs->seen ? 0 : -1;
}

/* The byte of value `a` of parameter `i` together with value `b` of `j`. */
static char *pair_at(const struct pairs *pairs, const struct cover *cover, int i, int a,
                     int j, int b)
{
    if (i > j)
        return pair_at(pairs, cover, j, b, i, a);
    return pairs->seen + pairs->first[i][j] + a * cover->values[j] + b;
}

/* New pairs that value `a` of parameter `i` makes with the values already chosen. */
static int gain(const struct pairs *pairs, const struct cover *cover, const int *row, int i,
                int a)
{
    int count = 0;

    for (int j = 0; j < cover->parameters; j++) {
        if (j != i && row[j] >= 0)
            count += !*pair_at(pairs, cover, i, a, j, row[j]);
    }
    return count;
}

/* Ties go to the value whose turn it is, so that all occur about equally often. */
static int best_value(const struct pairs *pairs, const struct cover *cover, const int *row,
                      int i)
{
    const int values = cover->values[i];
    int best = -1;
    int best_gain = -1;

    for (int k = 0; k < values; k++) {
        const int a = (cover->count + k) % values;
        const int more = gain(pairs, cover, row, i, a);

        if (more > best_gain) {
            best = a;
            best_gain = more;
        }
    }
    return best;
}

static void take_first_pair(const struct pairs *pairs, const struct cover *cover, int *row)
{
    for (int i = 0; i < cover->parameters; i++) {
        for (int j = i + 1; j < cover->parameters; j++) {
            for (int a = 0; a < cover->values[i]; a++) {
                for (int b = 0; b < cover->values[j]; b++) {
                    if (!*pair_at(pairs, cover, i, a, j, b)) {
                        row[i] = a;
                        row[j] = b;
                        return;
                    }
                }
            }
        }
    }
}

/* Mark a case's pairs; returns how many are new. */
static int mark(const struct pairs *pairs, const struct cover *cover, const int *row)
{
    int count = 0;

    for (int i = 0; i < cover->parameters; i++) {
        for (int j = i + 1; j < cover->parameters; j++) {
            char *const seen = pair_at(pairs, cover, i, row[i], j, row[j]);

            count += !*seen;
            *seen = 1;
        }
    }
    return count;
}

static int *add_case(struct cover *cover)
{
    const size_t bytes = (size_t)cover->parameters * sizeof(int);
    int *const cases = realloc(cover->cases, (size_t)(cover->count + 1) * bytes);

    if (!cases)
        return NULL;
    cover->cases = cases;
    return cases + (size_t)cover->count * cover->parameters;
}

int cover_open(struct cover *cover, int parameters, const int *values)
{
    struct pairs pairs;
    int left;

    memset(cover, 0, sizeof *cover);
    cover->parameters = parameters;
    memcpy(cover->values, values, (size_t)parameters * sizeof *values);
    if (pairs_open(&pairs, cover))
        return -1;
    for (left = pairs.count; left > 0;) {
        int *const row = add_case(cover);

        if (!row)
            break;
        for (int i = 0; i < parameters; i++)
            row[i] = -1;
        take_first_pair(&pairs, cover, row);
        for (int i = 0; i < parameters; i++) {
            if (row[i] < 0)
                row[i] = best_value(&pairs, cover, row, i);
        }
        left -= mark(&pairs, cover, row);
        cover->count++;
    }
    free(pairs.seen);
    return left > 0 ? -1 : 0;
}

void cover_close(struct cover *cover)
{
    free(cover->cases);
    cover->cases = NULL;
}

int cover_missing(const struct cover *cover)
{
    struct pairs pairs;
    int left;

    if (pairs_open(&pairs, cover))
        return -1;
    left = pairs.count;
    for (int i = 0; i < cover->count; i++)
        left -= mark(&pairs, cover, cover->cases + (size_t)i * cover->parameters);
    free(pairs.seen);
    return left;
}
