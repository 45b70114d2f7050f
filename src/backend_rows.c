/*
 * backend_rows.c - requests for rows on a device: sorts by the words of an order, then
 * columns gathered; and checks.
 */
#include "backend_device.h"

/* The plan of the sort by one word. */
static mw_status plan_word(struct backend *backend, const struct rows_shape *shape,
                           uint32_t word, uint64_t count, struct plan *plan)
{
    return plan_make(plan, &backend->tuning, &backend_device(backend)->info,
                     rows_keys(shape, word), count, backend->error);
}

static uint64_t check_blocks(uint64_t count)
{
    return (count + CHECK_ROWS - 1) / CHECK_ROWS;
}

/* Workspace of a check: a number for each block. */
static uint64_t check_bytes(uint64_t count)
{
    return check_blocks(count) * sizeof(wide);
}

mw_status rows_plan(struct backend *backend, const struct request *request,
                    struct plan *plan)
{
    struct rows_shape shape;
    mw_status status;

    if (request->order.field_count == 0)
        return comparison_plan(backend, request, plan);
    if (request->operation == MW_CHECK) {
        *plan = (struct plan){.workspace_bytes = check_bytes(request->count)};
        return MW_OK;
    }
    TRY(rows_shape(&shape, request, backend->error));
    TRY(plan_word(backend, &shape, 0, request->count, plan));
    plan->workspace_bytes += rows_temp_bytes(&shape, request->count);
done:
    return status;
}

/* Only the first and the last word can have codes of different sizes. */
static uint32_t different_words(const struct rows_shape *shape, uint32_t *words)
{
    words[0] = 0;
    words[1] = shape->words - 1;
    return rows_keys(shape, words[0]).size == rows_keys(shape, words[1]).size ? 1 : 2;
}

/* Load the kernels that sorts of this shape need, and say what workspace they do. */
static mw_status prepare_sort(struct backend *backend, const struct request *request,
                              const struct rows_shape *shape, uint64_t *workspace_bytes)
{
    uint32_t words[2];
    mw_status status = MW_OK;

    *workspace_bytes = 0;
    for (uint32_t i = 0; i < different_words(shape, words); i++) {
        uint64_t bytes;

        TRY(device_cover(backend, rows_keys(shape, words[i]), request->count, &bytes));
        if (bytes > *workspace_bytes)
            *workspace_bytes = bytes;
    }
    *workspace_bytes += rows_temp_bytes(shape, request->count);
done:
    return status;
}

mw_status rows_prepare(struct backend *backend, const struct request *request,
                       uint64_t *workspace_bytes)
{
    struct rows_shape shape;
    struct program *program;
    mw_status status;

    if (request->order.field_count == 0)
        return comparison_prepare(backend, request, workspace_bytes);
    TRY(rows_shape(&shape, request, backend->error));
    TRY(passes_load_rows(backend_device(backend), &program));
    if (request->operation == MW_CHECK)
        *workspace_bytes = check_bytes(request->count);
    else
        TRY(prepare_sort(backend, request, &shape, workspace_bytes));
done:
    return status;
}

mw_status rows_numbers_prepare(struct backend *backend, const struct request *request,
                               uint64_t *workspace_bytes)
{
    struct rows_shape shape;
    mw_status status;

    TRY(rows_shape(&shape, request, backend->error));
    rows_by_number(&shape);
    TRY(prepare_sort(backend, request, &shape, workspace_bytes));
done:
    return status;
}

/* Everything that the steps of one request have in common. */
struct rows_run {
    struct backend *backend;
    const struct request *request;
    struct rows_shape shape;
    struct plan *plan;          /* of words of 8 bytes, or of all; of the last word */
    struct program *program[2]; /* theirs */
    struct program *mover;
    int by_number; /* positions are the numbers of the rows to sort */
    char *workspace;
    char *temp; /* in it, after what the plans need */
    void *stream;
    struct pass_log *log;
};

static mw_status sort_word(const struct rows_run *run, uint32_t word, uint32_t turn,
                           int last, const unsigned *condition, struct rows *rows)
{
    const int which = rows_keys(&run->shape, word).size != rows_keys(&run->shape, 0).size;

    rows_make(rows, &run->shape, run->request, word, turn, last, run->plan[which].rounds,
              run->temp);
    rows->condition = condition;
    return passes_sort_rows(backend_device(run->backend), run->program[which],
                            &run->plan[which], rows, run->workspace, run->stream, run->log);
}

/* Sort by all words, the last one first. */
static mw_status sort_words(const struct rows_run *run, const unsigned *condition,
                            struct rows *rows)
{
    const uint32_t words = run->shape.words;
    mw_status status = MW_OK;

    for (uint32_t turn = 0; turn < words; turn++)
        TRY(sort_word(run, words - 1 - turn, turn + (uint32_t)run->by_number,
                      turn + 1 == words, condition, rows));
done:
    return status;
}

/*
 * Are the rows of the request, in `order`, sorted? Codes say it but for equal ones; both
 * may be NULL. `least` is room for check_bytes.
 */
static mw_status check(const struct rows_run *run, const unsigned *order, const wide *codes,
                       wide *least, wide *result, unsigned *wrong)
{
    const struct request *const request = run->request;
    struct check_rows_args args = {.order = order,
                                   .codes = codes,
                                   .count = request->count,
                                   .least = least,
                                   .field_count = (int)request->order.field_count};
    const struct check_last_args last = {.least = least,
                                         .blocks = check_blocks(request->count),
                                         .count = request->count,
                                         .result = result,
                                         .wrong = wrong};
    mw_status status;

    for (uint32_t i = 0; i < request->order.field_count; i++) {
        const struct request_field *const field = &request->order.field[i];
        const struct request_column column = request_column(request, field->column);

        args.field[i] = (struct code_part){.at = (const char *)column.in + field->offset,
                                           .pitch = column.bytes,
                                           .bytes = (int)field->bytes,
                                           .is_string = field->is_string,
                                           .code = field->code};
    }
    TRY(passes_check(backend_device(run->backend), run->mover, &args, &last, run->stream,
                     run->log));
done:
    return status;
}

/* Gather the columns in the order of `positions`; `spare` is room for the longest. */
static mw_status gather(const struct rows_run *run, const void *positions, void *spare)
{
    struct device *const device = backend_device(run->backend);
    const uint64_t count = run->request->count;
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < run->request->column_count; i++) {
        const struct request_column c = request_column(run->request, i);
        void *const out = c.out == c.in ? spare : c.out;

        if (!c.out)
            continue;
        TRY(passes_gather(device, run->mover, c.in, out, positions, count, c.bytes,
                          run->stream, run->log));
        if (out == spare)
            TRY(passes_gather(device, run->mover, spare, c.out, NULL, count, c.bytes,
                              run->stream, run->log));
    }
done:
    return status;
}

/*
 * Wide rows. By several words: most orders are decided by the first. So rows are sorted
 * by that alone, and only if they are not in order then by all words.
 */
static mw_status sort_wide(const struct rows_run *run)
{
    struct rows rows;
    mw_status status;

    TRY(sort_word(run, 0, 0, 1, NULL, &rows));
    if (run->shape.words > 1) {
        unsigned *const wrong = (unsigned *)rows.flag;

        TRY(check(run, (const unsigned *)rows.positions.at[ROWS_A],
                  (const wide *)rows.codes.at[ROWS_OUT], (wide *)rows.codes.at[ROWS_B],
                  NULL, wrong));
        TRY(sort_words(run, wrong, &rows));
    }
    TRY(gather(run, rows.positions.at[ROWS_A], rows.spare));
done:
    return status;
}

/* Make the plans, and load their programs. */
static mw_status make_plans(struct rows_run *run, uint64_t *plan_bytes)
{
    struct device *const device = backend_device(run->backend);
    uint32_t words[2];
    mw_status status = MW_OK;

    *plan_bytes = 0;
    for (uint32_t i = 0; i < different_words(&run->shape, words); i++) {
        struct plan *const plan = &run->plan[i];

        TRY(plan_word(run->backend, &run->shape, words[i], run->request->count, plan));
        TRY(device->verbs->load(device, &plan->program,
                                device_kernels(run->backend, plan->kernels),
                                &run->program[i]));
        if (plan->workspace_bytes > *plan_bytes)
            *plan_bytes = plan->workspace_bytes;
    }
done:
    return status;
}

/* The plans, and the temporary arrays after what they need. */
static mw_status begin_sort(struct rows_run *run, uint64_t bytes)
{
    uint64_t plan_bytes;
    mw_status status;

    TRY(make_plans(run, &plan_bytes));
    TRY(backend_check_workspace(run->backend, bytes,
                                plan_bytes +
                                    rows_temp_bytes(&run->shape, run->request->count)));
    run->temp = run->workspace + plan_bytes;
done:
    return status;
}

mw_status rows_enqueue(struct backend *backend, const struct request *request,
                       void *workspace, uint64_t bytes, void *stream)
{
    return rows_enqueue_more(backend, request, workspace, bytes, stream,
                             device_begin(backend));
}

mw_status rows_enqueue_more(struct backend *backend, const struct request *request,
                            void *workspace, uint64_t bytes, void *stream,
                            struct pass_log *log)
{
    struct plan plans[2]; /* apart: it would take time to clear them */
    struct rows_run run = {.backend = backend,
                           .request = request,
                           .plan = plans,
                           .workspace = workspace,
                           .stream = stream,
                           .log = log};
    struct rows rows;
    mw_status status;

    if (request->order.field_count == 0)
        return comparison_enqueue(backend, request, workspace, bytes, stream, log);
    TRY(rows_shape(&run.shape, request, backend->error));
    TRY(passes_load_rows(backend_device(backend), &run.mover));
    if (request->operation == MW_CHECK) {
        TRY(backend_check_workspace(backend, bytes, check_bytes(request->count)));
        return check(&run, NULL, NULL, workspace, (wide *)request->cuts, NULL);
    }
    if (request->count == 0)
        goto done;
    TRY(begin_sort(&run, bytes));
    if (run.shape.way == ROWS_WIDE)
        TRY(sort_wide(&run));
    else
        TRY(sort_words(&run, NULL, &rows));
    device_note(backend, request, &run.plan[0]);
done:
    return status;
}

mw_status rows_argsort_enqueue(struct backend *backend, const struct request *request,
                               struct rows_how how, void *workspace, uint64_t bytes,
                               void *stream, struct pass_log *log)
{
    struct plan plans[2];
    struct rows_run run = {.backend = backend,
                           .request = request,
                           .plan = plans,
                           .by_number = how.by_number,
                           .workspace = workspace,
                           .stream = stream,
                           .log = log};
    struct rows rows;
    mw_status status;

    TRY(rows_shape(&run.shape, request, backend->error));
    if (how.by_number)
        rows_by_number(&run.shape);
    TRY(begin_sort(&run, bytes));
    TRY(sort_words(&run, how.condition, &rows));
done:
    return status;
}
