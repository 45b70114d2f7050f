/*
 * tile_cut.c - kernel tile_cut: are its cuts cuts?
 *
 * Where they fall is the kernel's choice, so there is no one right answer. But every cut
 * must be made by one place in the total order (key, list, position): the last key
 * before it in any list comes before the first key after it in any other. It must lie
 * within TILE_SLACK keys of where it was asked for, not before its predecessor, and of
 * 8-byte keys its bounds must hold. And it takes few requests, on average over an array.
 */
#include "keys.h"

#include "tile_rows.h"

/* Keys of a group, if it is whole; the array in 16ths of a group plus some keys. */
static const struct shape {
    uint64_t group;
    uint64_t sixteenths;
    uint64_t more;
} shapes[] = {
    {4096,   16, 0 },
    {4096,   37, 5 }, /* the last group is short, and so is its last list */
    {32768,  1,  17}, /* a single, short group: most lists are empty */
    {32768,  15, 31},
    {180224, 19, 77}, /* large: these take their time */
    {180224, 16, 0 }, /* for lists in turns: no short group lowers the average */
};

enum { LARGE = 4, ROUND = 3, MOST_KEYS = 225280 };

/* Requests for a cut, on average; narrow keys are equal more often. */
enum { MOST_LOADS = 55, MOST_NARROW_LOADS = 56 };

static uint64_t *keys;

/* A list of a group, and the keys of it that come before the cut. */
struct list {
    const uint64_t *keys;
    wide length;
    wide part;
};

static struct list list_of(const struct tile_round *r, wide group, int i, const wide *cells)
{
    const wide first = (group * (wide)r->ways + (wide)i) * r->run;
    const wide left = r->count > first ? r->count - first : 0;

    return (struct list){keys + first, left < r->run ? left : r->run, (unsigned)cells[i]};
}

/*
 * What is wrong with cut `i` of a group, or NULL. A place in the total order makes it if
 * the last key before it, in list `last`, comes before the first one after it.
 */
static const char *judge(const struct tile_round *r, wide group, wide i, const wide *cells,
                         int bits, wide slack)
{
    const uint64_t bound = cells[0] >> 48 | cells[1] >> 48 << 16; /* of upper halves */
    uint64_t before = 0, after = 0;
    int last = -1, first = -1;
    wide whole = 0, rank = 0, wanted;

    for (int n = 0; n < r->ways; n++) {
        const struct list l = list_of(r, group, n, cells);

        whole += l.length;
        rank += l.part;
        if ((cells[n] >> 32 & 0xffff) != ROUND)
            return "not of this round";
        if (l.part > l.length)
            return "beyond a list";
        if (i > 0 && r->piece > 2 * slack && l.part < (unsigned)cells[n - r->ways])
            return "a part before its predecessor's";
        if (bits == 64 && ((l.part > 0 && l.keys[l.part - 1] >> 32 > bound) ||
                           (l.part < l.length && l.keys[l.part] >> 32 < bound)))
            return "keys are not within its bounds";
        if (l.part > 0 && (last < 0 || l.keys[l.part - 1] >= before)) {
            last = n;
            before = l.keys[l.part - 1];
        }
        if (l.part < l.length && (first < 0 || l.keys[l.part] < after)) {
            first = n;
            after = l.keys[l.part];
        }
    }
    if (last >= 0 && first >= 0 && (before > after || (before == after && last > first)))
        return "no place in the total order makes it";
    wanted = i * r->piece < whole ? i * r->piece : whole;
    if ((wanted == 0 || wanted == whole) && rank != wanted)
        return "not at the group's end";
    return rank > wanted + slack || rank + slack < wanted ? "too far off" : NULL;
}

/*
 * Cut the array into pieces of `piece` keys. Whether the keys stand for floats is told
 * by turns, whatever they are: only interpolation depends on it.
 */
static int cut(struct fixture *f, int bits, const struct tile_geometry *g,
               struct tile_round r, wide slack)
{
    const struct tile_cut_args args = {round_of(f, keys, bits, r, 0, 0)};
    const uint64_t cuts = cuts_of(&args.round);
    const struct work work = {.kernel = KERNEL_TILE_CUT,
                              .bits = bits,
                              .tile = g,
                              .blocks = divide_up(cuts, tile_cut_threads / 32),
                              .threads = tile_cut_threads};
    const char *wrong = fixture_launch(f, &work, &args, sizeof args) ? NULL : "no cuts";
    size_t lines;
    const mw_ledger_line *const ledger = fixture_ledger(f, &lines);
    const uint64_t requests = ledger_total(ledger, lines).global_requests;
    uint64_t i = 0;

    if (requests == 0 || requests > (bits < 32 ? MOST_NARROW_LOADS : MOST_LOADS) * cuts)
        wrong = "too many requests";
    for (; !wrong && i < cuts; i++)
        wrong = judge(&args.round, i / (args.round.pieces + 1), i % (args.round.pieces + 1),
                      args.round.cuts + i * (wide)r.ways, bits, slack);
    if (wrong)
        tap_note("count %llu, run %llu, piece %llu, %llu requests, cut %llu: %s", r.count,
                 r.run, r.piece, (wide)requests, (wide)i, wrong);
    fixture_clear(f);
    return !wrong;
}

/* Pieces in which cuts cannot overtake each other, and of large arrays shorter ones. */
static int shape_right(struct fixture *f, int bits, const struct tile_geometry *g,
                       size_t shape, int ways, enum kind kind)
{
    const struct shape *const s = &shapes[shape];
    const wide slack = (wide)TILE_SLACK((int)(g->rows * g->items), (int)g->items);
    struct tile_round r = {.count = s->group / 16 * s->sixteenths + s->more,
                           .run = s->group / (wide)ways,
                           .piece = 2 * slack + 11,
                           .number = ROUND,
                           .ways = ways,
                           .floats = bits < 32        ? 0
                                     : kind >= FLOATS ? 1
                                                      : (int)(shape + kind) % 3 - 1};

    fill_lists(keys, kind, bits, r.count, r.run, ways);
    if (!cut(f, bits, g, r, slack))
        return 0;
    r.piece = 80;
    return shape < LARGE || cut(f, bits, g, r, slack);
}

void test_tile_cut(struct tap *tap, struct fixture *f)
{
    const struct tile_geometry *g;

    keys = malloc(MOST_KEYS * sizeof *keys);
    for (int bits = 8; bits <= 64; bits *= 2) {
        for (int n = 0; (g = tile_of_size((size_t)bits / 8, n)); n++) {
            if (n > 0 &&
                TILE_SLACK((int)(g->rows * g->items), (int)g->items) == TILE_LEAST_SLACK)
                continue; /* the slack is all that cuts know of a tile */
            for (int ways = 2; ways <= TILE_MOST_WAYS; ways *= n > 0 || bits < 32 ? 4 : 2) {
                for (int kind = FIRST_TO_CUT; kind < KINDS; kind++) {
                    int passed = 1;

                    for (size_t i = 0; i < COUNT_OF(shapes) && passed; i++) {
                        if (i < LARGE ||
                            (i > LARGE ? kind == TURNS && ways > 8 : tap->count % 8 == 0))
                            passed &= shape_right(f, bits, g, i, ways, (enum kind)kind);
                    }
                    tap_case(tap, passed, "%d bits, %u x %u, %d ways, %s", bits, g->rows,
                             g->items, ways, kind_names[kind]);
                }
            }
        }
    }
    free(keys);
}
