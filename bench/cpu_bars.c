/*
 * cpu_bars.c - one task of the CPU beside its rivals, in one process, on the same data.
 *
 *   multiway-cpu-bars TASK SHAPE COUNT DEVICE TRIALS [LIBRARY...]
 *
 * Everyone takes turns, on a fresh copy of the data; medians count. Prints a line for each:
 * task, shape, count, device, contestant, milliseconds, ratio to ours, verdict. A library
 * that is the name of a device (cpu:1) is Multiway again, on that device.
 */
#include "kit.h"
#include "rivals/cpu_rivals.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RIVALS_MOST = 32, TRIALS_MOST = 101, LISTS = 64, SELECTED = 1000, ALIGNED = 1 << 21 };

/* The tasks, and how large their elements are. */
static const struct task {
    const char *name;
    mw_type type; /* of keys; of records, the first 8 bytes */
    uint32_t bytes;
    enum { KEYS, ARGSORT, PAIRS, RECORDS, MERGE, TOP } kind;
} tasks[] = {
    {"keys-u32",    MW_U32, 4,   KEYS   },
    {"keys-u64",    MW_U64, 8,   KEYS   },
    {"keys-f32",    MW_F32, 4,   KEYS   },
    {"keys-f64",    MW_F64, 8,   KEYS   },
    {"argsort-u32", MW_U32, 4,   ARGSORT},
    {"argsort-u64", MW_U64, 8,   ARGSORT},
    {"pairs-4",     MW_U32, 8,   PAIRS  },
    {"pairs-8",     MW_U64, 16,  PAIRS  },
    {"records-16",  MW_U64, 16,  RECORDS},
    {"records-100", MW_U64, 100, RECORDS},
    {"merge-u64",   MW_U64, 8,   MERGE  },
    {"top-u32",     MW_U32, 4,   TOP    },
};

struct contestant {
    char name[96];
    void (*run)(struct cpu_work *work);
    mw_context *context; /* or NULL: a rival */
    double ms[TRIALS_MOST];
    int is_right;
};

struct bench {
    const struct task *task;
    const char *shape;
    uint64_t count;  /* of one input */
    uint64_t inputs; /* short inputs are repeated */
    int trials;
    unsigned char *input;
    unsigned char *data;
    unsigned char *out;
    unsigned char *columns[2]; /* pairs of ours: keys, values */
    struct contestant all[RIVALS_MOST];
    int contestants;
};

static void *room(uint64_t bytes)
{
    void *const made = aligned_alloc(ALIGNED, (bytes / ALIGNED + 1) * ALIGNED);

    if (!made)
        exit(2);
    memset(made, 0, bytes); /* touched before the clock runs */
    return made;
}

/* ---- Data -------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

/* Keys of the kit's shapes, or two of our own. */
static int fill_keys(mw_type type, const char *shape, uint64_t seed, void *keys,
                     uint64_t count)
{
    const int is_zipf = strcmp(shape, "zipf") == 0;

    if (strcmp(shape, "tail") == 0) { /* sorted, but for the last tenth */
        const uint64_t sorted = count - count / 10;

        return kit_fill(type, "sorted", seed, keys, sorted) == MW_OK &&
               kit_fill(type, "random", seed,
                        (unsigned char *)keys + sorted * mw_type_size(type),
                        count - sorted) == MW_OK;
    }
    if (!is_zipf)
        return kit_fill(type, shape, seed, keys, count) == MW_OK;
    for (uint64_t i = 0; i < count; i++) { /* rank r with a probability of about 1 / r */
        const double chance = (double)(mixed(seed * count + i + 1) >> 11) * 0x1p-53;
        const uint64_t value = mixed((uint64_t)exp(chance * log(1 << 20)));

        if (mw_type_size(type) == 4)
            ((uint32_t *)keys)[i] = (uint32_t)(value >> 34);
        else
            ((uint64_t *)keys)[i] = value >> 2;
    }
    return 1;
}

/* Records: the key first, in pairs of rivals last, and the position in the rest. */
static void spread_keys(const struct bench *b, const unsigned char *keys)
{
    const size_t size = mw_type_size(b->task->type);
    const size_t bytes = b->task->bytes;

    for (uint64_t i = 0; i < b->count; i++) {
        unsigned char *const to = b->input + i * bytes;

        if (b->task->kind == PAIRS) {
            memcpy(to, &i, size);
            memcpy(to + size, keys + i * size, size);
            memcpy(b->columns[0] + i * size, keys + i * size, size);
            memcpy(b->columns[1] + i * size, &i, size);
        } else {
            memcpy(to, keys + i * size, size);
            memcpy(to + bytes - 4, &i, 4);
        }
    }
}

static int prepare(struct bench *b)
{
    const struct task *const t = b->task;
    const size_t size = mw_type_size(t->type);
    const uint64_t all = b->inputs * b->count;
    unsigned char *const keys = t->bytes == size ? NULL : room(b->count * size);
    int is_right = 1;

    b->input = room(all * t->bytes);
    b->data = room(all * t->bytes);
    b->out = room(all * 8);
    b->columns[0] = room(2 * b->count * size);
    b->columns[1] = room(2 * b->count * size);
    for (uint64_t i = 0; i < b->inputs && !keys; i++)
        is_right &= fill_keys(t->type, b->shape, 1 + i, b->input + i * b->count * size,
                              b->count);
    if (keys) {
        is_right = fill_keys(t->type, b->shape, 1, keys, b->count);
        spread_keys(b, keys);
        free(keys);
    }
    for (uint64_t i = 0; t->kind == MERGE && is_right && i < LISTS; i++) {
        mw_context *context;

        is_right = mw_open(&context, "cpu:1", NULL) == MW_OK &&
                   mw_sort(context, t->type, MW_ASCENDING,
                           b->input + i * (b->count / LISTS) * size,
                           b->count / LISTS) == MW_OK;
        mw_close(context);
    }
    return is_right;
}

/* ---- Ours -------------------------------------------------------------------------- */

static mw_status run_records(mw_context *context, const struct bench *b)
{
    const mw_field field = {.type = b->task->bytes == 16 ? MW_U64 : MW_BYTES,
                            .bytes = b->task->bytes == 16 ? 0 : 10};
    mw_order order = MW_ORDER_INIT;

    order.element_bytes = b->task->bytes;
    order.fields = &field;
    order.field_count = 1;
    return mw_sort_records(context, &order, b->data, b->count);
}

static mw_status run_merge(mw_context *context, const struct bench *b)
{
    const void *lists[LISTS];
    uint64_t counts[LISTS];

    for (uint64_t i = 0; i < LISTS; i++) {
        counts[i] = b->count / LISTS;
        lists[i] = b->data + i * counts[i] * 8;
    }
    return mw_merge(context, b->task->type, MW_ASCENDING, lists, counts, LISTS, b->out);
}

static mw_status run_top(mw_context *context, const struct bench *b)
{
    const mw_table in = {.elements = b->data, .count = b->count};
    const mw_table out = {.elements = b->out, .count = SELECTED};
    mw_job job = MW_JOB_INIT;

    job.operation = MW_SELECT;
    job.order = mw_order_of(b->task->type, MW_ASCENDING);
    job.in = &in;
    job.out = &out;
    job.last = SELECTED;
    return mw_run(context, &job);
}

static mw_status run_ours(mw_context *context, const struct bench *b)
{
    const struct task *const t = b->task;
    unsigned char *const keys = b->columns[0] + b->count * mw_type_size(t->type);
    unsigned char *const values = b->columns[1] + b->count * mw_type_size(t->type);
    mw_status status = MW_OK;

    switch (t->kind) {
    case KEYS:
        for (uint64_t i = 0; i < b->inputs && status == MW_OK; i++)
            status = mw_sort(context, t->type, MW_ASCENDING,
                             b->data + i * b->count * t->bytes, b->count);
        return status;
    case ARGSORT:
        return mw_argsort(context, t->type, MW_ASCENDING, b->data, b->out, MW_U64,
                          b->count);
    case PAIRS:
        return mw_sort_pairs(context, t->type, MW_ASCENDING, keys, values,
                             (uint32_t)mw_type_size(t->type), b->count);
    case RECORDS:
        return run_records(context, b);
    case MERGE:
        return run_merge(context, b);
    default:
        return run_top(context, b);
    }
}

/* ---- Results -------------------------------------------------------------------------- */

/* Row `i` of a result: its key, and its position in the input if it has one. */
static const unsigned char *result_at(const struct bench *b, int is_ours, uint64_t i,
                                      uint64_t *position)
{
    const struct task *const t = b->task;
    const size_t size = mw_type_size(t->type);

    *position = 0;
    switch (t->kind) {
    case ARGSORT:
        memcpy(position, b->out + i * 8, 8);
        return b->input + *position * size;
    case PAIRS:
        memcpy(position, is_ours ? b->columns[1] + (b->count + i) * size
                                 : b->data + i * t->bytes, size);
        return is_ours ? b->columns[0] + (b->count + i) * size
                       : b->data + i * t->bytes + size;
    case RECORDS:
        memcpy(position, b->data + (i + 1) * t->bytes - 4, 4);
        return b->data + i * t->bytes;
    case MERGE:
        return b->out + i * size;
    case TOP:
        return (is_ours ? b->out : b->data) + i * size;
    default:
        return b->data + i * size;
    }
}

/* In order, every position once; ours in their order where keys are equal. */
static int is_right(const struct bench *b, int is_ours)
{
    const struct task *const t = b->task;
    const int has_positions = t->kind == ARGSORT || t->kind == PAIRS || t->kind == RECORDS;
    const uint64_t rows = t->kind == TOP ? SELECTED : b->count;
    uint64_t sum = 0;
    uint64_t before;
    int right = 1;

    for (uint64_t i = 0; i < rows; i++) {
        uint64_t position;
        const unsigned char *const row = result_at(b, is_ours, i, &position);
        const unsigned char *const last = i ? result_at(b, is_ours, i - 1, &before) : row;
        const int order = t->bytes == 100
                              ? memcmp(last, row, 10)
                              : kit_compare(t->type, MW_ASCENDING, last, row);

        right &= order <= 0;
        right &= !(i && has_positions && is_ours && order == 0 && position <= before);
        sum += mixed(position + 1) - mixed(i + 1);
    }
    if (has_positions)
        return right && sum == 0;

    struct kit_fingerprint was = {0, 0}, is = {0, 0};

    kit_fingerprint_add(&was, t->type, b->input, b->count);
    kit_fingerprint_add(&is, t->type, t->kind == MERGE ? b->out : b->data, b->count);
    return right && (t->kind == TOP || kit_fingerprint_equal(was, is));
}

static void run_once(struct bench *b, struct contestant *c, int trial)
{
    const struct task *const t = b->task;
    const size_t half = b->count * mw_type_size(t->type);
    struct cpu_work work = {.count = b->count, .out = b->out, .lists = LISTS,
                            .selected = SELECTED, .threads = 1};
    double began;

    memcpy(b->data, b->input, b->inputs * b->count * t->bytes);
    memcpy(b->columns[0] + half, b->columns[0], half);
    memcpy(b->columns[1] + half, b->columns[1], half);
    for (uint64_t i = 0; t->kind == ARGSORT && i < b->count; i++)
        memcpy(b->out + i * 8, &i, 8);
    sscanf(b->all[0].name, "multiway cpu:%u", &work.threads);
    began = 1e3 * kit_seconds();
    if (c->context)
        c->is_right = run_ours(c->context, b) == MW_OK;
    else
        for (uint64_t i = 0; i < b->inputs; i++) {
            work.keys = b->data + i * b->count * t->bytes;
            c->run(&work);
        }
    c->ms[trial] = (1e3 * kit_seconds() - began) / (double)b->inputs;
    if (trial == 0)
        c->is_right = (!c->context || c->is_right) && is_right(b, c->context != NULL);
}

static int by_time(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* ---- Contestants ------------------------------------------------------------------------ */

static void add_ours(struct bench *b, const char *device)
{
    struct contestant *const c = &b->all[b->contestants++];

    snprintf(c->name, sizeof c->name, "multiway %s", device);
    if (mw_open(&c->context, device, NULL) != MW_OK)
        exit(2);
}

static void add_library(struct bench *b, const char *path)
{
    void *const library = dlopen(path, RTLD_NOW);
    const char *const slash = strrchr(path, '/');
    const struct cpu_rival *(*const get)(size_t *) =
        library ? (const struct cpu_rival *(*)(size_t *))dlsym(library, "cpu_rivals") : NULL;
    size_t count = 0;
    const struct cpu_rival *const list = get ? get(&count) : NULL;

    if (!list)
        fprintf(stderr, "%s: %s\n", path, dlerror());
    for (size_t i = 0; i < count && b->contestants < RIVALS_MOST; i++) {
        struct contestant *const c = &b->all[b->contestants];

        if (strcmp(list[i].task, b->task->name) != 0)
            continue;
        snprintf(c->name, sizeof c->name, "%s by %s", list[i].name,
                 slash ? slash + 1 : path);
        c->run = list[i].run;
        b->contestants++;
    }
}

static const struct task *find_task(const char *name)
{
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++)
        if (strcmp(tasks[i].name, name) == 0)
            return &tasks[i];
    return NULL;
}

int main(int argc, char **argv)
{
    static struct bench b;

    b.task = argc > 5 ? find_task(argv[1]) : NULL;
    if (!b.task || kit_parse_count(argv[3], &b.count) || b.count < LISTS) {
        fprintf(stderr, "usage: multiway-cpu-bars TASK SHAPE COUNT DEVICE TRIALS "
                        "[LIBRARY...]\n");
        return 2;
    }
    b.shape = argv[2];
    b.trials = atoi(argv[5]);
    b.trials = b.trials < 1 ? 1 : b.trials > TRIALS_MOST ? TRIALS_MOST : b.trials;
    b.inputs = b.task->kind == KEYS && b.count < 1 << 18 ? (1 << 18) / b.count : 1;
    add_ours(&b, argv[4]);
    for (int i = 6; i < argc; i++)
        if (strncmp(argv[i], "cpu:", 4) == 0)
            add_ours(&b, argv[i]);
        else
            add_library(&b, argv[i]);
    if (!prepare(&b))
        return 2;
    for (int trial = 0; trial < b.trials; trial++)
        for (int i = 0; i < b.contestants; i++)
            run_once(&b, &b.all[i], trial);
    for (int i = 0; i < b.contestants; i++) {
        struct contestant *const c = &b.all[i];

        qsort(c->ms, (size_t)b.trials, sizeof c->ms[0], by_time);
        printf("%s\t%s\t%llu\t%s\t%s\t%.4f\t%.3f\t%s\n", b.task->name, b.shape,
               (unsigned long long)b.count, argv[4], c->name, c->ms[b.trials / 2],
               c->ms[b.trials / 2] / b.all[0].ms[b.trials / 2],
               c->is_right ? "ok" : "wrong");
    }
    return 0;
}
