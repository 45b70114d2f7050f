/*
 * work.c - from files through a job to files.
 */
#include "work.h"

#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>

int work_index_type(const struct work *work, const char *option, const char *text,
                    mw_type *type)
{
    if (mw_type_parse(text, type) == MW_OK && strchr("iu", *text) &&
        mw_type_size(*type) >= 4)
        return 0;
    return complain(work->command, "--%s %s: expected u32, i32, u64 or i64", option, text);
}

int work_begin(struct work *work)
{
    if (order_make(&work->order, work->command))
        return -1;
    if (!work->order.order->field_count && !work->order.less)
        return complain(work->command, "--record needs --key FIELD or --order EXPRESSION");
    work->job.order = work->order.order;
    return work->positions &&
           work_index_type(work, "positions", work->positions, &work->position_type);
}

/* No file is written twice, and standard input is read once. */
static int check_twice(const struct work *work)
{
    uint32_t pipes = 0;

    for (uint32_t i = 0; i < work->source_count; i++)
        pipes += (uint32_t)is_standard(work->sources[i].path);
    if (pipes > 1)
        return complain(work->command, "standard input is read twice (name a file)");
    for (uint32_t i = 0; i < work->result_count; i++) {
        const struct result *const f = &work->results[i];

        for (uint32_t j = 0; j < i; j++) {
            const struct result *const g = &work->results[j];

            if ((is_standard(f->path) && is_standard(g->path)) ||
                output_is_same(&f->output, &g->output))
                return complain(work->command, "%s is written twice (name two files)",
                                f->output.name);
        }
    }
    return 0;
}

/* Aim all outputs and open all inputs: nothing is read before that works. */
static int open_files(struct work *work)
{
    for (uint32_t i = 0; i < work->result_count; i++) {
        if (output_open(&work->results[i].output, work->command, work->results[i].path))
            return -1;
    }
    input_allow(work->source_count);
    for (uint32_t i = 0; i < work->source_count; i++) {
        struct source *const s = &work->sources[i];

        if (input_open(&s->input, work->command, s->path, MW_FILE_BY_NAME, s->bytes,
                       s->what))
            return -1;
    }
    return check_twice(work);
}

static int read_files(struct work *work)
{
    for (uint32_t i = 0; i < work->source_count; i++) {
        struct source *const s = &work->sources[i];

        if (input_all(&s->input, &s->data, &s->count))
            return -1;
        input_close(&s->input);
    }
    return 0;
}

int work_job(struct work *work, mw_context *context)
{
    const double start = kit_seconds();
    mw_status status = mw_run(context, &work->job);

    work->seconds += kit_seconds() - start;
    if (status == MW_OK)
        status = mw_get_counts(context, &work->counts);
    return status == MW_OK ? 0
                           : complain(work->command, "%s", device_error(context, status));
}

int work_check_device(const struct work *work)
{
    if (!work->order.less || strncmp(work->info.device, "cuda", 4) == 0)
        return 0;
    return complain(work->command,
                    "--order needs a GPU, not %s: elsewhere its text cannot be compiled "
                    "(use --key)",
                    work->info.device);
}

/* The device is opened before anything is read, which may take long on a pipe. */
int work_start(struct work *work, mw_context **context)
{
    mw_status status;

    *context = NULL;
    if (open_files(work))
        return -1;
    status = device_open(context, work->device, work->cache, &work->tuning);
    if (status == MW_OK)
        status = mw_get_info(*context, &work->info);
    if (status != MW_OK)
        return complain(work->command, "%s", device_error(*context, status));
    return work_check_device(work);
}

int work_run(struct work *work, int (*prepare)(struct work *, mw_context *, void *),
             void *command)
{
    mw_context *context;
    const int bad = work_start(work, &context) || read_files(work) ||
                    prepare(work, context, command) || work_job(work, context);

    mw_close(context);
    return bad;
}

static double giga_keys_per_second(const struct work *work)
{
    return work->seconds > 0 ? 1e-9 * (double)work->counts.count / work->seconds : 0;
}

void work_json_begin(const struct work *work, struct json *json)
{
    const mw_counts *const counts = &work->counts;

    json_open(json, NULL, '{');
    json_text(json, "device", work->info.device);
    json_text(json, "name", work->info.name);
    order_json(&work->order, json);
    if (work->part_count)
        json_count(json, work->parts, work->part_count);
    if (work->positions)
        json_text(json, "positions", work->positions);
    json_count(json, "count", counts->count);
    json_real(json, "seconds", work->seconds);
    json_real(json, "giga_keys_per_second", giga_keys_per_second(work));
    json_count(json, "rounds", counts->rounds);
    json_count(json, "launches", counts->launches);
    json_count(json, "bytes_read", counts->bytes_read);
    json_count(json, "bytes_written", counts->bytes_written);
    json_tuning(json, "tuning", &counts->tuning);
}

static void print_stats(const struct work *work)
{
    struct json json = {.to = stderr};

    if (work->json) {
        work_json_begin(work, &json);
        json_close(&json, '{');
        return;
    }
    fprintf(stderr,
            "multiway %s: %s (%s): %" PRIu64 " %s in %.6f s, %.3f Gk/s, "
            "%" PRIu32 " merge round%s\n",
            work->command, work->info.device, work->info.name, work->counts.count,
            work->order.what, work->seconds, giga_keys_per_second(work),
            work->counts.rounds, work->counts.rounds == 1 ? "" : "s");
}

int work_write(struct work *work)
{
    const uint32_t count = work->result_count;

    for (uint32_t i = 0; i < count; i++) {
        struct result *const r = &work->results[i];

        if (output_room(&r->output, r->bytes) ||
            output_write(&r->output, r->data, r->bytes) || output_sync(&r->output))
            return -1;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (output_finish(&work->results[i].output))
            return -1;
    }
    if (work->stats || work->json)
        print_stats(work);
    return 0;
}

void work_end(struct work *work)
{
    for (uint32_t i = 0; i < work->source_count; i++) {
        input_close(&work->sources[i].input);
        free(work->sources[i].data);
    }
    for (uint32_t i = 0; i < work->result_count; i++)
        output_drop(&work->results[i].output);
}
