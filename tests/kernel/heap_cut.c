/*
 * heap_cut.c - kernel heap_cut against brute force, with heavy ties.
 *
 * The oracle merges a group one key at a time, the least first and of equals the one in
 * the first list, and notes how many keys each list has given: the only cut there is for
 * that rank. The kernel must find the same for every rank, in lists of unequal lengths
 * and with empty ones, and with few requests, whatever the lists are like.
 */
#include "keys.h"

/* Keys in the array, in a run, in a piece. Ranks are cut beyond the last key, too. */
static const struct shape {
    uint64_t runs; /* in the array, ... */
    uint64_t more; /* ... plus some keys */
    uint64_t run;
    uint64_t piece;
} shapes[] = {
    {32, 0,   8,   1  },
    {33, 5,   8,   1  }, /* the last group: one list and a bit */
    {63, 63,  64,  32 },
    {2,  17,  100, 1  }, /* a single, short group: most lists are empty */
    {35, 333, 500, 480},
};

enum { MOST_KEYS = 35 * 500 + 333, MOST_CUTS = 1 << 18 };

/* Requests for a cut, on average over an array: of random keys, and of any. */
enum { MOST_RANDOM_LOADS = 25, MOST_LOADS = 92 };

static uint64_t *keys;
static wide *expected;

/* Of the lists' next keys the least, of equals the one in the first list; -1 at the end. */
static int least_list(const struct heap_round *r, wide group, const wide *taken)
{
    int least = -1;
    uint64_t least_key = 0;

    for (int list = 0; list < r->ways; list++) {
        const wide at = (group * (wide)r->ways + (wide)list) * r->run + taken[list];

        if (taken[list] == r->run || at >= r->count)
            continue;
        if (least < 0 || keys[at] < least_key) {
            least = list;
            least_key = keys[at];
        }
    }
    return least;
}

static void expect(const struct heap_round *r)
{
    wide *row = expected;

    for (wide group = 0; group < r->groups; group++) {
        wide taken[HEAP_MOST_WAYS] = {0};

        for (wide i = 0; i <= r->pieces; i++, row += r->ways) {
            memcpy(row, taken, (size_t)r->ways * sizeof *row);
            for (wide k = 0; k < r->piece; k++) {
                const int list = least_list(r, group, taken);

                if (list >= 0)
                    taken[list]++;
            }
        }
    }
}

/* Were the cuts of the last launch found with few requests? */
static int cheap(struct fixture *f, uint64_t cuts, enum kind kind)
{
    size_t lines;
    const mw_ledger_line *const ledger = fixture_ledger(f, &lines);
    const uint64_t requests = ledger_total(ledger, lines).global_requests;
    const uint64_t most = (kind == RANDOM ? MOST_RANDOM_LOADS : MOST_LOADS) * cuts;

    if (requests > most)
        tap_note("%llu requests for %llu cuts", (wide)requests, (wide)cuts);
    return requests > 0 && requests <= most;
}

static int cuts_right(struct fixture *f, const struct shape *s, int bits, int ways,
                      enum kind kind)
{
    const wide whole = (wide)ways * s->run;
    const uint64_t count = s->runs * s->run + s->more;
    struct heap_cut_args args = {
        {.count = count,
         .run = s->run,
         .piece = s->piece,
         .groups = divide_up(count, whole),
         .pieces = divide_up(count < whole ? count : whole, s->piece),
         .ways = ways}
    };
    const uint64_t cuts = args.round.groups * (args.round.pieces + 1);
    const struct work work = {.kernel = KERNEL_HEAP_CUT,
                              .bits = bits,
                              .blocks = divide_up(cuts, heap_cut_threads / WARP),
                              .threads = heap_cut_threads};
    int passed;

    if (count > MOST_KEYS || cuts * (uint64_t)ways > MOST_CUTS)
        return 0;
    fill_lists(keys, kind, bits, count, s->run, ways);
    expect(&args.round);
    args.round.in = device_keys(f, keys, count, bits);
    args.round.cuts = fixture_array(f, cuts * (uint64_t)ways * sizeof(wide));
    passed = fixture_launch(f, &work, &args, sizeof args);
    for (size_t i = 0; passed && i < cuts * (size_t)ways; i++) {
        passed = args.round.cuts[i] == expected[i];
        if (!passed)
            tap_note("count %llu, run %llu, cut %zu, list %zu: %llu instead of %llu",
                     (wide)count, (wide)s->run, i / (size_t)ways, i % (size_t)ways,
                     args.round.cuts[i], expected[i]);
    }
    passed = passed && cheap(f, cuts, kind);
    fixture_clear(f);
    return passed;
}

void test_heap_cut(struct tap *tap, struct fixture *f)
{
    keys = malloc(MOST_KEYS * sizeof *keys);
    expected = malloc(MOST_CUTS * sizeof *expected);
    for (int bits = 8; bits <= 64; bits *= 2) {
        for (int ways = 2; ways <= HEAP_MOST_WAYS; ways *= bits == 32 ? 2 : 4) {
            for (int kind = FIRST_TO_CUT; kind < KINDS; kind++) {
                int passed = 1;

                for (size_t i = 0; i < COUNT_OF(shapes); i++)
                    passed &= cuts_right(f, &shapes[i], bits, ways, (enum kind)kind);
                tap_case(tap, passed, "%d bits, %d ways, %s", bits, ways, kind_names[kind]);
            }
        }
    }
    free(expected);
    free(keys);
}
