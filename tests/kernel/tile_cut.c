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
    {180224, 19, 77}, /* large */
};

enum { LARGE = 4, ROUND = 3, MOST_KEYS = 225280, MOST_CUTS = 2 * 2400 * TILE_MOST_WAYS };

/* Requests for a cut, on average; narrow keys are equal more often. */
enum { MOST_LOADS = 55, MOST_NARROW_LOADS = 56 };

static uint64_t *keys;

/* One group of the array. */
struct view {
    const uint64_t *keys;
    wide left; /* keys from there to the end of the array */
    wide run;
    int ways;
};

static wide length_of(const struct view *v, int list)
{
    const wide first = (wide)list * v->run;
    const wide left = v->left > first ? v->left - first : 0;

    return left < v->run ? left : v->run;
}

static uint64_t key_at(const struct view *v, int list, wide i)
{
    return v->keys[(wide)list * v->run + i];
}

/* How many keys of a list come before the cut. */
static unsigned part(const wide *cells, int list)
{
    return (unsigned)cells[list];
}

/* Is there a place in the total order that makes this cut? */
static int consistent(const struct view *v, const wide *cells)
{
    int last = -1;  /* the list of the last key before the cut, ... */
    int first = -1; /* ... and of the first one after it */
    uint64_t before = 0;
    uint64_t after = 0;

    for (int list = 0; list < v->ways; list++) {
        const unsigned at = part(cells, list);

        if (at > length_of(v, list))
            return 0;
        if (at > 0 && (last < 0 || key_at(v, list, at - 1) >= before)) {
            last = list;
            before = key_at(v, list, at - 1);
        }
        if (at < length_of(v, list) && (first < 0 || key_at(v, list, at) < after)) {
            first = list;
            after = key_at(v, list, at);
        }
    }
    return last < 0 || first < 0 || before < after || (before == after && last <= first);
}

/* Are upper halves of keys before the cut no greater than its bound, and after no less? */
static int bounded(const struct view *v, const wide *cells)
{
    const uint64_t bound = cells[0] >> 48 | cells[1] >> 48 << 16;
    int within = 1;

    for (int list = 0; list < v->ways; list++) {
        const unsigned at = part(cells, list);

        within &= at == 0 || key_at(v, list, at - 1) >> 32 <= bound;
        within &= at == length_of(v, list) || key_at(v, list, at) >> 32 >= bound;
    }
    return within;
}

/* What is wrong with cut `i` of a group, or NULL. */
static const char *judge(const struct tile_round *r, const struct view *v,
                         const wide *cells, wide i, int bits, wide slack)
{
    wide whole = 0;
    wide rank = 0;
    wide wanted;

    for (int list = 0; list < r->ways; list++) {
        whole += length_of(v, list);
        rank += part(cells, list);
        if ((cells[list] >> 32 & 0xffff) != ROUND)
            return "not of this round";
        if (i > 0 && r->piece > 2 * slack &&
            part(cells, list) < part(cells - r->ways, list))
            return "a part before its predecessor's";
    }
    wanted = i * r->piece < whole ? i * r->piece : whole;
    if (!consistent(v, cells))
        return "no place in the total order makes it";
    if ((wanted == 0 || wanted == whole) && rank != wanted)
        return "not at the group's end";
    if (rank > wanted + slack || rank + slack < wanted)
        return "too far off";
    if (bits == 64 && !bounded(v, cells))
        return "keys are not within its bounds";
    return NULL;
}

static int cuts_right(const struct tile_round *r, int bits, wide slack)
{
    const wide *cells = r->cuts;

    for (wide group = 0; group < r->groups; group++) {
        const wide first = group * (wide)r->ways * r->run;
        const struct view v = {keys + first, r->count - first, r->run, r->ways};

        for (wide i = 0; i <= r->pieces; i++, cells += r->ways) {
            const char *const wrong = judge(r, &v, cells, i, bits, slack);

            if (wrong) {
                tap_note("count %llu, run %llu, piece %llu, cut %llu of group %llu: %s",
                         r->count, r->run, r->piece, i, group, wrong);
                return 0;
            }
        }
    }
    return 1;
}

/*
 * Cut the array into pieces of `piece` keys. Whether the keys stand for floats is told
 * by turns, whatever they are: only interpolation depends on it.
 */
static int cut(struct fixture *f, int bits, const struct tile_geometry *g,
               struct tile_round r, uint64_t piece, wide slack)
{
    const uint64_t group = r.run * (uint64_t)r.ways;
    uint64_t cuts;
    size_t lines;
    const mw_ledger_line *ledger;
    uint64_t requests;

    r.piece = piece;
    r.groups = (unsigned)divide_up(r.count, group);
    r.pieces = (unsigned)divide_up(r.count < group ? r.count : group, piece);
    cuts = (uint64_t)r.groups * (r.pieces + 1);
    if (r.count > MOST_KEYS || cuts * (uint64_t)r.ways > MOST_CUTS)
        return 0;
    r.cuts = fixture_array(f, cuts * (uint64_t)r.ways * sizeof(wide));
    const struct tile_cut_args args = {r};
    const struct work work = {.kernel = KERNEL_TILE_CUT,
                              .bits = bits,
                              .tile = g,
                              .blocks = divide_up(cuts, tile_cut_threads / 32),
                              .threads = tile_cut_threads};

    if (!fixture_launch(f, &work, &args, sizeof args) || !cuts_right(&r, bits, slack))
        return 0;
    ledger = fixture_ledger(f, &lines);
    requests = ledger_total(ledger, lines).global_requests;
    if (requests > 0 && requests <= (bits < 32 ? MOST_NARROW_LOADS : MOST_LOADS) * cuts)
        return 1;
    tap_note("piece %llu: %llu requests for %llu cuts", r.piece, (wide)requests,
             (wide)cuts);
    return 0;
}

/* Pieces in which cuts cannot overtake each other, and of large arrays shorter ones. */
static int shape_right(struct fixture *f, int bits, const struct tile_geometry *g,
                       size_t shape, int ways, enum kind kind)
{
    const struct shape *const s = &shapes[shape];
    const wide slack = (wide)TILE_SLACK((int)(g->rows * g->items));
    struct tile_round r = {.count = s->group / 16 * s->sixteenths + s->more,
                           .run = s->group / (wide)ways,
                           .number = ROUND,
                           .ways = ways,
                           .floats = bits < 32        ? 0
                                     : kind >= FLOATS ? 1
                                                      : (int)(shape + kind) % 3 - 1};
    int passed;

    fill_lists(keys, kind, bits, r.count, r.run, ways);
    r.in = device_keys(f, keys, r.count, bits);
    r.samples = device_samples(f, keys, r.count, bits);
    passed = cut(f, bits, g, r, 2 * slack + 11, slack);
    if (shape == LARGE)
        passed = passed && cut(f, bits, g, r, 80, slack);
    fixture_clear(f);
    return passed;
}

void test_tile_cut(struct tap *tap, struct fixture *f)
{
    const struct tile_geometry *g;

    keys = malloc(MOST_KEYS * sizeof *keys);
    for (int bits = 8; bits <= 64; bits *= 2) {
        for (int n = 0; (g = tile_of_size((size_t)bits / 8, n)); n++) {
            if (n > 0 && TILE_SLACK((int)(g->rows * g->items)) == TILE_LEAST_SLACK)
                continue; /* the slack is all that cuts know of a tile */
            for (int ways = 2; ways <= TILE_MOST_WAYS; ways *= n > 0 || bits < 32 ? 4 : 2) {
                for (int kind = FIRST_TO_CUT; kind < KINDS; kind++) {
                    int passed = 1;

                    for (size_t i = 0; i < COUNT_OF(shapes) && passed; i++) {
                        if (i != LARGE || tap->count % 8 == 0) /* these take their time */
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
