/*
 * select_parts.c - one segment of nearly 2^32 rows: all its parts are listed, and the rows
 * selected are the first of what was staged of them. No array has room for all its rows:
 * the two steps tested do not touch them.
 */
#include "fixture.h"

enum { PART = 1 << 20, LAST = 3, MOST_PARTS = 5000 };

/* What the two steps get and write. */
struct listed {
    struct select_segments_args args;
    wide *numbers; /* begin and end of the segment */
    uint32_t *keys, *positions;
    uint32_t *codes; /* staged */
};

static void make(struct fixture *f, struct listed *l, uint64_t count)
{
    uint32_t *const rows = fixture_array(f, sizeof *rows * MOST_PARTS * LAST);

    l->numbers = fixture_array(f, 2 * sizeof *l->numbers);
    l->keys = fixture_array(f, LAST * sizeof *l->keys);
    l->positions = fixture_array(f, LAST * sizeof *l->positions);
    l->codes = fixture_array(f, sizeof *l->codes * MOST_PARTS * LAST);
    l->args = (struct select_segments_args){
        .begins = l->numbers,
        .ends = l->numbers + 1,
        .segments = 1,
        .count = count,
        .last = LAST,
        .result = {.positions = l->positions,
                   .keys = l->keys,
                   .position_bytes = 4,
                   .code_bytes = 4},
        .lists = fixture_array(f, sizeof(struct select_lists)),
        .parts = fixture_array(f, sizeof(struct select_part) * MOST_PARTS),
        .longs = fixture_array(f, sizeof(struct select_long)),
        .staged_codes = l->codes,
        .staged = rows,
        .most_parts = MOST_PARTS,
        .most_longs = 1,
        .part = PART,
        .group = 1,
        .segment_bytes = 8,
        .by_warps = 1
    };
    l->numbers[0] = 0;
    l->numbers[1] = count;
    for (uint32_t i = 0; i < MOST_PARTS * LAST; i++) {
        l->codes[i] = 100 + i;
        rows[i] = i / LAST * PART + i % LAST;
    }
}

static mw_status step(struct fixture *f, struct listed *l, enum select_step number)
{
    const struct program_name name = {.engine = PROGRAM_ROWS};
    struct launch launch = {.kernel = number == SELECT_JOIN_STEP ? KERNEL_SELECT_PARTS
                                                                 : KERNEL_SELECT_SEGMENTS,
                            .blocks = 1,
                            .threads = SELECT_TEAM_THREADS,
                            .shared_bytes = SELECT_TEAM_WARPS * SELECT_WARP_SHARED,
                            .args = &l->args,
                            .args_bytes = sizeof l->args};
    mw_status status;

    l->args.step = (int)number;
    TRY(f->device->verbs->load(f->device, &name, (kernel_set)1 << launch.kernel,
                               &launch.program));
    TRY(f->device->verbs->launch(f->device, &launch));
    TRY(f->device->verbs->wait(f->device, NULL));
done:
    return status;
}

/* The last parts have the least codes. */
static int selects(struct fixture *f, uint64_t count)
{
    const uint64_t parts = (count + PART - 1) / PART;
    const uint64_t rest = count - (parts - 1) * PART; /* rows of the last part */
    const uint64_t staged = (parts - 1) * LAST + (rest < LAST ? rest : LAST);
    struct listed l;
    mw_status status;
    int right = 0;

    make(f, &l, count);
    l.codes[staged - 1] = 7;
    l.codes[staged] = 0; /* is not staged */
    TRY(step(f, &l, SELECT_CLEAR_STEP));
    TRY(step(f, &l, SELECT_WARPS_STEP));
    right = l.args.lists->longs == 1 && l.args.lists->parts == parts;
    for (uint64_t i = 0; right && i < parts; i++)
        right = l.args.parts[i].segment == 0 && l.args.parts[i].number == i;
    TRY(step(f, &l, SELECT_JOIN_STEP));
    right = right && l.keys[0] == 7 && l.keys[1] == 100 && l.keys[2] == 101 &&
            l.positions[0] == l.args.staged[staged - 1] && l.positions[1] == 0;
done:
    if (status != MW_OK)
        tap_note("%s", f->error.text);
    fixture_clear(f);
    return status == MW_OK && right;
}

void test_select_parts(struct tap *tap, struct fixture *f)
{
    const uint64_t most = UINT32_MAX;
    const uint64_t counts[] = {2 * PART + 1, most - PART, most - PART + 2, most - 1, most};

    for (size_t i = 0; i < COUNT_OF(counts); i++)
        tap_case(tap, selects(f, counts[i]),
                 "the first of %llu rows of a segment, in parts",
                 (unsigned long long)counts[i]);
}
