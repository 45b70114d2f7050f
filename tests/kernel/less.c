/*
 * less.c - sorts by a comparison in the simulator: honest comparisons give the stable
 * order, others some permutation, and nothing beside the arrays is written.
 */
#include "fixture.h"

#include "less.h"

enum { GUARD = 64 };

static uint64_t calls; /* of the comparison that answers at random */

static uint32_t value_of(const void *row)
{
    uint32_t value = *(const unsigned char *)row;

    return value;
}

static int by_first_byte(const void *a, const void *b)
{
    return value_of(a) < value_of(b);
}

static int descending(const void *a, const void *b)
{
    return value_of(a) > value_of(b);
}

static int equal(const void *a, const void *b)
{
    (void)a, (void)b;
    return 0;
}

static int at_most(const void *a, const void *b)
{
    return value_of(a) <= value_of(b);
}

static int always(const void *a, const void *b)
{
    (void)a, (void)b;
    return 1;
}

static int at_random(const void *a, const void *b)
{
    (void)a, (void)b;
    return kit_mix(++calls) & 1;
}

/* Rock, paper, scissors: no cycle of three has an order. */
static int in_circles(const void *a, const void *b)
{
    return (value_of(b) + 256 - value_of(a)) % 256 < 128;
}

static const struct comparison {
    const char *name;
    int (*less)(const void *a, const void *b);
    int honest;
} comparisons[] = {
    {"by a byte",  by_first_byte, 1},
    {"descending", descending,    1},
    {"all equal",  equal,         1},
    {"<=",         at_most,       0},
    {"always",     always,        0},
    {"random",     at_random,     0},
    {"circular",   in_circles,    0},
};

/* What to sort: rows, one column of values, positions, in place or not. */
struct job {
    uint32_t bytes;
    uint64_t count;
    uint32_t value_bytes; /* 0: no column */
    uint32_t position_bytes;
    int apart; /* to other arrays */
    uint32_t shift;
    uint32_t threads, items; /* 0: as tuned */
};

/* The arrays of a job on the device, and a copy of its input. */
struct arrays {
    unsigned char *in[2];
    unsigned char *out[2];
    unsigned char *copy[2];
    unsigned char *positions;
};

static unsigned char *guarded(struct fixture *f, uint64_t bytes, uint32_t shift)
{
    unsigned char *const memory = fixture_array(f, bytes + 2 * GUARD + shift);

    memset(memory, 0xa5, bytes + 2 * GUARD + shift);
    return memory + GUARD + shift;
}

static int guards_stand(const unsigned char *array, uint64_t bytes)
{
    int stand = 1;

    for (int i = 1; i <= GUARD; i++)
        stand &= array[-i] == 0xa5 && array[bytes + (uint64_t)i - 1] == 0xa5;
    return stand;
}

/* Rows end with their number, as far as there is room; so do values. */
static void fill(struct fixture *f, const struct job *job, struct arrays *a)
{
    const uint32_t bytes[2] = {job->bytes, job->value_bytes};

    for (int c = 0; c < 2 && bytes[c]; c++) {
        const uint64_t size = job->count * bytes[c];

        a->in[c] = guarded(f, size, job->shift);
        a->out[c] = job->apart ? guarded(f, size, job->shift) : a->in[c];
        for (uint64_t i = 0; i < size; i++)
            a->in[c][i] = (unsigned char)fixture_random(f, i % bytes[c] ? 256 : 40);
        a->copy[c] = malloc(size + 1);
        memcpy(a->copy[c], a->in[c], size);
    }
    if (job->position_bytes)
        a->positions = guarded(f, job->count * job->position_bytes, 0);
}

static uint64_t position(const struct job *job, const struct arrays *a, uint64_t i)
{
    if (job->position_bytes == 8)
        return ((const uint64_t *)(const void *)a->positions)[i];
    return ((const uint32_t *)(const void *)a->positions)[i];
}

static const struct arrays *compared; /* by the two functions below */
static const struct job *comparing;
static int (*compare_less)(const void *a, const void *b);

static int compare(const void *x, const void *y)
{
    const uint64_t i = *(const uint64_t *)x;
    const uint64_t j = *(const uint64_t *)y;
    const unsigned char *const a = compared->copy[0] + i * comparing->bytes;
    const unsigned char *const b = compared->copy[0] + j * comparing->bytes;

    if (compare_less(a, b) || compare_less(b, a))
        return compare_less(a, b) ? -1 : 1;
    return i < j ? -1 : i > j;
}

/* The rows in their stable order, by qsort with their positions. */
static int is_stable_order(const struct job *job, const struct arrays *a,
                           int (*less)(const void *a, const void *b))
{
    const uint32_t bytes[2] = {job->bytes, job->value_bytes};
    uint64_t *const order = malloc((job->count + 1) * sizeof *order);
    int right = 1;

    for (uint64_t i = 0; i < job->count; i++)
        order[i] = i;
    compared = a;
    comparing = job;
    compare_less = less;
    qsort(order, job->count, sizeof *order, compare);
    for (uint64_t i = 0; i < job->count; i++) {
        for (int c = 0; c < 2 && bytes[c]; c++)
            right &= memcmp(a->out[c] + i * bytes[c], a->copy[c] + order[i] * bytes[c],
                            bytes[c]) == 0;
        right &= !job->position_bytes || position(job, a, i) == order[i];
    }
    free(order);
    return right;
}

static uint64_t fingerprint(const unsigned char *rows, uint64_t count, uint32_t bytes)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint64_t hash = 0;

        for (uint32_t j = 0; j < bytes; j++)
            hash = kit_mix(hash + rows[i * bytes + j] + 1);
        sum += hash;
    }
    return sum;
}

/* The same rows as before, in any sequence, and positions that fit. */
static int is_permutation(const struct job *job, const struct arrays *a)
{
    const uint32_t bytes[2] = {job->bytes, job->value_bytes};
    int right = 1;

    for (int c = 0; c < 2 && bytes[c]; c++)
        right &= fingerprint(a->out[c], job->count, bytes[c]) ==
                 fingerprint(a->copy[c], job->count, bytes[c]);
    for (uint64_t i = 0; job->position_bytes && i < job->count; i++)
        right &= position(job, a, i) < job->count &&
                 memcmp(a->out[0] + i * job->bytes,
                        a->copy[0] + position(job, a, i) * job->bytes, job->bytes) == 0;
    return right;
}

static int sorts(struct fixture *f, const struct job *job, const struct comparison *by)
{
    struct arrays a = {{NULL}, {NULL}, {NULL}, NULL};
    const uint32_t bytes[2] = {job->bytes, job->value_bytes};
    struct request request = {.count = job->count,
                              .column_count = job->value_bytes ? 2 : 1,
                              .position_bytes = job->position_bytes,
                              .in_place = !job->apart,
                              .with_data = 1,
                              .column_size = sizeof(mw_column)};
    const mw_tuning wish = {.threads = job->threads, .items = job->items};
    struct less_plan plan;
    mw_column in, out;
    uint64_t workspace_bytes = 0;
    unsigned char *workspace;
    mw_status status;
    int right;

    fill(f, job, &a);
    in = (mw_column){a.in[1], job->value_bytes};
    out = (mw_column){a.out[1], job->value_bytes};
    request.in = (mw_table){a.in[0], job->count, &in, job->value_bytes != 0};
    request.out = (mw_table){a.out[0], job->count, &out, job->value_bytes != 0};
    request.positions = a.positions;
    request.order.element_bytes = job->bytes;
    request.order.less_on_host = by->less;
    TRY(less_prepare(f->device, &request, &wish, &workspace_bytes));
    workspace = fixture_array(f, workspace_bytes + 1);
    TRY(less_plan(&plan, &request, &wish, &f->device->info, &f->error));
    TRY(less_enqueue(f->device, &request, &plan, workspace, NULL, NULL));
done:
    if (status != MW_OK)
        tap_note("%s", f->error.text);
    right = status == MW_OK &&
            (by->honest ? is_stable_order(job, &a, by->less) : is_permutation(job, &a));
    for (int c = 0; c < 2 && bytes[c]; c++) {
        right &= guards_stand(a.in[c], job->count * bytes[c]) &&
                 guards_stand(a.out[c], job->count * bytes[c]);
        right &= !job->apart || memcmp(a.in[c], a.copy[c], job->count * bytes[c]) == 0;
        free(a.copy[c]);
    }
    fixture_clear(f);
    return right;
}

/* Do the cuts of every round fit where the plan has room for them? */
static int cuts_fit(const struct less_plan *plan)
{
    const uint64_t room = (plan->flags_offset - plan->cuts_offset) / sizeof(wide);
    uint64_t runs = plan->rounds ? plan->round[0].groups * plan->round[0].ways : 0;
    int fit = 1;

    for (uint32_t i = 0; i < plan->rounds; i++) {
        const struct less_plan_round *const r = &plan->round[i];

        fit &= r->groups * (r->pieces + 1) * r->ways <= room && r->ways >= 2 &&
               r->ways <= LESS_MOST_WAYS && r->groups <= plan->flag_count &&
               r->tile <= plan->merge_tile;
        fit &= (runs + r->ways - 1) / r->ways >= r->groups;
        runs = r->groups;
    }
    return fit && (!plan->rounds || runs == 1);
}

/* One preparation serves every smaller count. */
static void test_plans(struct tap *tap, struct fixture *f)
{
    static const uint32_t bytes[] = {3, 8, 16, 40};
    const mw_tuning wish = {.threads = 0};
    struct less_plan plan;
    int right = 1;

    for (int i = 0; i < 400; i++) {
        const uint64_t most = fixture_random(f, UINT64_C(1) << (4 + i % 28)) + 1;
        struct request request = {.count = most, .column_count = 1, .in_place = 1};
        uint64_t prepared = 0;

        request.order.element_bytes = bytes[i % 4];
        request.order.less_on_host = by_first_byte;
        right &= less_prepare(f->device, &request, &wish, &prepared) == MW_OK;
        right &= prepared <= most * (bytes[i % 4] * 5 / 4 + 4) + 65536;
        for (int j = 0; j < 20; j++) {
            request.count = j ? fixture_random(f, most) + 1 : most;
            right &=
                less_plan(&plan, &request, &wish, &f->device->info, &f->error) == MW_OK &&
                plan.workspace_bytes <= prepared && cuts_fit(&plan);
        }
    }
    tap_ok(tap, right, "a preparation covers every smaller count", f->error.text);
}

/* A check finds the first row that comes before the row ahead of it. */
static void test_check(struct tap *tap, struct fixture *f)
{
    enum { COUNT = 5000, BYTES = 3 };
    unsigned char *const rows = fixture_array(f, COUNT * BYTES);
    uint64_t *const answer = fixture_array(f, sizeof *answer);
    uint64_t *const least = fixture_array(f, 4096);
    const mw_tuning wish = {.threads = 0};
    int right = 1;

    for (uint64_t wrong = 0; wrong <= COUNT; wrong += 625) {
        struct request request = {
            .operation = MW_CHECK,
            .count = COUNT,
            .column_count = 1,
            .with_data = 1,
            .cuts = answer,
            .in = {rows, COUNT, NULL, 0}
        };
        struct less_plan plan;

        for (uint64_t i = 0; i < COUNT; i++)
            rows[i * BYTES] = (unsigned char)(i < wrong || !wrong ? 7 : i == wrong ? 6 : 1);
        request.order.element_bytes = BYTES;
        request.order.less_on_host = by_first_byte;
        right &= less_plan(&plan, &request, &wish, &f->device->info, &f->error) == MW_OK &&
                 plan.workspace_bytes <= 4096 &&
                 less_enqueue(f->device, &request, &plan, least, NULL, NULL) == MW_OK &&
                 *answer == (wrong ? wrong : COUNT);
    }
    tap_ok(tap, right, "a check finds the first row out of order", f->error.text);
    fixture_clear(f);
}

void test_less(struct tap *tap, struct fixture *f)
{
    /* clang-format off */
    static const struct job jobs[] = {
        {16, 0, 0, 0, 0, 0, 0, 0},         {16, 1, 0, 0, 0, 0, 0, 0},
        {16, 4, 0, 0, 1, 0, 0, 0},         {16, 5, 0, 0, 0, 0, 0, 0},
        {16, 11, 0, 0, 0, 0, 0, 0},        {16, 1279, 0, 0, 0, 0, 0, 0},
        {16, 1280, 0, 0, 1, 0, 0, 0},      {16, 1281, 0, 0, 0, 0, 0, 0},
        {16, 4608, 0, 0, 0, 0, 0, 0},      {16, 2500, 0, 0, 0, 0, 256, 5},
        {16, 4609, 0, 0, 0, 0, 0, 0},      {16, 10007, 0, 0, 1, 8, 0, 0},
        {16, 20481, 0, 0, 0, 0, 0, 0},     {16, 14, 0, 0, 0, 0, 128, 27},
        {16, 3455, 0, 0, 0, 0, 128, 27},   {16, 3456, 0, 0, 0, 0, 128, 27},
        {16, 3457, 0, 0, 1, 0, 128, 27},   {16, 55297, 0, 0, 0, 0, 128, 27},
        {1, 9000, 0, 0, 0, 0, 256, 17},    {4, 9000, 0, 0, 1, 0, 0, 0},
        {6, 5000, 0, 0, 0, 0, 256, 15},    {8, 12000, 0, 0, 0, 0, 0, 0},
        {12, 7001, 0, 0, 0, 4, 128, 27},   {13, 4001, 0, 0, 0, 1, 0, 0},
        {17, 9001, 0, 0, 0, 0, 256, 17},   {100, 7000, 0, 4, 1, 0, 0, 0},
        {4, 7000, 5, 8, 0, 0, 256, 17},    {3, 20000, 40, 0, 0, 1, 0, 0},
    };
    /* clang-format on */

    for (size_t i = 0; i < COUNT_OF(jobs); i++) {
        const struct job *const job = &jobs[i];
        int honest = 1;
        int others = 1;

        for (size_t k = 0; k < COUNT_OF(comparisons); k++) {
            if (comparisons[k].honest)
                honest &= sorts(f, job, &comparisons[k]);
            else
                others &= sorts(f, job, &comparisons[k]);
        }
        tap_case(tap, honest,
                 "%llu rows of %u bytes, %u of values, %u of positions: stable",
                 (unsigned long long)job->count, job->bytes, job->value_bytes,
                 job->position_bytes);
        tap_case(tap, others, "... and a permutation by comparisons that are no order");
    }
    test_plans(tap, f);
    test_check(tap, f);
}
