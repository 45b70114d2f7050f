/*
 * cpu_bars.c - one task of the CPU beside its rivals, in one process, on the same data.
 *
 *   multiway-cpu-bars TASK SHAPE COUNT DEVICE TRIALS [LIBRARY...]
 *
 * Everyone takes turns, on a fresh copy of the data; medians count. Prints a line for each:
 * task, shape, count, device, contestant, milliseconds, ratio to ours, verdict. A library
 * that is the name of a device (cpu:1) is Multiway again, on that device; one may also be
 * another build of libmultiway.so.
 */
#include "cpu_bars.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct task tasks[] = {
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

static mw_status run_ours(const struct contestant *c, const struct bench *b)
{
    mw_context *const context = c->context;
    const struct task *const t = b->task;
    unsigned char *const keys = b->columns[0] + b->count * mw_type_size(t->type);
    unsigned char *const values = b->columns[1] + b->count * mw_type_size(t->type);
    mw_status status = MW_OK;

    switch (t->kind) {
    case KEYS:
        for (uint64_t i = 0; i < b->inputs && status == MW_OK; i++)
            status = c->sort(context, t->type, MW_ASCENDING,
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

/* ---- Running ------------------------------------------------------------------------- */

static void run_once(struct bench *b, struct contestant *c, int trial)
{
    const struct task *const t = b->task;
    const size_t half = b->count * mw_type_size(t->type);
    struct cpu_work work = {.count = b->count,
                            .out = b->out,
                            .lists = LISTS,
                            .selected = SELECTED,
                            .threads = 1};
    double began;

    memcpy(b->data, b->input, b->inputs * b->count * t->bytes);
    memcpy(b->columns[0] + half, b->columns[0], half);
    memcpy(b->columns[1] + half, b->columns[1], half);
    for (uint64_t i = 0; t->kind == ARGSORT && i < b->count; i++)
        memcpy(b->out + i * 8, &i, 8);
    sscanf(b->all[0].name, "multiway cpu:%u", &work.threads);
    began = 1e3 * kit_seconds();
    if (c->context)
        c->is_right = run_ours(c, b) == MW_OK;
    else
        for (uint64_t i = 0; i < b->inputs; i++) {
            work.keys = b->data + i * b->count * t->bytes;
            c->run(&work);
        }
    c->ms[trial] = (1e3 * kit_seconds() - began) / (double)b->inputs;
    if (trial == 0)
        c->is_right = (!c->context || c->is_right) && bench_is_right(b, c->context != NULL);
}

static int by_time(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* ---- Contestants ------------------------------------------------------------------------
 */

static void add_ours(struct bench *b, const char *device)
{
    struct contestant *const c = &b->all[b->contestants++];

    snprintf(c->name, sizeof c->name, "multiway %s", device);
    c->sort = mw_sort;
    if (mw_open(&c->context, device, NULL) != MW_OK)
        exit(2);
}

/* Another build of Multiway: its mw_sort on one thread. */
static int add_build(struct bench *b, void *library, const char *name)
{
    struct contestant *const c = &b->all[b->contestants];
    mw_status (*const open)(mw_context **, const char *, const mw_options *) =
        (mw_status(*)(mw_context **, const char *, const mw_options *))dlsym(library,
                                                                             "mw_open");

    c->sort = (mw_status(*)(mw_context *, mw_type, mw_direction, void *, uint64_t))dlsym(
        library, "mw_sort");
    if (!open || !c->sort || b->task->kind != KEYS || open(&c->context, "cpu:1", NULL))
        return 0;
    snprintf(c->name, sizeof c->name, "%s", name);
    b->contestants++;
    return 1;
}

static void add_library(struct bench *b, const char *path)
{
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *const slash = strrchr(path, '/');
    const struct cpu_rival *(*const get)(size_t *) =
        library ? (const struct cpu_rival *(*)(size_t *))dlsym(library, "cpu_rivals")
                : NULL;
    size_t count = 0;
    const struct cpu_rival *const list = get ? get(&count) : NULL;

    if (!list && !(library && add_build(b, library, slash ? slash + 1 : path)))
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
    if (!bench_prepare(&b))
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
