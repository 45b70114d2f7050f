/*
 * stage.c - the device, the input and the clock of a run.
 */
#include "bench.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

const char *stage_error(const struct stage *stage)
{
    return stage->plugin ? stage->plugin->error() : mw_error(stage->context);
}

/*
 * The plugin `file`, or, if that is NULL, the multiway-rivals.so in the folder of the
 * running program. On failure NULL, and `why` says why. It stays open until the process
 * ends.
 */
static const struct rivals *load_plugin(const char *file, char *why, size_t bytes)
{
    static const char beside[] = "$ORIGIN/"; /* the folder of this program */
    const char *const folder = !file ? beside : strchr(file, '/') ? "" : "./";
    multiway_rivals_fn *get = NULL;
    const struct rivals *rivals;
    char path[4096];
    void *library;
    void *symbol;

    snprintf(path, sizeof path, "%s%s", folder, file ? file : "multiway-rivals.so");
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    symbol = library ? dlsym(library, MULTIWAY_RIVALS_SYMBOL) : NULL;
    if (!symbol) {
        const char *const said = dlerror();
        const size_t skip = strncmp(said, beside, strlen(beside)) ? 0 : strlen(beside);

        snprintf(why, bytes, "%.180s%s", said + skip,
                 file ? "" : " (`make bench` builds it if nvcc is installed)");
        return NULL;
    }
    memcpy(&get, &symbol, sizeof get);
    rivals = get();
    if (!rivals || rivals->version != RIVALS_VERSION) {
        snprintf(why, bytes, "%.160s was built for another version of this program", path);
        return NULL;
    }
    return rivals;
}

/* A plugin that was named must work. The default one is tried on a GPU only. */
static int open_plugin(struct stage *stage, const char *file)
{
    const int on_gpu = strncmp(stage->info.device, "cuda", 4) == 0;

    if (!file && !on_gpu) {
        snprintf(stage->no_rivals, sizeof stage->no_rivals,
                 "--rivals-from names no plugin");
        return 0;
    }
    stage->plugin = load_plugin(file, stage->no_rivals, sizeof stage->no_rivals);
    if (!stage->plugin)
        return file ? complain("bench", "--rivals-from: %s", stage->no_rivals) : 0;
    stage->plugin_open = stage->plugin->open(stage->info.device, &stage->stream) == 0;
    if (!stage->plugin_open && file)
        return complain("bench", "rivals: %s", stage_error(stage));
    if (!stage->plugin_open) {
        snprintf(stage->no_rivals, sizeof stage->no_rivals, "%s", stage->plugin->error());
        stage->plugin = NULL;
    }
    return 0;
}

int stage_open(struct stage *stage, const struct wish *wish)
{
    mw_status status;

    *stage = (struct stage){.info = MW_INFO_INIT, .trials = wish->trials};
    status = device_open(&stage->context, wish->device, wish->cache, NULL);
    if (status == MW_OK)
        status = mw_get_info(stage->context, &stage->info);
    if (status != MW_OK)
        return complain("bench", "%s: %s", wish->device,
                        device_error(stage->context, status));
    return open_plugin(stage, wish->rivals_from);
}

void stage_close(struct stage *stage)
{
    placed_close(&stage->placed);
    mw_close(stage->placed.host);
    if (stage->plugin_open)
        stage->plugin->close();
    mw_free(stage->context, stage->workspace);
    mw_free(stage->context, stage->keys);
    mw_free(stage->context, stage->pristine);
    mw_close(stage->context);
    free(stage->output);
    free(stage->input);
}

const char *stage_clock(const struct stage *stage)
{
    return stage->plugin ? stage->plugin->clock
                         : "wall clock from the call to the end of mw_wait";
}

/* Copy until an idle device has raised its clocks; then ask for them. */
static int warm_up(struct stage *stage, uint64_t bytes)
{
    const struct rivals *const plugin = stage->plugin;
    const double until = kit_seconds() + 0.1;
    double ms;

    while (kit_seconds() < until) {
        if (plugin->start(stage->stream) ||
            plugin->copy(stage->keys, stage->pristine, bytes, stage->stream) ||
            plugin->stop(stage->stream, &ms))
            return complain("bench", "a copy: %s", stage_error(stage));
    }
    if (plugin->describe(stage->clocks, sizeof stage->clocks))
        return complain("bench", "rivals: %s", stage_error(stage));
    return 0;
}

int stage_reserve(struct stage *stage, const struct one_case *largest)
{
    const size_t size = mw_type_size(largest->type);
    const uint64_t bytes = largest->count * size;
    mw_status status;

    stage->input = memory_for("bench", largest->count, size);
    if (!stage->input)
        return -1;
    status = mw_alloc(stage->context, bytes, &stage->keys);
    if (status == MW_OK && stage->plugin)
        status = mw_alloc(stage->context, bytes, &stage->pristine);
    if (status != MW_OK)
        return complain("bench", "memory for keys: %s",
                        device_error(stage->context, status));
    if (stage->plugin)
        return warm_up(stage, bytes);
    stage->output = memory_for("bench", largest->count, size);
    return stage->output ? 0 : -1;
}

struct rival_case stage_rival_case(const struct one_case *what)
{
    const int is_short = what->type == MW_F16 || what->type == MW_BF16; /* no type of C */
    const int is_float = what->type == MW_F32 || what->type == MW_F64;
    const int has_nans = is_float && strncmp(what->shape->name, "specials", 8) == 0;

    return (struct rival_case){what->type, is_short || has_nans ? ORDER_TOTAL : ORDER_LESS,
                               what->count, NULL};
}

/* By the kit; a descent is counted once only. */
static void check_on_host(const struct one_case *what, const void *keys,
                          struct rival_verdict *verdict)
{
    struct kit_fingerprint print = {0, 0};

    kit_fingerprint_add(&print, what->type, keys, what->count);
    verdict->fingerprint = print.sum;
    verdict->descents =
        kit_first_disorder(what->type, MW_ASCENDING, keys, what->count) != what->count;
}

int stage_check(struct stage *stage, const struct rival_case *judged, const void *keys,
                struct rival_verdict *verdict)
{
    if (stage->plugin)
        return stage->plugin->check(judged, keys, stage->stream, verdict);
    if (mw_download(stage->context, stage->output, keys, stage->bytes) != MW_OK)
        return -1;
    check_on_host(&stage->what, stage->output, verdict);
    return 0;
}

/* The plugin's check must agree with the kit's on the input, if that is small. */
static int check_the_check(struct stage *stage, const struct rival_verdict *host)
{
    const struct rival_case total = {stage->what.type, ORDER_TOTAL, stage->what.count,
                                     NULL};
    struct rival_verdict verdict = {0, 0};

    if (stage_check(stage, &total, stage->pristine, &verdict))
        return complain("bench", "the input: %s", stage_error(stage));
    if ((verdict.descents == 0) == (host->descents == 0) &&
        verdict.fingerprint == host->fingerprint)
        return 0;
    return complain("bench",
                    "the plugin's check is wrong: it disagrees with the kit on the input");
}

/* Is the input that of the case before? Lists are sorted, so theirs is not. */
static int has_input(const struct stage *stage, const struct one_case *what)
{
    const struct one_case *const before = &stage->what;

    return before->shape == what->shape && before->type == what->type &&
           before->count == what->count && what->task->operation != KIT_MERGE &&
           what->task->operation != KIT_SPLIT;
}

/* The input to the device; its fingerprint, and is the plugin's the same? */
static int send(struct stage *stage, const struct one_case *what)
{
    const struct rival_case judged = stage_rival_case(what);
    const int is_small = what->count <= 1 << 20;
    struct rival_verdict host = {0, 0};

    if (!stage->plugin || is_small)
        check_on_host(what, stage->input, &host);
    stage->original = host;
    if (!stage->plugin)
        return 0;
    if (mw_upload(stage->context, stage->pristine, stage->input, stage->bytes) != MW_OK)
        return complain("bench", "the input: %s", mw_error(stage->context));
    if (stage_check(stage, &judged, stage->pristine, &stage->original))
        return complain("bench", "the input: %s", stage_error(stage));
    return is_small ? check_the_check(stage, &host) : 0;
}

int stage_load(struct stage *stage, const struct one_case *what, uint64_t seed)
{
    const int is_there = has_input(stage, what);

    stage->what = *what;
    stage->bytes = what->count * mw_type_size(what->type);
    if (!is_there && input_fill(what, seed, stage->input))
        return -1;
    return work_is_on(stage) ? work_load(stage) : send(stage, what);
}

int stage_refill(struct stage *stage)
{
    if (work_is_on(stage))
        return work_refill(stage);
    if (stage->plugin)
        return stage->plugin->copy(stage->keys, stage->pristine, stage->bytes,
                                   stage->stream);
    return mw_upload(stage->context, stage->keys, stage->input, stage->bytes) != MW_OK;
}

int stage_start(struct stage *stage, double *began)
{
    if (stage->plugin)
        return stage->plugin->start(stage->stream);
    *began = kit_seconds();
    return 0;
}

int stage_stop(struct stage *stage, double began, double *milliseconds)
{
    if (stage->plugin)
        return stage->plugin->stop(stage->stream, milliseconds);
    if (mw_wait(stage->context) != MW_OK)
        return -1;
    *milliseconds = 1000 * (kit_seconds() - began);
    return 0;
}

/* Copies inside a GPU need the plugin; on the CPU memcpy will do. */
int stage_copies(const struct stage *stage)
{
    return stage->plugin || strncmp(stage->info.device, "cpu", 3) == 0;
}

int stage_copy(struct stage *stage, uint64_t bytes, struct times *figures)
{
    double *const times = calloc(stage->trials, sizeof *times);
    int failed = !times;

    for (int i = -WARM_UPS; !failed && i < (int)stage->trials; i++) {
        double began = 0;
        double ms = 0;

        failed = stage_start(stage, &began);
        if (!stage->plugin)
            memcpy(stage->output, stage->input, bytes);
        else if (!failed)
            failed =
                stage->plugin->copy(stage->keys, stage->pristine, bytes, stage->stream);
        failed = failed || stage_stop(stage, began, &ms);
        if (i >= 0)
            times[i] = ms;
    }
    if (!failed)
        *figures = times_of(times, (int)stage->trials);
    free(times);
    return failed ? complain("bench", "a copy: %s", stage_error(stage)) : 0;
}
