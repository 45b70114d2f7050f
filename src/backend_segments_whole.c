/*
 * backend_segments_whole.c - one segment by a code of up to 8 bytes: all rows are sorted as
 * engine tile sorts them, and those of the segment leave (src/kernels/segment_whole.cu).
 * Only the device knows where the segment is. Arrays between passes are ours, since other
 * rows of the caller's output stay as they are.
 */
#include "backend_segments_fast.h"

/* As programs with places have them (launch_segments.h). */
struct first_args {
    struct tile_sort_args sort;
    struct tile_carry carry;
    struct segment_numbers numbers;
};

struct middle_args {
    struct tile_merge_args merge;
    struct tile_carry carry;
};

struct last_args {
    struct middle_args middle;
    struct segment_numbers numbers;
    struct segment_temp temp;
};

/* Rows of cuts of a round. */
static uint64_t cut_rows(const struct plan_round *round)
{
    return round->groups * (round->pieces + 1);
}

/* Cells of the cuts of any round, also of those that have none elsewhere (joined). */
static uint64_t most_cells(const struct plan *plan, size_t key_bytes)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < plan->rounds; i++) {
        const struct plan_round *const round = &plan->round[i];
        const uint64_t cells =
            cut_rows(round) * TILE_CUT_CELLS(round->ways, 8 * key_bytes, 1);

        most = cells > most ? cells : most;
    }
    return most;
}

int segments_are_whole(struct fast_plan *fast, struct backend *backend,
                       const struct request *request)
{
    struct error error;
    struct plan plan;

    if (request->segment_count != 1 || !fast->rounds ||
        plan_make(&plan, &backend->tuning, &backend_device(backend)->info,
                  rows_keys(&fast->shape, 0), request->count, &error) != MW_OK ||
        !plan.rounds || !same_program(&plan.program, &fast->plan.program) ||
        most_cells(&plan, rows_keys(&fast->shape, 0).size) > fast->cut_cells)
        return 0;
    fast->plan = plan;
    return 1;
}

/* Rows come from our arrays `from`, not from the caller's. */
static void come_from(struct tile_carry *carry, const struct segment_temp *from,
                      size_t key_bytes)
{
    carry->source = (struct tile_source){.keys = from->codes, .pitch = key_bytes};
    for (int p = 0; p < carry->piece_count; p++) {
        carry->piece[p].in = from->piece[p];
        carry->piece[p].in_pitch = carry->piece[p].bytes;
    }
}

/* Rows go to our arrays `to`. */
static void go_to(struct tile_carry *carry, const struct segment_temp *to, size_t key_bytes)
{
    carry->out_pitch = key_bytes;
    for (int p = 0; p < carry->piece_count; p++) {
        carry->piece[p].out = to->piece[p];
        carry->piece[p].out_pitch = carry->piece[p].out_bytes = carry->piece[p].bytes;
    }
}

/* What all passes have in common. */
struct whole_run {
    struct segments_run *run;
    const struct request *request;
    const struct fast_plan *fast;
    const struct fast_rows *rows;
    size_t key_bytes;
    char *workspace;
    struct program *program;
};

/* Sort tiles. */
static mw_status sort_tiles(const struct whole_run *w)
{
    const struct plan *const plan = &w->fast->plan;
    struct first_args args = {
        .sort = {.out = w->rows->side[0].codes,
                 .samples = w->workspace + w->fast->samples[0],
                 .cuts = (wide *)(w->workspace + w->fast->cuts),
                 .cells = most_cells(plan, w->key_bytes),
                 .count = w->request->count,
                 .enter = w->rows->enter},
        .carry = w->rows->carry,
        .numbers = segments_numbers(w->request)
    };

    go_to(&args.carry, &w->rows->side[0], w->key_bytes);
    return segments_launch(w->run, w->program, KERNEL_SEGMENT_FIRST, plan->base_blocks,
                           plan->base_threads, plan->base_shared, &args, sizeof args);
}

/* Merge from one side to the other, or to the caller's arrays. */
static mw_status merge_tiles(const struct whole_run *w, uint32_t number)
{
    const struct plan *const plan = &w->fast->plan;
    const struct plan_round *const round = &plan->round[number];
    const struct segment_temp *const from = &w->rows->side[number % FAST_SIDES];
    const struct segment_temp *const to = &w->rows->side[(number + 1) % FAST_SIDES];
    const int is_last = number + 1 == plan->rounds;
    const uint64_t merging = round->groups * round->pieces;
    const uint64_t cutters =
        round->joined ? divide_up(cut_rows(round), plan->program.tile.rows / WARP)
                      : round->cutters;
    struct last_args args = {
        .middle = {.merge = {.round = {.out = is_last ? w->rows->keys : to->codes,
                                       .samples = w->workspace +
                                                  w->fast->samples[number % FAST_SIDES],
                                       .cuts = (wide *)(w->workspace + w->fast->cuts),
                                       .count = w->request->count,
                                       .run = round->run,
                                       .piece = round->piece,
                                       .groups = (unsigned)round->groups,
                                       .pieces = (unsigned)round->pieces,
                                       .number = number + 1,
                                       .ways = (int)round->ways,
                                       .floats = !w->rows->enter.is_float ? 0
                                                 : w->rows->enter.flip    ? -1
                                                                          : 1},
                             .cutters = (unsigned)cutters,
                             .ahead = (unsigned)(round->joined ? cutters : round->ahead),
                             .rate = (unsigned)((cutters << 32) / (merging + cutters) + 1)},
                   .carry = w->rows->carry},
        .numbers = segments_numbers(w->request),
    };

    args.temp.position = w->rows->side[0].position;
    come_from(&args.middle.carry, from, w->key_bytes);
    if (is_last) {
        args.middle.merge.leave = w->rows->leave;
    } else {
        go_to(&args.middle.carry, to, w->key_bytes);
        args.middle.merge.round.out_samples =
            w->workspace + w->fast->samples[(number + 1) % FAST_SIDES];
    }
    return segments_launch(w->run, w->program,
                           is_last ? KERNEL_SEGMENT_LAST : KERNEL_TILE_MERGE,
                           merging + cutters, plan->tuning.threads, plan->merge_shared,
                           &args, is_last ? sizeof args : sizeof args.middle);
}

mw_status segments_whole_enqueue(struct segments_run *run, const struct request *request,
                                 const struct fast_plan *fast, const struct fast_rows *rows,
                                 char *workspace)
{
    struct device *const device = backend_device(run->backend);
    struct whole_run w = {.run = run,
                          .request = request,
                          .fast = fast,
                          .rows = rows,
                          .key_bytes = rows_keys(&fast->shape, 0).size,
                          .workspace = workspace};
    mw_status status;

    TRY(device->verbs->load(device, &fast->plan.program, segments_fast_kernels,
                            &w.program));
    TRY(sort_tiles(&w));
    for (uint32_t i = 0; i < fast->plan.rounds; i++)
        TRY(merge_tiles(&w, i));
    device_note(run->backend, request, &fast->plan);
done:
    return status;
}
