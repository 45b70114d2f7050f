/*
 * conflict.c - inputs that cause bank conflicts in a pairwise mergesort.
 *
 * In such a sort each thread of a warp merges E keys, one by one, from shared
 * memory, and begins where the thread before it ended. A pattern says for each
 * of a warp's 32 E merged keys which of the two lists it comes from, so that
 * many threads read the same bank at the same time; the next warp uses the
 * complement, which gives both lists 32 E keys of every two warps. To unmerge
 * is to deal sorted keys out to two lists by the pattern, and each of those to
 * two again, down to runs of 32 E keys, which are shuffled. A mergesort of the
 * result meets the pattern in every round.
 *
 * Where a key of a list came from depends on its place within 32 E alone, so
 * unmerging is a walk up through the rounds, a table look-up each.
 */
#include "inside.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WARP = 32,
    BANKS = 32,
    MOST_ITEMS = 64,
    MOST_LENGTH = WARP * MOST_ITEMS,
    SECOND = 1 << 15 /* in a table: the key was in the second warp of the two */
};

/* What one thread takes of its E keys, and in which order. */
struct taking {
    uint16_t a; /* from list A; the others from B */
    uint16_t b_first;
};

/*
 * The simple pattern: of each ceil(32 / E) threads all take E keys from one list
 * but the last, which takes what is left of 32 there and the rest elsewhere. So
 * the first of each group begins at the same bank.
 */
static void simple_pattern(int items, struct taking thread[WARP])
{
    const int group = (BANKS + items - 1) / items;

    for (int t = 0; t < WARP; t++) {
        const int last = t % group == group - 1;

        thread[t].a = (uint16_t)(last ? BANKS - (group - 1) * items : items);
        thread[t].b_first = 0;
    }
}

/*
 * The worst pattern is looked for among those in which a thread takes all its
 * keys of one list before those of the other. A read is in step if the j-th of
 * a thread is in bank j, counted from the list's beginning, and all reads in
 * step are in one bank. Where the next thread begins follows from how many keys
 * the threads before it took from A, so the most reads in step is found
 * backwards, thread by thread, for each such number.
 */
struct search {
    int items;
    int most_a; /* keys of A in the warp, a whole number of turns of the banks */
    int32_t score[2][MOST_LENGTH + 1];
    struct taking choice[WARP][MOST_LENGTH + 1];
};

enum { IMPOSSIBLE = -1, IN_STEP = 2 * WARP, UNMIXED = 1 };

/* Reads in step of a thread that begins at those banks of A and B. */
static int in_step(int a_bank, int b_bank, int a, int b, int b_first)
{
    return b_first ? (b_bank == 0 ? b : 0) + (a_bank == b % BANKS ? a : 0)
                   : (a_bank == 0 ? a : 0) + (b_bank == a % BANKS ? b : 0);
}

/*
 * The best that thread `t` can do once `before` keys of A are taken: the most
 * reads in step, then the fewest threads that take of both lists. Of equals,
 * what has more of its reads in step at once, then what takes more of A.
 */
static void choose(struct search *s, int t, int before)
{
    const int32_t *const next = s->score[(t + 1) % 2];
    const int b_before = t * s->items - before;
    int32_t best = IMPOSSIBLE;
    int best_now = -1;

    for (int a = s->items; a >= 0 && b_before >= 0; a--) {
        const int b = s->items - a;

        if (before + a > s->most_a || next[before + a] == IMPOSSIBLE)
            continue;
        for (int b_first = 0; b_first < 2; b_first++) {
            const int now = in_step(before % BANKS, b_before % BANKS, a, b, b_first);
            const int32_t score = next[before + a] + now * IN_STEP + (a && b ? 0 : UNMIXED);

            if (score > best || (score == best && now > best_now)) {
                best = score;
                best_now = now;
                s->choice[t][before] = (struct taking){(uint16_t)a, (uint16_t)b_first};
            }
        }
    }
    s->score[t % 2][before] = best;
}

static int worst_pattern(int items, struct taking thread[WARP])
{
    struct search *const s = malloc(sizeof *s);
    int before = 0;

    if (!s)
        return -1;
    s->items = items;
    s->most_a = WARP * ((items + 1) / 2);
    for (int a = 0; a <= s->most_a; a++)
        s->score[WARP % 2][a] = a == s->most_a ? 0 : IMPOSSIBLE;
    for (int t = WARP - 1; t >= 0; t--) {
        for (int a = 0; a <= s->most_a; a++)
            choose(s, t, a);
    }
    for (int t = 0; t < WARP; t++) {
        thread[t] = s->choice[t][before];
        before += thread[t].a;
    }
    free(s);
    return 0;
}

/* Is key `j` of a thread's E from list B? */
static int from_b(struct taking thread, int items, int j)
{
    return thread.b_first ? j < items - thread.a : j >= thread.a;
}

/* Where the keys of each list stood in the two warps' output. */
static void list_origins(const struct taking thread[WARP], int items, uint16_t *origin[2])
{
    uint16_t *next[2] = {origin[0], origin[1]};

    for (int second = 0; second < 2; second++) {
        for (int i = 0; i < WARP * items; i++) {
            const int list = from_b(thread[i / items], items, i % items) != second;

            *next[list]++ = (uint16_t)(i | (second ? SECOND : 0));
        }
    }
}

mw_status conflict_open(struct kit_input *input)
{
    const int items = (int)input->shape.parameter;
    const uint64_t length = (uint64_t)WARP * input->shape.parameter;
    struct taking thread[WARP];
    struct kit_shuffle shuffle;

    assert(items <= MOST_ITEMS); /* as conflict_parse sees to */
    input->table = malloc(3 * length * sizeof *input->table);
    if (!input->table)
        return MW_NO_MEMORY;
    if (!input->shape.worst)
        simple_pattern(items, thread);
    else if (worst_pattern(items, thread))
        return MW_NO_MEMORY;
    list_origins(thread, items,
                 (uint16_t *[2]){input->table + length, input->table + 2 * length});
    shuffle_open(&shuffle, length, input->seed);
    for (uint64_t i = 0; i < length; i++)
        input->table[i] = (uint16_t)shuffle_at(&shuffle, i);
    if (input->count % length)
        shuffle_open(&input->shuffle, input->count % length, input->seed);
    return MW_OK;
}

/*
 * The place of position `i` within its run before that was shuffled. All whole
 * runs are shuffled alike, but each begins elsewhere.
 */
static uint64_t unshuffled(const struct kit_input *input, uint64_t length, uint64_t run,
                           uint64_t i)
{
    uint64_t place = i + (random_at(input->seed, run) >> 32) * length / (UINT64_C(1) << 32);

    if (run == input->count / length)
        return shuffle_at(&input->shuffle, i);
    if (place >= length)
        place -= length;
    return input->table[place];
}

/*
 * A place is that of 32 E keys, and a place within them. In each round the
 * pattern lasts as long as both lists do, in whole warps; what A has more than B
 * comes after that, and what is left of B, less than 32 E keys, comes last.
 */
uint64_t conflict_at(const struct kit_input *input, uint64_t i)
{
    const uint64_t length = WARP * input->shape.parameter;
    const uint64_t whole = input->count / length;
    const uint64_t runs = whole + (input->count % length != 0);
    const uint64_t run = i / length;
    uint64_t warp = 0;
    uint64_t place = unshuffled(input, length, run, i % length);

    for (int round = 0; (runs - 1) >> round; round++) {
        const uint64_t half = UINT64_C(1) << round;
        const uint64_t b_first = (run >> round | 1) << round; /* B's first run */
        const uint64_t b_whole = whole <= b_first         ? 0
                                 : whole - b_first < half ? whole - b_first
                                                          : half;
        const uint64_t list = run >> round & 1;

        if (warp < b_whole) {
            const uint16_t origin = input->table[(1 + list) * length + place];

            warp = 2 * warp + (origin >= SECOND);
            place = origin % SECOND;
        } else {
            warp += list ? half : b_whole;
        }
    }
    return warp * length + place;
}

const char *conflict_parse(const char *text, struct kit_shape *shape)
{
    char items[32] = "";
    char threads[32] = "";
    char rest[8] = "";
    const int parts = sscanf(text, "%31[^,],%31[^,],%7s", items, threads, rest);

    if (parts < 2 || kit_parse_count(items, &shape->parameter) ||
        kit_parse_count(threads, &shape->threads))
        return "needs two numbers, as in conflict:17,256";
    shape->worst = parts == 3;
    if (text[strlen(text) - 1] == ',' || (shape->worst && strcmp(rest, "worst") != 0))
        return "takes only the word worst after its numbers";
    if (shape->parameter < 1 || shape->parameter > MOST_ITEMS)
        return "needs 1 to 64 keys a thread";
    if (shape->threads < WARP || shape->threads > 1024 ||
        (shape->threads & (shape->threads - 1)) != 0)
        return "needs 32, 64, 128, 256, 512 or 1024 threads";
    return NULL;
}
