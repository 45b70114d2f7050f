/*
 * unit_tile_places.c - engine tile's kernels with places: are they stable?
 *
 * tile_sort must give each tile's keys in order, equal ones as they stood, and say
 * of each where that was. tile_merge must do the same with the parts of lists that
 * the cuts name, put one behind the other, and tile_join without being told the cuts. What
 * is expected is worked out here, key by key, so a place that is lost, doubled or a
 * filler's shows at once. Rows are moved in shared memory as conflict-free as without
 * places: tile_sort's never conflict, and those of merges are two-way at the worst.
 */
#include "plan_parts.h"
#include "tile_places.h"

#include <stdlib.h>
#include <string.h>

/* Does a line move rows between shared memory and registers? */
static int moves_rows(const mw_ledger_line *line)
{
    return line->access == MW_ACCESS_GATHER || line->access == MW_ACCESS_SCATTER;
}

/* Samples of 16-byte items: two lanes of each quarter, which are served by halves. */
static int fetches_wide_samples(const struct bench *b, const mw_ledger_line *line)
{
    return TILE_PLACED_BYTES(size_of(b)) == 16 && line->access == MW_ACCESS_SAMPLE &&
           !line->stores;
}

/* Does every line keep to its bound? Searches have none. */
static int banks_kept(struct bench *b)
{
    const int whole =
        TILE_ROW_BYTES(b->program->items - 1, TILE_PLACED_BYTES(size_of(b))) == 128;
    const mw_ledger_line *lines;
    int moves = 0;
    size_t count;

    if (b->device->verbs->ledger(b->device, &lines, &count) != MW_OK)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const mw_traffic *const t = &lines[i].traffic;
        const int merges = strcmp(lines[i].kernel, "tile_sort") != 0;
        const int move = moves_rows(&lines[i]);
        const int samples = fetches_wide_samples(b, &lines[i]);
        const uint64_t worst = (move ? merges : samples || !whole) ? 2 : 1;

        moves += move;
        if (t->shared_requests > 0 && t->shared_worst > worst &&
            lines[i].access != MW_ACCESS_SEARCH && lines[i].access != MW_ACCESS_PROBE) {
            tap_note("%s, %s:%d: a %llu-way conflict: %s", lines[i].kernel, lines[i].file,
                     lines[i].line, (unsigned long long)t->shared_worst, lines[i].text);
            return 0;
        }
    }
    return moves >= 2;
}

static mw_status launch(struct bench *b, const struct simt_kernel *kernel, uint64_t blocks,
                        int threads, size_t shared, const void *args, size_t args_bytes)
{
    const struct machine_launch launch = {.kernel = kernel,
                                          .blocks = blocks,
                                          .threads = (uint32_t)threads,
                                          .shared_bytes = (uint32_t)shared,
                                          .args = args,
                                          .args_bytes = args_bytes};
    const mw_status status = sim_launch_function(b->device, &launch);

    if (status != MW_OK)
        tap_note("%s", b->error.text);
    return status;
}

/* What a pass reads and writes on the device. */
struct arrays {
    void *in, *out, *samples, *out_samples, *places, *cuts;
};

static mw_status take_arrays(struct bench *b, struct arrays *a, uint64_t count,
                             uint64_t cuts)
{
    const struct device_verbs *const verbs = b->device->verbs;
    const uint64_t samples = divide_up(count, TILE_SAMPLE) * size_of(b);
    mw_status status;

    TRY(verbs->alloc(b->device, count * size_of(b), &a->in));
    TRY(verbs->alloc(b->device, count * size_of(b), &a->out));
    TRY(verbs->alloc(b->device, samples, &a->samples));
    TRY(verbs->alloc(b->device, samples, &a->out_samples));
    TRY(verbs->alloc(b->device, count * sizeof *b->places, &a->places));
    TRY(verbs->alloc(b->device, cuts * sizeof *b->cuts, &a->cuts));
    TRY(verbs->upload(b->device, a->in, b->narrow, count * size_of(b), NULL));
    TRY(verbs->upload(b->device, a->samples, b->samples, samples, NULL));
    verbs->ledger_reset(b->device);
done:
    return status;
}

static mw_status fetch_arrays(struct bench *b, const struct arrays *a, uint64_t count,
                              uint64_t cuts)
{
    const struct device_verbs *const verbs = b->device->verbs;
    const uint64_t samples = divide_up(count, TILE_SAMPLE) * size_of(b);
    mw_status status;

    TRY(verbs->download(b->device, b->narrow, a->out, count * size_of(b), NULL));
    TRY(verbs->download(b->device, b->samples, a->out_samples, samples, NULL));
    TRY(verbs->download(b->device, b->places, a->places, count * sizeof *b->places, NULL));
    TRY(verbs->download(b->device, b->cuts, a->cuts, cuts * sizeof *b->cuts, NULL));
done:
    return status;
}

static void give_arrays(struct bench *b, const struct arrays *a)
{
    void *const all[] = {a->cuts, a->places, a->out_samples, a->samples, a->out, a->in};

    for (size_t i = 0; i < COUNT_OF(all); i++)
        b->device->verbs->free(b->device, all[i]);
}

static mw_status sort_tiles(struct bench *b, uint64_t count)
{
    const struct placed *const p = b->program;
    struct arrays a = {.in = NULL};
    mw_status status;

    TRY(take_arrays(b, &a, count, 0));
    const struct tile_sort_args args = {.in = a.in,
                                        .out = a.out,
                                        .samples = a.out_samples,
                                        .count = count,
                                        .places = a.places};

    TRY(launch(
        b, p->sort, divide_up(count, tile_of(b)), p->rows,
        TILE_SORT_SHARED((size_t)p->rows, (size_t)p->items, TILE_PLACED_BYTES(size_of(b))),
        &args, sizeof args));
    TRY(fetch_arrays(b, &a, count, 0));
done:
    give_arrays(b, &a);
    return status;
}

/* Two tiles, the last of which has `less` keys fewer: a stable sort of each? */
static int tiles_sorted(struct bench *b, enum kind kind, uint64_t less)
{
    const uint64_t tile = tile_of(b);
    const uint64_t count = 2 * tile - less;
    struct origin *const expected = malloc(tile * sizeof *expected);
    int passed;

    fill(b, kind, count, 0);
    passed = sort_tiles(b, count) == MW_OK && banks_kept(b);
    for (uint64_t first = 0; first < count && passed; first += tile) {
        const uint64_t length = count - first < tile ? count - first : tile;

        for (uint64_t i = 0; i < length; i++)
            expected[i] = (struct origin){b->keys[first + i], i};
        qsort(expected, length, sizeof *expected, compare);
        passed = result_is(b, first, expected, length);
    }
    free(expected);
    return passed;
}

/* By tile_merge, or with `join` by tile_join; the cuts are fetched either way. */
static mw_status merge_runs(struct bench *b, struct tile_round *round, int join)
{
    const struct placed *const p = b->program;
    const uint64_t rows = (uint64_t)round->groups * (round->pieces + 1);
    const uint64_t cuts = rows * (uint64_t)round->ways;
    struct arrays a = {.in = NULL};
    mw_status status;

    TRY(take_arrays(b, &a, round->count, cuts));
    round->in = a.in;
    round->out = a.out;
    round->samples = a.samples;
    round->out_samples = a.out_samples;
    round->cuts = a.cuts;
    const struct tile_cut_args cut_args = {.round = *round};
    struct tile_merge_args args = {.round = *round, .places = a.places};

    TRY(launch(b, p->cut, divide_up(rows, tile_cut_threads / 32), tile_cut_threads, 0,
               &cut_args, sizeof cut_args));
    if (join) /* which is to find them itself */
        args.round.cuts = NULL;
    TRY(launch(
        b, join ? p->join : p->merge, (uint64_t)round->groups * round->pieces, p->rows,
        TILE_MERGE_SHARED((size_t)p->rows, (size_t)p->items, TILE_PLACED_BYTES(size_of(b))),
        &args, sizeof args));
    TRY(fetch_arrays(b, &a, round->count, cuts));
done:
    give_arrays(b, &a);
    return status;
}

/* Is tile `number` of a group, which begins at `*first`, the stable merge of its parts? */
static int tile_merged(const struct bench *b, const struct tile_round *r, uint64_t group,
                       uint64_t number, uint64_t *first)
{
    const uint64_t ways = (uint64_t)r->ways;
    const wide *const from = b->cuts + (group * (r->pieces + 1) + number) * ways;
    struct origin *const expected = malloc(tile_of(b) * sizeof *expected);
    uint64_t count = 0;
    int passed = 0;

    for (uint64_t list = 0; list < ways; list++) {
        const uint64_t *const keys = b->keys + (group * ways + list) * r->run;

        for (uint64_t i = (unsigned)from[list]; i < (unsigned)from[ways + list];
             i++, count++) {
            if (count == tile_of(b))
                goto done;
            expected[count] = (struct origin){keys[i], count};
        }
    }
    qsort(expected, count, sizeof *expected, compare);
    passed = result_is(b, *first, expected, count);
    *first += count;
done:
    free(expected);
    return passed;
}

/* Two tiles and more a group; the last group is short, and so is its last list. */
static int runs_merged(struct bench *b, enum kind kind, int ways, int join)
{
    const uint64_t tile = tile_of(b);
    const uint64_t part = divide_up(tile * 9 / 4, (uint64_t)ways);
    struct tile_round r = {.run = round_up(part, TILE_SAMPLE), .number = 1, .ways = ways};
    const uint64_t group = r.run * (uint64_t)ways;
    uint64_t first = 0;

    r.count = group + group / 3 + 7;
    r.piece = tile - 2 * (uint64_t)TILE_SLACK((int)tile) -
              (uint64_t)(ways / 2 * (b->program->items - 1));
    r.groups = 2;
    r.pieces = (unsigned)divide_up(group, r.piece);
    if (r.count > MOST_KEYS || r.groups * (r.pieces + 1) * (unsigned)ways > MOST_CUTS) {
        tap_note("the test has too little room");
        return 0;
    }
    fill(b, kind, r.count, r.run);
    if (merge_runs(b, &r, join) != MW_OK || !banks_kept(b))
        return 0;
    for (uint64_t i = 0; i < (uint64_t)r.groups * r.pieces; i++) {
        if (!tile_merged(b, &r, i / r.pieces, i % r.pieces, &first))
            return 0;
    }
    return first == r.count;
}

static void test_program(struct tap *tap, struct bench *b)
{
    const struct placed *const p = b->program;

    for (int kind = 0; kind < KINDS; kind++) {
        const uint64_t lesses[] = {0, 1, 31, 33, tile_of(b) - 1, tile_of(b) + 5};
        int passed = 1;

        for (size_t i = 0; i < COUNT_OF(lesses); i++)
            passed &= tiles_sorted(b, (enum kind)kind, lesses[i]);
        tap_case(tap, passed, "%d bits, %d x %d, %s, sorted", p->bits, p->rows, p->items,
                 kind_names[kind]);
        for (int ways = 2; ways <= TILE_MOST_WAYS; ways *= 2)
            tap_case(tap,
                     runs_merged(b, (enum kind)kind, ways, 0) &&
                         runs_merged(b, (enum kind)kind, ways, 1),
                     "%d bits, %d x %d, %s, %d ways", p->bits, p->rows, p->items,
                     kind_names[kind], ways);
    }
}

int main(void)
{
    struct tap tap = {0, 0};
    struct bench b = {.keys = malloc(MOST_KEYS * sizeof(uint64_t)),
                      .narrow = malloc(MOST_KEYS * sizeof(uint64_t)),
                      .samples = malloc(MOST_KEYS * sizeof(uint64_t)),
                      .places = malloc(MOST_KEYS * sizeof(unsigned short)),
                      .cuts = malloc(MOST_CUTS * sizeof(wide))};

    tap_ok(&tap, sim_open(&b.device, &b.error) == MW_OK, "open", b.error.text);
    for (size_t i = 0; i < COUNT_OF(placed_programs) && b.device; i++) {
        b.program = &placed_programs[i];
        test_program(&tap, &b);
    }
    if (b.device)
        b.device->verbs->close(b.device);
    free(b.cuts);
    free(b.places);
    free(b.samples);
    free(b.narrow);
    free(b.keys);
    return tap_end(&tap);
}
