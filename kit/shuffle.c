/*
 * shuffle.c - random orders without an array to shuffle.
 */
#include "inside.h"

#include <stdlib.h>

enum { ROUNDS = sizeof((struct kit_shuffle *)0)->factor / sizeof(uint64_t) };

void shuffle_open(struct kit_shuffle *shuffle, uint64_t count, uint64_t seed)
{
    int bits = 1;

    while (bits < 64 && (count - 1) >> bits)
        bits++;
    shuffle->count = count;
    shuffle->mask = UINT64_MAX >> (64 - bits);
    shuffle->shift = (bits + 1) / 2;
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t start = kit_mix(seed) + 2 * (uint64_t)round;

        shuffle->factor[round] = kit_mix(start + 1) | 1;
        shuffle->offset[round] = kit_mix(start + 2);
    }
}

/*
 * Each step of a round can be undone, so a round is a bijection of the 2^bits
 * numbers. Walking along its cycle until we are below `count` again makes it
 * one of the first `count`; as these are more than half, the walk is short.
 */
uint64_t shuffle_at(const struct kit_shuffle *shuffle, uint64_t i)
{
    do {
        for (int round = 0; round < ROUNDS; round++) {
            i = (i * shuffle->factor[round] + shuffle->offset[round]) & shuffle->mask;
            i ^= i >> shuffle->shift;
        }
    } while (i >= shuffle->count);
    return i;
}

static int by_position(const void *a, const void *b)
{
    const uint64_t x = ((const struct kit_touched *)a)->position;
    const uint64_t y = ((const struct kit_touched *)b)->position;

    return (x > y) - (x < y);
}

static struct kit_touched *touched_at(const struct kit_input *input, uint64_t position)
{
    const struct kit_touched wanted = {position, 0};

    if (input->touched_count == 0)
        return NULL;
    return bsearch(&wanted, input->touched, input->touched_count, sizeof wanted,
                   by_position);
}

uint64_t swaps_at(const struct kit_input *input, uint64_t position)
{
    const struct kit_touched *const touched = touched_at(input, position);

    return touched ? touched->rank : position;
}

/* The two positions of swap number `swap`; they differ. */
static void swap_pair(const struct kit_input *input, uint64_t swap, uint64_t pair[2])
{
    pair[0] = random_at(input->seed, 2 * swap) % input->count;
    pair[1] = 1 + random_at(input->seed, 2 * swap + 1) % (input->count - 1);
    pair[1] = (pair[0] + pair[1]) % input->count;
}

/* The table of all positions that will be touched, each holding its own rank yet. */
static mw_status touched_open(struct kit_input *input, uint64_t swaps)
{
    uint64_t kept = 0;

    if (swaps > SIZE_MAX / (2 * sizeof *input->touched))
        return MW_NO_MEMORY;
    input->touched = malloc(2 * swaps * sizeof *input->touched);
    if (!input->touched)
        return MW_NO_MEMORY;
    for (uint64_t swap = 0; swap < swaps; swap++) {
        uint64_t pair[2];

        swap_pair(input, swap, pair);
        for (int i = 0; i < 2; i++)
            input->touched[2 * swap + i] = (struct kit_touched){pair[i], pair[i]};
    }
    qsort(input->touched, 2 * swaps, sizeof *input->touched, by_position);
    for (uint64_t i = 0; i < 2 * swaps; i++) {
        if (kept == 0 || input->touched[kept - 1].position != input->touched[i].position)
            input->touched[kept++] = input->touched[i];
    }
    input->touched_count = kept;
    return MW_OK;
}

mw_status swaps_open(struct kit_input *input)
{
    const uint64_t swaps = input->shape.parameter;
    mw_status status;

    if (input->count < 2 || swaps == 0)
        return MW_OK;
    status = touched_open(input, swaps);
    for (uint64_t swap = 0; status == MW_OK && swap < swaps; swap++) {
        struct kit_touched *ends[2];
        uint64_t pair[2];
        uint64_t rank;

        swap_pair(input, swap, pair);
        ends[0] = touched_at(input, pair[0]);
        ends[1] = touched_at(input, pair[1]);
        rank = ends[0]->rank;
        ends[0]->rank = ends[1]->rank;
        ends[1]->rank = rank;
    }
    return status;
}
