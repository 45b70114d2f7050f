/*
 * cover.c - a greedy covering: each new case begins with a pair not yet seen
 * and then takes, parameter by parameter, the value that adds the most pairs.
 */
#include "cover.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 64 };

/* Has value `a` of parameter `i` occurred together with value `b` of `j`? */
typedef char seen_pairs[COVER_MOST][MOST_VALUES][COVER_MOST][MOST_VALUES];

/* Ties go to the value whose turn it is, so that all occur about equally often. */
static int best_value(const struct cover *cover, seen_pairs *seen, const int *row, int i)
{
    int best = 0;
    int best_gain = -1;

    for (int k = 0; k < cover->values[i]; k++) {
        const int a = (cover->count + k) % cover->values[i];
        int gain = 0;

        for (int j = 0; j < cover->parameters; j++)
            gain += j != i && row[j] >= 0 && !(*seen)[i][a][j][row[j]];
        if (gain > best_gain) {
            best = a;
            best_gain = gain;
        }
    }
    return best;
}

/* A case with value `a` of parameter `i` and value `b` of `j`. */
static int add_case(struct cover *cover, seen_pairs *seen, int i, int a, int j, int b)
{
    const int parameters = cover->parameters;
    const size_t bytes = (size_t)parameters * sizeof(int);
    int *const cases = realloc(cover->cases, (size_t)(cover->count + 1) * bytes);
    int *row;

    if (!cases)
        return -1;
    cover->cases = cases;
    row = cases + cover->count * parameters;
    memset(row, -1, bytes);
    row[i] = a;
    row[j] = b;
    for (int k = 0; k < parameters; k++)
        row[k] = row[k] < 0 ? best_value(cover, seen, row, k) : row[k];
    for (int k = 0; k < parameters * parameters; k++)
        (*seen)[k / parameters][row[k / parameters]][k % parameters][row[k % parameters]] =
            1;
    cover->count++;
    return 0;
}

int cover_open(struct cover *cover, int parameters, const int *values)
{
    seen_pairs *const seen = calloc(1, sizeof *seen);
    int failed = !seen;

    *cover = (struct cover){.parameters = parameters, .values = values};
    for (int i = 0; i < parameters; i++)
        for (int j = i + 1; j < parameters; j++)
            for (int k = 0; k < values[i] * values[j] && !failed; k++)
                if (!(*seen)[i][k / values[j]][j][k % values[j]])
                    failed = add_case(cover, seen, i, k / values[j], j, k % values[j]);
    free(seen);
    return failed ? -1 : 0;
}

void cover_close(struct cover *cover)
{
    free(cover->cases);
    cover->cases = NULL;
}
