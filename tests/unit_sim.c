/*
 * unit_sim.c - the simulator against kernels whose results and traffic are known.
 */
#include "kernel/fixture.h"
#include "sim_kernels/kernels.h"

static int is_shared(mw_traffic t, uint64_t requests, uint64_t paid, uint64_t ideal)
{
    return t.shared_requests == requests && t.shared_wavefronts == paid &&
           t.shared_ideal == ideal && t.global_requests == 0;
}

static int is_global(mw_traffic t, uint64_t requests, uint64_t paid, uint64_t ideal)
{
    return t.global_requests == requests && t.global_sectors == paid &&
           t.global_ideal == ideal && t.shared_requests == 0;
}

static void test_shuffles(struct tap *tap, struct fixture *f)
{
    enum { WARPS = 3 };
    unsigned *const out = fixture_array(f, WARPS * 32 * sizeof *out);
    const struct test_args args = {.out = out};
    uint64_t shuffles = 0;
    int right = RUN(f, shuffle_all, 1, WARPS * 32, 0, args) == MW_OK;

    for (int i = 0; i < WARPS * 32; i++)
        right &= out[i] == 1;
    tap_ok(tap, right, "shuffles and ballots bring the right values", "");
    for (size_t i = 0; i < 11; i++)
        shuffles += fixture_line(f, i).shuffles;
    tap_ok(tap, shuffles == 13 * WARPS, "shuffles and ballots are counted once a warp", "");
}

static void test_divergence(struct tap *tap, struct fixture *f)
{
    static const unsigned words[64] = {1, 2, 3, [40] = 9};
    void *const in = fixture_array(f, sizeof words);
    unsigned *const out = fixture_array(f, 32 * sizeof *out);
    const struct test_args args = {.in = in, .out = out};
    int right;

    memcpy(in, words, sizeof words);
    right = RUN(f, diverge, 1, 32, 0, args) == MW_OK;
    tap_ok(tap, right && out[0] == 2 && out[8] == 15, "diverging lanes compute", "");
    right = is_global(fixture_line(f, 0), 1, 2, 2) &&
            is_global(fixture_line(f, 1), 1, 2, 2) &&
            is_global(fixture_line(f, 2), 1, 4, 4);
    tap_ok(tap, right, "two sides of a branch are two requests, then lanes join", "");
    right =
        is_global(fixture_line(f, 3), 32, 32, 32) && is_global(fixture_line(f, 4), 1, 4, 4);
    tap_ok(tap, right, "a loop is as many requests as its longest lane", "");
}

/* The sum of 0 .. count - 1 in every block; true if it is right everywhere. */
static int reduces(struct fixture *f, int count, uint64_t blocks, uint32_t threads)
{
    unsigned *const in = fixture_array(f, (uint64_t)count * sizeof *in);
    unsigned *const out = fixture_array(f, blocks * sizeof *out);
    const struct test_args args = {.in = in, .out = out, .count = count};
    int right;

    for (int i = 0; i < count; i++)
        in[i] = (unsigned)i;
    right = RUN(f, reduce, blocks, threads, 128, args) == MW_OK;
    for (uint64_t i = 0; right && i < blocks; i++)
        right &= out[i] == (unsigned)count * (unsigned)(count - 1) / 2;
    return right;
}

static void test_memory(struct tap *tap, struct fixture *f)
{
    const struct device_verbs *const verbs = f->device->verbs;
    unsigned char *const a = fixture_array(f, 1000);
    unsigned char *const b = fixture_array(f, 1);
    unsigned char copy[1001] = {0};
    void *huge = NULL;
    int right =
        (uintptr_t)a % 256 == 0 && (uintptr_t)b % 256 == 0 && a[0] == a[999] && a[0] != 0;

    tap_ok(tap, right, "memory is aligned to 256 bytes and full of garbage", "");
    right = verbs->upload(f->device, a + 10, "multiway", 9, NULL) == MW_OK &&
            verbs->download(f->device, copy, a + 10, 9, NULL) == MW_OK;
    tap_ok(tap, right && strcmp((char *)copy, "multiway") == 0, "copies in and out", "");
    right = verbs->upload(f->device, a, copy, 1001, NULL) == MW_BAD_ARGUMENT &&
            verbs->download(f->device, copy, a + 992, 9, NULL) == MW_BAD_ARGUMENT &&
            verbs->upload(f->device, copy, a, 1, NULL) == MW_BAD_ARGUMENT;
    tap_ok(tap, right, "copies that leave the device's memory are refused", "");
    right = verbs->alloc(f->device, UINT64_MAX - 5, &huge) == MW_NO_MEMORY && !huge;
    tap_ok(tap, right, "more memory than there is", f->error.text);
    verbs->free(f->device, NULL);
    verbs->free(f->device, copy);
    verbs->free(f->device, a);
    verbs->free(f->device, b);
    right = verbs->download(f->device, copy, a, 1, NULL) == MW_BAD_ARGUMENT;
    tap_ok(tap, right, "memory that was freed is no longer the device's", "");
}

static void test_ledger(struct tap *tap, struct fixture *f)
{
    const mw_ledger_line *lines;
    size_t count = 99;
    int right;

    fixture_ledger(f, &count);
    tap_ok(tap, count == 0, "a fresh ledger is empty", "");
    tap_ok(tap, reduces(f, 5000, 1, 1024), "a reduction", "32 warps");
    tap_ok(tap, reduces(f, 64, 2000, 64), "a reduction", "2,000 blocks");
    fixture_clear(f);
    right = reduces(f, 100, 4, 64) && reduces(f, 100, 4, 64);
    lines = fixture_ledger(f, &count);
    right &= count == 6; /* load, shuffle, store, barrier, load, store */
    for (size_t i = 0; right && i < count; i++) {
        right &= strcmp(lines[i].kernel, "reduce") == 0 && lines[i].text != NULL;
        right &= strcmp(lines[i].file, "kernels.cu") == 0 && lines[i].launches == 2;
        right &= i == 0 || lines[i - 1].line < lines[i].line;
    }
    tap_ok(tap, right, "lines are named, sorted and count their launches", "");
    right = right && lines[0].access == MW_ACCESS_BULK &&
            lines[2].access == MW_ACCESS_PLAIN && lines[3].traffic.barriers == 16 &&
            lines[1].traffic.shuffles == 80 && lines[2].traffic.shared_requests == 16;
    tap_ok(tap, right, "lines add up over blocks and launches", "");
}

/* Numbers stay as they are while the ledger grows; its lines are those with traffic. */
static void test_growth(struct tap *tap, struct fixture *f)
{
    static const struct simt_kernel kernel = {.name = "kernel"};
    static struct simt_site sites[1000];
    struct ledger *const ledger = &sim_machine(f->device)->ledger;
    size_t count;
    int right = 1;

    for (uint32_t i = 0; i < 2000; i++) {
        sites[i % 1000] = (struct simt_site){.file = "any/heap_cut.cu", .line = 1000};
        right &= ledger_number(ledger, &kernel, &sites[i % 1000]) == i % 1000 + 1;
    }
    ledger->entries[700].now.barriers = 3;
    ledger_end(ledger);
    const mw_ledger_line *const line = fixture_ledger(f, &count);
    tap_ok(tap,
           right && count == 1 && strcmp(line->file, "heap_cut.cu") == 0 &&
               line->traffic.barriers == 3 && *line->text == '\0',
           "a thousand entries, one with traffic, beyond the end of its file", "");
}

/* Accesses are told apart by their kinds and kernels, not by their source line alone. */
static void test_kinds(struct tap *tap, struct fixture *f)
{
    static const struct {
        mw_access access;
        int stores;
        uint64_t requests;
    } rows[] = {
        {MW_ACCESS_PLAIN,  0, 2},
        {MW_ACCESS_BULK,   1, 1},
        {MW_ACCESS_SEARCH, 0, 1},
        {MW_ACCESS_CUT,    0, 3},
        {MW_ACCESS_CUT,    1, 1},
    };
    const struct test_args args = {.in = fixture_array(f, 32 * sizeof(uint64_t)),
                                   .out = fixture_array(f, 32 * sizeof(uint64_t))};
    int right = RUN(f, kinds, 1, 32, 0, args) == MW_OK &&
                RUN(f, same_kinds, 1, 32, 0, args) == MW_OK;
    size_t count;
    const mw_ledger_line *const lines = fixture_ledger(f, &count);

    right &= count == 2 * COUNT_OF(rows);
    for (size_t i = 0; right && i < count; i++) {
        const size_t row = i % COUNT_OF(rows);

        right &= strcmp(lines[i].kernel, row == i ? "kinds" : "same_kinds") == 0 &&
                 lines[i].line == lines[0].line && lines[i].access == rows[row].access &&
                 lines[i].stores == rows[row].stores &&
                 lines[i].traffic.global_requests == rows[row].requests;
    }
    tap_ok(tap, right, "one source line, an entry for each kernel and kind of access", "");
}

/*
 * What steps cost, by the lines of kernel `script`, that is, in the order of enum op. A
 * launch counts a sector once for all its stores and, unless one of them came first, once
 * for all its loads, at the line that touches it first.
 */
enum { IN_BYTES = 25620 }; /* ends inside a sector */

/* clang-format off */
#define ACROSS(bytes, op, offset, each) {op, AT_IN, offset, each, EVERYONE, bytes}

static const struct cost_case {
    const char *name;
    uint64_t blocks;
    uint32_t threads;
    struct step steps[6];
    struct {
        uint64_t requests, paid, ideal;
        uint64_t more; /* distinct sectors, or the worst conflict in shared memory */
    } lines[3];
} cost_cases[] = {
    {"a conflict, and none", 1, 32,
     {ALL(STORE4, SHARED, 0, 128), MEET(MEET_WARP), ALL(STORE4, SHARED, 0, 4)},
     {{2, 33, 2, 32}}},
    {"shared bytes in cells of 8, 4 and 1", 1, 64,
     {ALL(STORE8, SHARED, 0, 8), MEET(MEET_BLOCK), ALL(STORE4, SHARED, 0, 8),
      MEET(MEET_BLOCK), ALL(STORE1, SHARED, 0, 2)},
     {{2, 2, 2, 1}, {2, 4, 2, 2}, {2, 4, 4, 1}}},
    {"read twice, written twice, read again", 1, 32,
     {ALL(LOAD4, IN, 0, 4), ALL(LOAD4, IN, 0, 4), ALL(STORE4, OUT, 0, 4),
      ALL(STORE4, OUT, 0, 4), ALL(LOAD4, OUT, 0, 4)},
     {{3, 12, 12, 4}, {2, 8, 8, 4}}},
    {"in place", 1, 32, {ALL(LOAD4, IN, 0, 4), ALL(STORE4, IN, 0, 4)},
     {{1, 4, 4, 4}, {1, 4, 4, 4}}},
    {"another line", 1, 32, {ALL(LOAD8, IN, 0, 8), ALL(LOAD4, IN, 0, 8)},
     {{1, 8, 4, 0}, {1, 8, 8, 8}}},
    {"off by a cell", 1, 32, {ALL(LOAD4, IN, 4, 4)}, {{1, 5, 4, 5}}},
    {"a lane a sector", 1, 32, {ALL(LOAD4, IN, 12, 32)}, {{1, 32, 4, 32}}},
    {"a short sector", 1, 32, {ALL(LOAD4, IN, IN_BYTES - 4, 0)}, {{1, 1, 1, 1}}},
    {"warps that share a sector", 1, 64, {ALL(LOAD4, IN, 16, 4)}, {{2, 10, 8, 9}}},
    {"blocks that share a sector", 2, 32, {ACROSS(128, LOAD4, 16, 4)}, {{2, 10, 8, 9}}},
    {"blocks that share all", 50, 32, {ALL(LOAD4, IN, 0, 4)}, {{50, 200, 200, 4}}},
    {"many blocks, in place", 100, 64,
     {ACROSS(256, LOAD4, 0, 4), ACROSS(256, STORE4, 0, 4)},
     {{200, 800, 800, 800}, {200, 800, 800, 800}}},
};
/* clang-format on */

static void test_costs(struct tap *tap, struct fixture *f)
{
    for (size_t i = 0; i < COUNT_OF(cost_cases); i++) {
        const struct cost_case *const c = &cost_cases[i];
        const int shared = c->steps[0].space == AT_SHARED;
        const struct test_args args = {.in = fixture_array(f, IN_BYTES),
                                       .out = fixture_array(f, 4096),
                                       .steps = c->steps};
        int right = RUN(f, script, c->blocks, c->threads, 4096, args) == MW_OK &&
                    RUN(f, script, c->blocks, c->threads, 4096, args) == MW_OK;

        for (size_t j = 0; j < COUNT_OF(c->lines) && c->lines[j].requests; j++) {
            const mw_traffic t = fixture_line(f, j);
            const uint64_t requests = 2 * c->lines[j].requests;
            const uint64_t paid = 2 * c->lines[j].paid;
            const uint64_t ideal = 2 * c->lines[j].ideal;

            right &= shared ? is_shared(t, requests, paid, ideal) &&
                                  t.shared_worst == c->lines[j].more
                            : is_global(t, requests, paid, ideal) &&
                                  t.global_distinct == 2 * c->lines[j].more;
        }
        tap_ok(tap, right, "two launches", c->name);
        fixture_clear(f);
    }
}

/* A clock tells launches apart. It is reset in time, and old marks are forgotten. */
static void test_clock(struct tap *tap, struct fixture *f)
{
    static const struct step steps[] = {ALL(LOAD4, IN, 0, 4), MEET(END)};
    struct machine *const m = sim_machine(f->device);
    const struct test_args args = {
        .in = fixture_array(f, 128), .out = fixture_array(f, 4), .steps = steps};
    int right = 1;

    for (int i = 0; i < 2; i++) {
        m->clock = SHADOW_MOST_TICKS / 2 + 1;
        right &= RUN(f, script, 1, 32, 0, args) == MW_OK;
        right &= m->global_times.launch == 1 && m->clock < 100;
    }
    tap_ok(tap, right && fixture_line(f, 0).global_distinct == 8,
           "two launches that begin at the same tick", "");
}

/* A launch that fails counts as far as it came, and the next one starts anew. */
static void test_fault(struct tap *tap, struct fixture *f)
{
    static const struct step steps[] = {ACROSS(256, LOAD4, 0, 4), MEET(END)};
    const struct test_args args = {
        .in = fixture_array(f, 256), .out = fixture_array(f, 4), .steps = steps};
    int right = RUN(f, script, 2, 64, 0, args) == MW_KERNEL_FAULT &&
                fixture_line(f, 0).global_distinct == 8 &&
                f->device->verbs->ledger_last(f->device).global_distinct == 8;

    right = right && RUN(f, script, 1, 64, 0, args) == MW_OK;
    tap_ok(tap, right && fixture_line(f, 0).global_distinct == 16,
           "a launch that fails, and one after it", "");
}

/* Streams are all one, events need no waiting, and there are no keys of 24 bits. */
static void test_streams(struct tap *tap, struct fixture *f)
{
    const struct device_verbs *const verbs = f->device->verbs;
    const struct program_name odd = {.engine = MW_ENGINE_HEAP, .bits = 24};
    struct program *program;
    void *stream = f;
    void *event = NULL;
    int right = verbs->stream_open(f->device, &stream) == MW_OK &&
                verbs->event_open(f->device, &event) == MW_OK &&
                verbs->record(f->device, event, stream) == MW_OK &&
                verbs->follow(f->device, stream, event) == MW_OK &&
                verbs->wait(f->device, stream) == MW_OK;

    verbs->event_close(f->device, event);
    verbs->stream_close(f->device, stream);
    tap_ok(tap, right && !stream, "a stream and an event", f->error.text);
    tap_ok(tap, verbs->load(f->device, &odd, 1, &program) == MW_UNSUPPORTED,
           "keys of 24 bits", f->error.text);
}

int main(void)
{
    static void (*const tests[])(struct tap *, struct fixture *) = {
        test_shuffles, test_divergence, test_costs, test_memory, test_ledger,
        test_growth,   test_kinds,      test_clock, test_fault,  test_streams};
    struct tap tap = {0, 0};
    struct fixture f;

    tap_ok(&tap, fixture_open(&f), "the simulator opens", f.error.text);
    for (size_t i = 0; f.device && i < COUNT_OF(tests); i++) {
        tests[i](&tap, &f);
        fixture_clear(&f);
    }
    fixture_close(&f);
    return tap_end(&tap);
}
