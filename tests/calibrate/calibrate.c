/*
 * calibrate.c - the same launches on a GPU and in the simulator, a line for each, to
 * compare the ledger with a profiler's counters.
 *
 *   calibrate sim|cuda micro [FIRST [LAST]]
 *   calibrate sim|cuda sort TYPE COUNT SHAPE ENGINE[,ENGINE...] [SMS]
 *   calibrate cuda info
 *
 * `micro` repeats single accesses (micro.cu), in the cases FIRST to LAST; `sort` sorts the
 * same keys with each engine. Lines name kernel, grid and shared memory, and in the
 * simulator the counts. On a GPU run it under Nsight Compute, which numbers launches from 0
 * as well. SMS makes the simulator plan for a GPU with that many SMs. bench/calibrate.py
 * runs both sides and compares.
 */
#include "calibrate.h"

#include "backend_device.h"
#include "context.h"
#include "kit.h"
#include "sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int complain(const char *error)
{
    fprintf(stderr, "calibrate: %s\n", error);
    return 2;
}

/* ---- Lines ---------------------------------------------------------------- */

/* A launch as it is printed. */
struct launch_line {
    const char *kernel;
    const char *type;  /* of keys, or the size of cells */
    const char *input; /* shape of the keys, or pattern of places */
    uint64_t count;    /* keys, or turns */
    uint64_t blocks;
    uint32_t threads;
    uint32_t shared_bytes;
};

static void print_head(int simulator)
{
    printf("number\tkernel\ttype\tinput\tcount\tblocks\tthreads\tshared");
    for (int i = 0; simulator && i < 2; i++) {
        const char *const word = i ? "store" : "load";

        printf("\tshared_%s_requests\tshared_%s_wavefronts\tshared_%s_conflicts"
               "\tglobal_%s_requests\tglobal_%s_sectors\tmemory_%s_bytes",
               word, word, word, word, word, word);
    }
    printf("\n");
}

/* Loads or stores of all source lines together. */
static void print_traffic(const struct ledger *ledger, enum simt_word word)
{
    mw_traffic t = {0};

    for (uint32_t i = 1; i < ledger->count; i++) {
        if (ledger->entries[i].site->word == word)
            traffic_add(&t, &ledger->entries[i].traffic);
    }
    printf("\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
           t.shared_requests, t.shared_wavefronts, t.shared_wavefronts - t.shared_ideal,
           t.global_requests, t.global_sectors, 32 * t.global_distinct);
}

/* Print a launch just made. In the simulator its counts follow and are then reset. */
static void print_launch(struct device *device, const struct launch_line *line)
{
    static int number;

    printf("%d\t%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu32, number++,
           line->kernel, line->type, line->input, line->count, line->blocks, line->threads,
           line->shared_bytes);
    if (strcmp(device->info.device, "sim") == 0) {
        const struct ledger *const ledger = &sim_machine(device)->ledger;

        print_traffic(ledger, SIMT_LOAD);
        print_traffic(ledger, SIMT_STORE);
        device->verbs->ledger_reset(device);
    }
    printf("\n");
}

/* ---- Sorting -------------------------------------------------------------- */

/* The device's own verbs, and what the wrapped launch needs. */
static struct {
    const struct device_verbs *verbs;
    struct launch_line line;
} inner;

/* Launch and print. */
static mw_status printing_launch(struct device *device, const struct launch *launch)
{
    static const char *const names[] = {
#define KERNEL_ROW(id, name, args, program, memory) #name,
#include "kernels/kernels.def"
#undef KERNEL_ROW
    };
    struct launch_line line = inner.line;
    const mw_status status = inner.verbs->launch(device, launch);

    line.kernel = names[launch->kernel];
    line.blocks = launch->blocks;
    line.threads = launch->threads;
    line.shared_bytes = launch->shared_bytes;
    if (status == MW_OK)
        print_launch(device, &line);
    return status;
}

/* Sort `keys` and check the result; each launch is printed. */
static int sort_keys(mw_context *context, mw_type type, void *keys, uint64_t count)
{
    struct device_verbs wrapped = *backend_device(context->backend)->verbs;
    struct kit_fingerprint before = {0, 0};
    struct kit_fingerprint after = {0, 0};
    mw_status status;

    inner.verbs = backend_device(context->backend)->verbs;
    wrapped.launch = printing_launch;
    backend_device(context->backend)->verbs = &wrapped;
    kit_fingerprint_add(&before, type, keys, count);
    status = mw_sort(context, type, MW_ASCENDING, keys, count);
    backend_device(context->backend)->verbs = inner.verbs;
    if (status != MW_OK)
        return complain(mw_error(context));
    kit_fingerprint_add(&after, type, keys, count);
    if (!kit_fingerprint_equal(before, after) ||
        kit_first_disorder(type, MW_ASCENDING, keys, count) != count)
        return complain("the sort was wrong");
    return 0;
}

/* Make the input and sort it by each engine of the list, which is cut at its commas. */
static int sort_by_each(mw_context *context, char *engines, mw_type type, const char *shape,
                        void *keys, uint64_t count)
{
    static const char *const names[] = {"auto", "heap", "tile", "pair", "tally"};
    int result = 0;

    for (char *name = strtok(engines, ","); name && !result; name = strtok(NULL, ",")) {
        mw_tuning tuning = MW_TUNING_INIT;

        for (int i = 1; i < 5; i++)
            tuning.engine = strcmp(name, names[i]) ? tuning.engine : (mw_engine)i;
        if (tuning.engine == MW_ENGINE_AUTO)
            return complain("engines are heap, tile, pair and tally");
        if (mw_set_tuning(context, &tuning) != MW_OK)
            return complain(mw_error(context));
        if (kit_fill(type, shape, 1, keys, count) != MW_OK)
            return complain("no such shape");
        result = sort_keys(context, type, keys, count);
    }
    return result;
}

static int run_sort(mw_context *context, int argc, char **argv)
{
    uint64_t processors = 0;
    uint64_t count;
    mw_type type;
    void *keys;
    int result;

    if (argc < 4 || argc > 5 || mw_type_parse(argv[0], &type) != MW_OK ||
        kit_parse_count(argv[1], &count) || count == 0 ||
        (argc > 4 && kit_parse_count(argv[4], &processors)))
        return complain("sort needs a type, a count, a shape and an engine");
    if (processors > 0)
        backend_device(context->backend)->info.processors = (uint32_t)processors;
    keys = malloc(count * mw_type_size(type));
    if (!keys)
        return complain("no memory for the keys");
    inner.line = (struct launch_line){.type = argv[0], .input = argv[2], .count = count};
    result = sort_by_each(context, argv[3], type, argv[2], keys, count);
    free(keys);
    return result;
}

/* ---- Micro-kernels -------------------------------------------------------- */

/* clang-format off */
#define OF_SIZE(bits)                                                                    \
    extern const struct simt_kernel simt_shared_load_##bits, simt_shared_store_##bits,   \
        simt_global_load_##bits, simt_global_store_##bits;
OF_SIZE(8) OF_SIZE(16) OF_SIZE(32) OF_SIZE(64) OF_SIZE(128)
#undef OF_SIZE

/* By kernel, then by size. */
static const struct simt_kernel *const simulated[MICRO_KERNELS][5] = {
#define OF_KERNEL(name)                                                                  \
    {&simt_##name##_8, &simt_##name##_16, &simt_##name##_32, &simt_##name##_64,          \
     &simt_##name##_128}
    OF_KERNEL(shared_load), OF_KERNEL(shared_store),
    OF_KERNEL(global_load), OF_KERNEL(global_store)
#undef OF_KERNEL
};
/* clang-format on */

static mw_status micro_sim_run(struct device *device, const struct micro_case *c,
                               uint32_t shared_bytes, const struct micro_args *args)
{
    const struct machine_launch launch = {
        .kernel = simulated[c->kernel][__builtin_ctz((unsigned)c->bytes)],
        .blocks = 1,
        .threads = 32 * (uint32_t)c->warps,
        .shared_bytes = shared_bytes,
        .args = args,
        .args_bytes = sizeof *args};

    return sim_launch_function(device, &launch);
}

/* Cells of one warp: up to the last that a lane reaches, rounded up to all banks. */
static int cells_of(const struct micro_case *c)
{
    const int turn = 128 / c->bytes;
    int most = 0;

    for (int lane = 0; lane < PATTERN_LANES; lane++)
        most = c->places[lane] > most ? c->places[lane] : most;
    return (most / turn + 1) * turn;
}

/* Memory of the micro-kernels, room for every case: in, out and places. */
static mw_status micro_alloc(struct device *device, void *memory[3])
{
    const uint64_t bytes = UINT64_C(16) * 8 * 2 * PATTERN_MOST_CELLS;
    void *const zeros = calloc(1, bytes);
    mw_status status;

    if (!zeros)
        return fail(device->error, MW_NO_MEMORY, "no memory for the cells");
    for (int i = 0; i < 3; i++)
        TRY(device->verbs->alloc(device, bytes, &memory[i]));
    TRY(device->verbs->upload(device, memory[0], zeros, bytes, NULL));
    TRY(device->verbs->wait(device, NULL));
done:
    free(zeros);
    return status;
}

static mw_status micro_run(struct device *device, struct micro_gpu *gpu,
                           void *const memory[3], const struct micro_case *c)
{
    const int cells = cells_of(c);
    const int shared = c->kernel == SHARED_LOAD || c->kernel == SHARED_STORE;
    const uint32_t shared_bytes = shared ? (uint32_t)(c->warps * cells * c->bytes) : 0;
    const struct micro_args args = {memory[0], memory[1], memory[2], cells, PATTERN_TURNS};
    char size[16];
    const struct launch_line line = {.kernel = micro_kernel_name(c->kernel),
                                     .type = size,
                                     .input = c->name,
                                     .count = PATTERN_TURNS,
                                     .blocks = 1,
                                     .threads = 32 * (uint32_t)c->warps,
                                     .shared_bytes = shared_bytes};
    mw_status status;

    snprintf(size, sizeof size, "%d byte%s", c->bytes, c->bytes > 1 ? "s" : "");
    TRY(device->verbs->upload(device, memory[2], c->places, sizeof c->places, NULL));
    if (gpu)
        TRY(micro_gpu_run(gpu, c, shared_bytes, &args));
    else
        TRY(micro_sim_run(device, c, shared_bytes, &args));
    print_launch(device, &line);
done:
    return status;
}

static int run_micro(mw_context *context, int argc, char **argv)
{
    struct device *const device = backend_device(context->backend);
    void *memory[3] = {NULL, NULL, NULL};
    struct micro_gpu *gpu = NULL;
    uint64_t first = 0;
    uint64_t last = UINT64_MAX;
    struct micro_case c;
    mw_status status;

    if ((argc > 0 && kit_parse_count(argv[0], &first)) ||
        (argc > 1 && kit_parse_count(argv[1], &last)))
        return complain("no such case");
    TRY(micro_alloc(device, memory));
    if (strcmp(device->info.device, "sim") != 0)
        TRY(micro_gpu_open(&gpu, device->error));
    for (uint64_t i = first; i <= last && micro_case((int)i, &c); i++)
        TRY(micro_run(device, gpu, memory, &c));
done:
    micro_gpu_close(gpu);
    for (int i = 3; i-- > 0;)
        device->verbs->free(device, memory[i]);
    return status == MW_OK ? 0 : complain(mw_error(context));
}

/* What a results file says about its machine. */
static int print_info(mw_context *context)
{
    const mw_info *const info = &context->backend->info;

    printf("name\t%s\ndriver\t%s\nprocessors\t%" PRIu32 "\narchitecture\t%" PRIu32 "\n",
           info->name, info->driver, info->processors, info->architecture);
    return 0;
}

int main(int argc, char **argv)
{
    const int sim = argc > 1 && strcmp(argv[1], "sim") == 0;
    mw_context *context = NULL;
    int result;

    if (argc < 3 || (!sim && strcmp(argv[1], "cuda") != 0))
        return complain("usage: calibrate sim|cuda micro|sort|info ...");
    if (mw_open(&context, argv[1], NULL) != MW_OK) {
        result = complain(mw_error(context));
    } else if (strcmp(argv[2], "info") == 0) {
        result = print_info(context);
    } else {
        print_head(sim);
        result = strcmp(argv[2], "micro") == 0  ? run_micro(context, argc - 3, argv + 3)
                 : strcmp(argv[2], "sort") == 0 ? run_sort(context, argc - 3, argv + 3)
                                                : complain("micro, sort or info");
    }
    mw_close(context);
    return result;
}
