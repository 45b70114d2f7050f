/*
 * banks.c - wavefronts and sectors of one request.
 */
#include "banks.h"

enum { BANKS = 32, WORD = 4 };

/* Do all 32 lanes access consecutive cells, in order? */
static int in_a_row(const uint64_t *at, uint32_t mask, uint32_t bytes)
{
    uint64_t different = 0;

    if (mask != UINT32_MAX)
        return 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
        different |= at[lane] ^ (at[0] + lane * bytes);
    return different == 0;
}

/* Wavefronts of `count` words, if some bank has to serve more than one of them. */
static uint32_t conflict_wavefronts(const uint64_t *words, uint32_t count)
{
    uint32_t in_bank[BANKS] = {0};
    uint32_t most = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = 0;

        while (words[j] != words[i])
            j++;
        if (j == i && ++in_bank[words[i] % BANKS] > most)
            most = in_bank[words[i] % BANKS];
    }
    return most;
}

/* Wavefronts of the lanes of `mask`, which are served together: at most 64 words. */
static uint32_t wavefronts(const uint64_t *at, uint32_t mask, uint32_t bytes)
{
    const uint32_t words_each = bytes > WORD ? bytes / WORD : 1;
    uint64_t words[2 * BANKS];
    uint64_t served[BANKS];
    uint32_t busy = 0;
    uint32_t count = 0;
    int conflict = 0;

    for (; mask; mask &= mask - 1) {
        const uint64_t first = at[__builtin_ctz(mask)] / WORD;

        for (uint32_t i = 0; i < words_each; i++) {
            const uint64_t word = first + i;
            const uint32_t bank = word % BANKS;

            words[count++] = word;
            if (!(busy >> bank & 1))
                served[bank] = word;
            busy |= 1u << bank;
            conflict |= served[bank] != word;
        }
    }
    return conflict ? conflict_wavefronts(words, count) : 1;
}

/* Does each lane access the same cell as lane xor `distance`, if both take part? */
static int alike(const uint64_t *at, uint32_t mask, uint32_t distance)
{
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);

        if (mask >> (lane ^ distance) & 1 && at[lane] != at[lane ^ distance])
            return 0;
    }
    return 1;
}

/* Add the wavefronts of the lanes of `mask`, if any, as one part of a request. */
static void add_part(struct cost *cost, const uint64_t *at, uint32_t mask, uint32_t bytes)
{
    if (mask) {
        cost->paid += wavefronts(at, mask, bytes);
        cost->ideal++;
    }
}

struct cost bank_cost(const uint64_t *at, uint32_t mask, uint32_t bytes, int is_load)
{
    const uint32_t parts = bytes > WORD ? bytes / WORD : 1;
    struct cost cost = {0, 0};
    uint32_t lanes = LANES / parts;

    if (in_a_row(at, mask, bytes)) {
        cost.paid = cost.ideal = parts;
        return cost;
    }
    if (is_load && parts > 1 && (alike(at, mask, 1) || alike(at, mask, 2)))
        lanes *= 2;
    for (uint32_t first = 0; first < LANES; first += lanes)
        add_part(&cost, at, mask & UINT32_MAX >> (LANES - lanes) << first, bytes);
    return cost;
}

struct cost sector_cost(const uint64_t *at, uint32_t mask, uint32_t bytes,
                        uint64_t sectors[LANES])
{
    const uint32_t cell = UINT32_MAX >> (SECTOR - bytes); /* a bit for each byte */
    uint32_t touched[LANES];
    uint32_t count = 0;
    uint32_t distinct = 0;
    struct cost cost;

    if (in_a_row(at, mask, bytes)) {
        cost.paid = (uint32_t)((at[LANES - 1] + bytes - 1) / SECTOR - at[0] / SECTOR + 1);
        cost.ideal = LANES * bytes / SECTOR;
        for (uint32_t i = 0; i < cost.paid; i++)
            sectors[i] = at[0] / SECTOR + i;
        return cost;
    }
    for (; mask; mask &= mask - 1) {
        const uint64_t place = at[__builtin_ctz(mask)];
        uint32_t i = count;

        while (i > 0 && sectors[i - 1] != place / SECTOR)
            i--;
        if (i == 0) {
            sectors[count] = place / SECTOR;
            touched[count] = 0;
            i = ++count;
        }
        touched[i - 1] |= cell << place % SECTOR;
    }
    for (uint32_t i = 0; i < count; i++)
        distinct += (uint32_t)__builtin_popcount(touched[i]);
    cost.paid = count;
    cost.ideal = (distinct + SECTOR - 1) / SECTOR;
    return cost;
}
