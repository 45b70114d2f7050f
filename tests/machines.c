/*
 * machines.c - GPUs other than the one that the library was measured on: what plans take
 * of an SM fits there and fills it, and the simulator, with no more shared memory than a
 * block of theirs, returns the bytes that the CPU returns.
 */
#include "backend_device.h"
#include "context.h"
#include "less.h"
#include "plan_lists.h"
#include "plan_samples.h"
#include "sim/sim.h"
#include "stops.h"
#include "trial.h"

/* By the CUDA C++ Programming Guide. Every SM has 64 K registers. */
static const struct gpu {
    mw_info info;
    uint32_t threads; /* of an SM */
} gpus[] = {
    {MACHINE(60,  56,  48,  64),  2048},
    {MACHINE(61,  28,  48,  96),  2048},
    {MACHINE(70,  80,  96,  96),  2048},
    {MACHINE(75,  40,  64,  64),  1024},
    {MACHINE(80,  108, 163, 164), 2048},
    {MACHINE(86,  84,  99,  100), 1536},
    {MACHINE(89,  128, 99,  100), 1536},
    {MACHINE(90,  132, 227, 228), 2048},
    {MACHINE(100, 148, 227, 228), 2048},
    {MACHINE(103, 160, 227, 228), 2048},
    {MACHINE(120, 170, 99,  100), 1536},
};

enum {
    LEAST_WARPS = 8, /* of an SM, while many keys are sorted */
    RESERVED = 1024, /* bytes that the driver takes of each block's shared memory */
    REGISTERS = 65536
};

/* Blocks of an SM at once, as far as shared memory and threads go. */
static uint32_t resident(const struct gpu *gpu, uint32_t shared, uint32_t threads)
{
    const uint32_t by_shared =
        (uint32_t)(gpu->info.shared_per_processor / (shared + RESERVED));
    const uint32_t by_threads = gpu->threads / threads;

    return by_shared < by_threads ? by_shared : by_threads;
}

/* Few threads cannot hide latency; so two blocks at least, unless there are few keys. */
static const char *check_busy(const struct gpu *gpu, uint32_t shared, uint32_t threads)
{
    const uint32_t blocks = resident(gpu, shared, threads);

    return blocks * threads / WARP < LEAST_WARPS ? "too few warps of an SM are busy"
           : blocks < 2                          ? "one block has an SM alone"
                                                 : NULL;
}

/* The compiler limits registers so that this many blocks fit: at least 32 a thread. */
static const char *check_bounds(const struct gpu *gpu, uint32_t blocks, uint32_t threads)
{
    return blocks * threads > gpu->threads     ? "more blocks than an SM has threads for"
           : blocks * threads * 32 > REGISTERS ? "too few registers"
                                               : NULL;
}

/* A sort of keys, or of rows that are carried along. */
static const char *check_keys(const struct gpu *gpu, mw_engine engine,
                              struct plan_keys keys, uint64_t count)
{
    const mw_tuning wish = {.engine = engine};
    struct error error = {""};
    struct plan plan;
    const char *wrong = NULL;

    if (plan_make(&plan, &wish, &gpu->info, keys, count, &error) != MW_OK)
        return "no plan";

    const mw_tuning *const t = &plan.tuning;
    const struct tile_geometry *const tile = &plan.program.tile;
    const uint32_t most =
        plan.base_shared > plan.merge_shared ? plan.base_shared : plan.merge_shared;

    if (most > gpu->info.shared_per_block ||
        (plan.deal.buckets && DEAL_SHARED > gpu->info.shared_per_block))
        return "more shared memory than a block has";
    wrong = check_bounds(gpu, tile->sort_blocks, t->threads);
    if (!wrong)
        wrong = check_bounds(gpu, tile->merge_blocks, t->threads);
    if (!wrong && t->engine == MW_ENGINE_HEAP &&
        t->warps / gpu->info.processors >
            resident(gpu, plan.merge_shared, t->threads) * t->threads / WARP)
        wrong = "heap's tasks do not run all at once";
    if (!wrong && plan.program.engine == MW_ENGINE_TILE && !keys.places && keys.size >= 4 &&
        count <= 2048 && t->items > 8)
        wrong = "long rows for few keys";
    if (!wrong && plan.program.engine == MW_ENGINE_TILE && count >= 1 << 20)
        wrong = check_busy(gpu, most, t->threads);
    if (!wrong && plan.deal.buckets)
        wrong = check_busy(gpu, DEAL_SHARED, DEAL_THREADS);
    return wrong;
}

static const char *check_less(const struct gpu *gpu, uint32_t bytes, uint64_t count)
{
    const mw_tuning wish = {.engine = MW_ENGINE_AUTO};
    const struct request request = {
        .operation = MW_SORT,
        .count = count,
        .order = {.element_bytes = bytes, .less = "0"}
    };
    struct error error = {""};
    struct less_plan plan;

    if (less_plan(&plan, &request, &wish, &gpu->info, &error) != MW_OK)
        return "no plan by a comparison";
    if (plan.shared > gpu->info.shared_per_block)
        return "a comparison: more shared memory than a block has";
    return count >= 1 << 20 && resident(gpu, plan.shared, plan.program.tile.rows) *
                                       plan.program.tile.rows / WARP <
                                   LEAST_WARPS
               ? "a comparison: too few warps of an SM are busy"
               : NULL;
}

static const char *check_lists(const struct gpu *gpu, struct plan_keys keys, uint64_t count)
{
    const struct lists_shape shape = {.keys = keys, .arrays = 1};
    const mw_tuning wish = {.engine = MW_ENGINE_AUTO};
    struct error error = {""};
    struct lists_plan plan;
    const char *wrong;

    if (lists_plan_room(&plan, &wish, &gpu->info, &shape, 9, count, &error) != MW_OK)
        return "no plan of lists";
    if (plan.shared > gpu->info.shared_per_block)
        return "lists: more shared memory than a block has";
    wrong = check_bounds(gpu, plan.program.tile.merge_blocks, plan.program.tile.rows);
    return wrong ? wrong : check_busy(gpu, plan.shared, plan.program.tile.rows);
}

static void test_plans(struct tap *tap, const struct gpu *gpu)
{
    static const mw_engine engines[] = {MW_ENGINE_AUTO, MW_ENGINE_TILE, MW_ENGINE_HEAP};
    static const uint64_t counts[] = {700,   1500,   3000,    6000,    20000,
                                      90000, 100000, 1 << 20, 1 << 26, 1 << 28};
    int passed = 1;

    for (size_t i = 0; i < COUNT_OF(counts) * 4 * 4; i++) {
        const uint64_t count = counts[i / 16];
        const struct plan_keys keys = {.size = (size_t)1 << i % 4,
                                       .places = i / 4 % 4 == 3};
        const mw_engine engine = keys.places ? MW_ENGINE_TILE : engines[i / 4 % 4];
        const char *wrong = NULL;

        if (!keys.places || keys.size >= 4) {
            wrong = check_keys(gpu, engine, keys, count);
            wrong = wrong ? wrong : check_lists(gpu, keys, count);
        }
        wrong = wrong ? wrong : check_less(gpu, 4u << i % 4, count);
        passed &= !wrong;
        if (wrong)
            tap_note("%llu of %zu bytes, engine %d%s: %s", (unsigned long long)count,
                     keys.size, (int)engine, keys.places ? ", with places" : "", wrong);
    }
    tap_case(tap, passed, "sm_%u, %llu KiB a block: plans fit an SM, and fill it",
             gpu->info.architecture, (unsigned long long)gpu->info.shared_per_block >> 10);
}

/* The simulator with this GPU's limits; its SMs remain few. */
static mw_context *open_as(struct tap *tap, const struct gpu *gpu)
{
    mw_context *const context = trial_open(tap, "sim");

    if (context) {
        struct device *const device = backend_device(context->backend);

        device->info.architecture = gpu->info.architecture;
        device->info.shared_per_block = gpu->info.shared_per_block;
        device->info.shared_per_processor = gpu->info.shared_per_processor;
        sim_machine(device)->limits.shared_bytes = (uint32_t)gpu->info.shared_per_block;
    }
    return context;
}

/* Only engine tally's histogram of 2-byte keys needs more than a small GPU has. */
static int may_refuse(const struct gpu *gpu, const struct stop *stop)
{
    return stop->engine == MW_ENGINE_TALLY && stop->order == MW_U16 &&
           TALLY_SHARED(16) > gpu->info.shared_per_block;
}

static const char *visit(mw_context *context, mw_context *cpu, const struct gpu *gpu,
                         const struct stop_data *data)
{
    static struct stop_job here, there;
    const mw_tuning tuning = stop_tuning(data->stop);
    char *at[STOP_ARRAYS];
    const char *wrong = NULL;
    mw_status status;

    if (!stop_copy(data, at))
        return "no memory";
    stop_make_job(data, data->at, &here);
    stop_make_job(data, at, &there);
    status = mw_set_tuning(context, &tuning);
    if (status == MW_OK)
        status = mw_run(context, &there.job);
    if (status == MW_UNSUPPORTED && may_refuse(gpu, data->stop))
        ;
    else if (status != MW_OK)
        wrong = mw_error(context);
    else if (mw_run(cpu, &here.job) != MW_OK)
        wrong = mw_error(cpu);
    else if (!stop_same(data, at))
        wrong = "other bytes than the CPU's";
    stop_free(at);
    return wrong;
}

/* Bare keys of each size, as many as end in each row of the tuning table. */
static const char *sort_keys_of(mw_context *context, mw_type type, struct outcome *outcome)
{
    static const uint64_t counts[] = {1000, 2049, 4097, 8192, 30011, 98305};
    const mw_tuning none = MW_TUNING_INIT;

    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        const struct trial trial = {.type = type,
                                    .shape = i % 2 ? "few:300" : "random",
                                    .seed = i,
                                    .count = counts[i],
                                    .tuning = none};
        const int right = trial_run(context, &trial, outcome);

        trial_close(outcome);
        if (!right)
            return outcome->why;
    }
    return NULL;
}

static void test_sorts(struct tap *tap, const struct gpu *gpu)
{
    static const mw_type types[] = {MW_U8, MW_I16, MW_F32, MW_I64};
    mw_context *const context = open_as(tap, gpu);
    mw_context *const cpu = context ? trial_open(tap, "cpu:2") : NULL;
    const unsigned architecture = gpu->info.architecture;

    for (size_t i = 0; cpu && i < COUNT_OF(types); i++) {
        struct outcome outcome;
        const char *const wrong = sort_keys_of(context, types[i], &outcome);

        if (wrong)
            tap_note("%s", wrong);
        tap_case(tap, !wrong, "sim as sm_%u: %s", architecture, mw_type_name(types[i]));
    }
    for (size_t i = 0; cpu && i < stop_count; i++) {
        struct stop_data data;
        const char *const wrong = stop_open(&data, &stops[i], 4, cpu)
                                      ? visit(context, cpu, gpu, &data)
                                      : "no memory, or no lists";
        char text[STOP_TEXT];

        if (wrong)
            tap_note("%s", wrong);
        tap_case(tap, !wrong, "sim as sm_%u: job %d, %s", architecture, (int)i,
                 stop_text(&data, text));
        stop_close(&data);
    }
    mw_close(cpu);
    mw_close(context);
}

int main(void)
{
    static const uint32_t simulated[] = {60, 80, 120};
    struct tap tap = {0, 0};

    for (size_t i = 0; i < COUNT_OF(gpus); i++) {
        test_plans(&tap, &gpus[i]);
        for (size_t j = 0; j < COUNT_OF(simulated); j++)
            if (gpus[i].info.architecture == simulated[j])
                test_sorts(&tap, &gpus[i]);
    }
    return tap_end(&tap);
}
