/*
 * select_longer.cu - rows by rank of segments that are too long for a warp: see
 * launch_select.h.
 */
enum { select_longer_blocks = 2 };

/* What a block does next. */
struct select_task {
    struct select_view view; /* rows of a segment or of a part, or what was staged */
    wide begin;              /* of the segment */
    unsigned segment;        /* GATHER_NONE: nothing is to be done */
    unsigned first, last;    /* wanted ranks of the view */
};

/* A segment. */
DEVICE void take_whole(const struct select_segments_args *args, wide place,
                       struct select_task *task)
{
    unsigned count;

    task->segment = LOAD((const unsigned_cell *)args->wholes + place);
    count = segment_of(args, task->segment, &task->begin);
    task->view = view_part(args, task->begin, count);
    task->first = (unsigned)args->first;
    task->last = task->first + wanted_of(args, count);
}

/* A part, of which the first rows are to be staged. */
DEVICE void take_part(const struct select_segments_args *args, wide place,
                      struct select_task *task)
{
    wide begin = 0;
    const unsigned count = part_of(args, place, &begin);

    task->segment = count ? 0 : GATHER_NONE;
    task->view = view_part(args, begin, count);
    task->first = 0;
    task->last = count < args->last ? count : (unsigned)args->last;
}

/* What was staged of a long segment. */
DEVICE void take_staged(const struct select_segments_args *args, wide place,
                        struct select_task *task)
{
    const unsigned count =
        view_staged(args, place, &task->segment, &task->begin, &task->view);

    task->first = (unsigned)args->first;
    task->last = task->first + wanted_of(args, count);
}

/* Not inlined, and declares the shared memory itself, as order_collected() does. */
APART void order_apart(unsigned count, int is_packed)
{
    SHARED(struct select_shared, sm);
    const struct select_list list = list_of(sm, is_packed ? 4 : 8, SELECT_TEAM_MOST);

    order_list(&list, count, SELECT_TEAM_MOST / SELECT_TEAM_THREADS, sm->bins[0], sm->sums);
}

/* Collect and sort the rows of a task in a list. Returns their count. */
DEVICE unsigned do_task(const struct select_segments_args *args, struct select_shared *sm,
                        const struct select_task *task)
{
    const unsigned wanted = task->last - task->first;
    const unsigned most = wanted <= SELECT_FEW / 2 ? SELECT_FEW : SELECT_TEAM_MOST;
    struct select_aim aim;
    unsigned count;

    aim.first = task->first;
    aim.last = task->last;
    aim.slack = (most - wanted) / (task->first > 0 ? 2 : 1);
    aim.is_two_sided = task->first > 0;
    aim.is_sorted = 1;
    aim.rows = args->count;
    if (args->result.code_bytes == 4) {
        const struct select_list list = list_of(sm, 4, SELECT_TEAM_MOST);

        count = unsigned_select_alone(sm, &list, &task->view, &aim);
        order_apart(count, 1);
    } else {
        const struct select_list list = list_of(sm, 8, SELECT_TEAM_MOST);

        count = wide_select_alone(sm, &list, &task->view, &aim);
        order_apart(count, 0);
    }
    return count;
}

/* Listed segments and parts, or long segments, one after the other. */
DEVICE void select_by_blocks(const struct select_segments_args *args,
                             struct select_shared *sm)
{
    const struct select_list list = list_of(sm, args->result.code_bytes, SELECT_TEAM_MOST);
    const int joins = args->step == SELECT_JOIN_STEP;
    const wide wholes = joins ? 0 : LOAD(cell_of(&args->lists->wholes));
    const wide others =
        joins ? least_of(LOAD(cell_of(&args->lists->longs)), args->most_longs)
              : least_of(LOAD(cell_of(&args->lists->parts)), args->most_parts);

    for (;;) {
        struct select_task task;
        unsigned count;
        wide place;

        BARRIER(); /* shared memory may be overwritten */
        if (THREAD == 0)
            STORE(&sm->ticket,
                  (unsigned)ADD(CUT, cell_of(&args->lists->tickets[joins]), (wide)1));
        BARRIER();
        place = LOAD(&sm->ticket);
        if (place >= wholes + others)
            return;
        if (place < wholes)
            take_whole(args, place, &task);
        else if (joins)
            take_staged(args, place, &task);
        else
            take_part(args, place - wholes, &task);
        if (task.segment == GATHER_NONE)
            continue;
        count = do_task(args, sm, &task);
        if (place < wholes || joins)
            write_list(args, &list, task.segment, task.begin, task.last - task.first,
                       range_at(sm, 0).rank, count, (unsigned)THREAD, SELECT_TEAM_THREADS);
        else
            stage_part(args, &list, task.last, place - wholes, task.last, (unsigned)THREAD,
                       SELECT_TEAM_THREADS);
    }
}

KERNEL(select_longer, struct select_segments_args)
{
    SHARED(struct select_shared, sm);

    select_by_blocks(&args, sm);
}
