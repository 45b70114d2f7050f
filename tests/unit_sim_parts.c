/*
 * unit_sim_parts.c - the simulator's parts alone, against slow and simple ones:
 * bank and sector costs, the putting together of requests, the race marks.
 */
#include "sim/banks.h"
#include "sim/log.h"
#include "sim/shadow.h"

#include "kit.h"
#include "tap.h"

#include <string.h>

static uint64_t state; /* of the random numbers */

static uint64_t roll(uint64_t sides)
{
    return kit_mix(++state) % sides;
}

/* Do all lanes agree with the lane that is `apart` away? */
static int agree(const uint64_t *at, uint32_t mask, int apart)
{
    int right = 1;

    for (int lane = 0; lane < 32; lane++) {
        const int other = lane / apart % 2 ? lane - apart : lane + apart;

        right &= !(mask >> lane & 1) || !(mask >> other & 1) || at[lane] == at[other];
    }
    return right;
}

/* Wavefronts by definition: count the distinct words of every bank. */
static struct cost slow_bank_cost(const uint64_t *at, uint32_t mask, uint32_t bytes,
                                  int is_load)
{
    const int wider = is_load && (agree(at, mask, 1) || agree(at, mask, 2));
    const uint32_t lanes = bytes == 16 ? 8 << wider : bytes == 8 ? 16 << wider : 32;
    struct cost cost = {0, 0};

    for (uint32_t first = 0; first < 32; first += lanes) {
        static unsigned char wanted[1 << 14];
        uint32_t in_bank[32] = {0};
        uint32_t most = 0;

        memset(wanted, 0, sizeof wanted);
        for (uint32_t i = first * bytes; i < (first + lanes) * bytes; i++)
            if (mask >> i / bytes & 1)
                wanted[(at[i / bytes] + i % bytes) / 4] = 1;
        for (uint32_t word = 0; word < sizeof wanted; word++)
            in_bank[word % 32] += wanted[word];
        for (int bank = 0; bank < 32; bank++)
            most = in_bank[bank] > most ? in_bank[bank] : most;
        cost.paid += most;
        cost.ideal += most > 0;
    }
    return cost;
}

/* `named` should have those that are touched, each once; what it has not counts 99. */
static struct cost slow_sector_cost(const uint64_t *at, uint32_t mask, uint32_t bytes,
                                    const uint64_t *named, uint32_t named_count)
{
    static unsigned char touched[1 << 16];
    struct cost cost = {0, 0};
    uint32_t distinct = 0;

    memset(touched, 0, sizeof touched);
    for (int lane = 0; lane < 32; lane++) {
        if (mask >> lane & 1)
            memset(touched + at[lane], 1, bytes);
    }
    for (size_t sector = 0; sector < sizeof touched / 32; sector++) {
        uint32_t in_sector = 0;
        uint32_t times = 0;

        for (size_t i = 0; i < 32; i++)
            in_sector += touched[32 * sector + i];
        for (uint32_t i = 0; i < named_count; i++)
            times += named[i] == sector;
        cost.paid += in_sector == 0 ? 0 : times == 1 ? 1 : 99;
        distinct += in_sector;
    }
    cost.ideal = (distinct + 31) / 32;
    return cost;
}

static int same_cost(struct cost a, struct cost b)
{
    return a.paid == b.paid && a.ideal == b.ideal;
}

/* Random lanes, random places: anywhere, nearby, at a stride, all in a row. */
static void test_costs(struct tap *tap, uint32_t bytes)
{
    int banks = 1;
    int sectors = 1;

    for (int i = 0; i < 300; i++) {
        const uint64_t stride = roll(40);
        const uint64_t first = roll(64);
        const uint32_t mask = i % 3 ? UINT32_MAX : (uint32_t)roll(UINT32_MAX) | 1;
        uint64_t touched[32];
        uint64_t at[32];
        struct cost cost;

        for (uint64_t lane = 0; lane < 32; lane++) {
            const uint64_t cell =
                i % 2 ? first + lane * stride : roll(i % 4 == 0 ? 2048 : 64);

            at[lane] = (i % 5 ? cell : first + lane) * bytes;
            if (i % 7 == 0)
                at[lane] = at[lane & (i % 2 ? ~UINT64_C(1) : ~UINT64_C(2))];
        }
        for (int is_load = 0; is_load < 2; is_load++)
            banks &= same_cost(bank_cost(at, mask, bytes, is_load),
                               slow_bank_cost(at, mask, bytes, is_load));
        cost = sector_cost(at, mask, bytes, touched);
        sectors &= same_cost(cost, slow_sector_cost(at, mask, bytes, touched, cost.paid));
    }
    tap_case(tap, banks, "wavefronts of %u-byte accesses, by definition", bytes);
    tap_case(tap, sectors, "sectors of %u-byte accesses, by definition", bytes);
}

enum { SITES = 100, MOST_VISITS = 200 };

/*
 * Lanes walk through sites, in step for a while and each on its own afterwards;
 * request (site, n) must hold exactly the lanes that came to it n times or more.
 */
static int log_round(struct log *log, uint64_t sites, int steps)
{
    static const struct simt_site site[SITES];
    static uint32_t expected[SITES][MOST_VISITS];
    uint32_t found[SITES] = {0};
    const int together = (int)roll((uint64_t)steps + 1);
    uint64_t path[MOST_VISITS];
    int requests = 0;
    int right = 1;

    memset(expected, 0, sizeof expected);
    for (int i = 0; i < steps; i++)
        path[i] = roll(sites);
    log_clear(log);
    for (uint32_t i = 0; i < LANES; i++) {
        struct log_cursor cursor = {(i + 5) % LANES, 1u << (i + 5) % LANES, 0, 1};
        const int length = (int)roll((uint64_t)steps + 1);
        int visits[SITES] = {0};

        for (int j = 0; j < (length > together ? length : together); j++) {
            const uint64_t s = j < together ? path[j] : roll(sites);
            struct warp_request *const request = log_visit(log, &cursor, &site[s]);

            requests += expected[s][visits[s]] == 0;
            expected[s][visits[s]++] |= cursor.bit;
            request->at[cursor.lane] = (uint64_t)visits[s];
        }
    }
    for (uint32_t i = 0; i < log->count; i++) {
        const struct warp_request *const r = &log->requests[i];
        const long s = r->site - site;
        const uint32_t n = found[s]++;

        right &= r->lanes == expected[s][n];
        for (int lane = 0; lane < LANES; lane++)
            right &= !(r->lanes >> lane & 1) || r->at[lane] == n + 1;
    }
    return right && (int)log->count == requests;
}

static void test_log(struct tap *tap)
{
    struct log log = {0};
    int right = 1;

    for (int i = 0; i < 400; i++)
        right &= log_round(&log, 1 + (uint64_t)i % SITES, 1 + i / 2);
    tap_ok(tap, right, "requests are the n-th visits to each site, however lanes diverge",
           "");
    log_close(&log);
}

enum { THREADS = 96, ACCESSES = 24 };

struct past {
    int block, thread;
    int barrier; /* barriers of its block so far, ... */
    int epoch;   /* ... and of its warp */
    int wrote, open;
};

static int races(const struct past *a, const struct past *b)
{
    if ((!a->wrote && !b->wrote) || (a->open && b->open))
        return 0;
    if (a->block != b->block)
        return 1;
    if (a->thread == b->thread || a->barrier != b->barrier)
        return 0;
    return a->thread / 32 != b->thread / 32 || a->epoch == b->epoch;
}

/* The marks of a place, of plain and of open accesses, as calls.c looks at them. */
static shadow_mark touch(struct shadow marks[2], const struct shadow_times *times,
                         shadow_mark mine, const struct past *now)
{
    shadow_mark other = shadow_race(times, &marks[0], mine, now->wrote);

    if (!other && !now->open)
        other = shadow_race(times, &marks[1], mine, now->wrote);
    if (!other)
        shadow_note(times, &marks[now->open], mine, now->wrote, now->open);
    return other;
}

/*
 * One place, random accesses and barriers: the marks see a race iff two accesses do.
 * Of 16 accesses about `open` are open.
 */
static int shadow_round(int blocks, unsigned open)
{
    struct past past[ACCESSES];
    struct shadow marks[2] = {
        {0, 0},
        {0, 0}
    };
    struct shadow_times times = {1, 1, 1};
    uint64_t clock = 1;
    uint64_t epoch[THREADS / 32] = {1, 1, 1};
    int block = 0;
    int barrier = 0;

    for (int i = 0; i < ACCESSES; i++) {
        const uint64_t r = roll(UINT64_MAX);
        const int thread = (int)(r >> 8 & 1 ? r >> 10 & 3 : r % THREADS);
        const int warp = thread / 32;
        const struct past now = {block,
                                 thread,
                                 barrier,
                                 (int)epoch[warp],
                                 (r >> 20) % 4 == 0,
                                 (r >> 50) % 16 < open};
        const shadow_mark mine = shadow_mark_of(epoch[warp], 7, (uint32_t)thread);
        const shadow_mark other = touch(marks, &times, mine, &now);
        int expected = 0;

        for (int j = 0; j < i; j++)
            expected |= races(&past[j], &now);
        if (other || expected)
            return (other != 0) == expected;
        past[i] = now;
        if (r >> 30 & 1)
            epoch[warp] = ++clock;
        if ((r >> 31) % 4 == 0) {
            const int new_block = (r >> 40) % 4 == 0 && block + 1 < blocks;

            times.barrier = ++clock;
            times.block = new_block ? clock : times.block;
            block += new_block;
            barrier++;
            epoch[0] = epoch[1] = epoch[2] = clock;
        }
    }
    return 1;
}

int main(void)
{
    static const unsigned open[] = {0, 4, 12, 15, 16};
    struct tap tap = {0, 0};

    for (uint32_t bytes = 1; bytes <= 16; bytes *= 2)
        test_costs(&tap, bytes);
    test_log(&tap);
    for (size_t i = 0; i < COUNT_OF(open); i++) {
        int right = 1;

        for (int j = 0; j < 100000; j++)
            right &= shadow_round(1 + j % 3, open[i]);
        tap_case(&tap, right, "marks see every race and no other, %u of 16 open", open[i]);
    }
    return tap_end(&tap);
}
