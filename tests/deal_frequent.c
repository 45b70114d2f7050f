/*
 * deal_frequent.c - engine deal on keys of which many are equal.
 *
 *   deal_frequent DEVICE [percent]
 *
 * On the simulator the launches also tell whether the keys were dealt or merged. `percent`
 * runs that part of the cases.
 */
#include "claim.h"
#include "kernels/launch.h"

#include <math.h>
#include <stdlib.h>

/* The other keys. */
enum others {
    RANDOM, /* any bits */
    ABOVE,  /* the upper half of these */
    BELOW,  /* the lower half */
    ZIPF,   /* 1 to 1000: n has a share of about 1 / n */
    SAW,    /* position modulo 256: samples at equal distances would all be equal */
    DENSE,  /* half in one bin, 774 of each: too many to be dealt */
    HIDDEN, /* 0, where no sample is */
    UNSEEN  /* 64 neighbours, of which one has many keys but no sample */
};

/* Keys of `values` frequent values: bits `first`, `first` + `step` and so on. */
struct mixture {
    const char *name;
    mw_type type;
    uint64_t count;
    uint64_t first, step, values;
    uint64_t permille; /* of all keys */
    enum others others;
    int merged; /* expected: the keys cannot be dealt */
};

enum { N = 99013 }; /* 13 tiles of 4-byte keys; a value of half a tile is frequent */

#define TOP32 UINT64_C(0xffffffff)
#define TOP64 UINT64_C(0xffffffffffffffff)
#define SIGN32 UINT64_C(0x80000000)
#define SIGN64 (SIGN32 << 32)

/* clang-format off */
static const struct mixture rows[] = {
    {"all 0",               MW_U32, N,       0,           0,          1,   1000, RANDOM, 0},
    {"all the greatest",    MW_U32, N,       TOP32,       0,          1,   1000, RANDOM, 0},
    {"all the least",       MW_I64, N,       SIGN64,      0,          1,   1000, RANDOM, 0},
    {"all one NaN",         MW_F32, N,       0x7fc00123,  0,          1,   1000, RANDOM, 0},
    {"two neighbours",      MW_U32, N,       5,           1,          2,   1000, RANDOM, 0},
    {"both ends",           MW_U32, N,       0,           TOP32,      2,   1000, RANDOM, 0},
    {"both ends, others",   MW_U64, N,       0,           TOP64,      2,   300,  RANDOM, 0},
    {"zeros, both signs",   MW_F32, N,       0,           SIGN32,     2,   200,  RANDOM, 0},
    {"zeros, both signs",   MW_F64, N,       0,           SIGN64,     2,   100,  RANDOM, 0},
    {"two NaNs",            MW_F32, N,       0x7fc00123,  SIGN32,     2,   300,  RANDOM, 0},
    {"infinities",          MW_F32, N,       0x7f800000,  SIGN32,     2,   300,  RANDOM, 0},
    {"before all others",   MW_U32, N,       17,          0,          1,   300,  ABOVE,  0},
    {"after all others",    MW_U32, N,       TOP32 - 17,  0,          1,   300,  BELOW,  0},
    {"among others",        MW_U32, N,       0x87654321,  0,          1,   500,  RANDOM, 0},
    {"among, few",          MW_U32, N,       0x87654321,  0,          1,   60,   RANDOM, 0},
    {"among, a tile",       MW_U32, N,       0x87654321,  0,          1,   83,   RANDOM, 0},
    {"under half a tile",   MW_U32, N,       0x87654321,  0,          1,   38,   RANDOM, 0},
    {"half a tile",         MW_U32, N,       0x87654321,  0,          1,   41,   RANDOM, 0},
    {"over half a tile",    MW_U32, N,       0x87654321,  0,          1,   44,   RANDOM, 0},
    {"ten neighbours",      MW_U32, N,       1000000,     1,          10,  800,  RANDOM, 0},
    {"ten in one tile",     MW_I64, N,       1 << 20,     1,          10,  500,  RANDOM, 0},
    {"15, far apart",       MW_U32, N,       SIGN32 / 16, SIGN32 / 8, 15,  900,  RANDOM, 0},
    {"all but a few keys",  MW_F64, N,       0,           1,          3,   999,  RANDOM, 0},
    {"256 values",          MW_I64, 700001,  0,           1,          256, 1000, RANDOM, 0},
    {"511 values",          MW_I64, 1200007, 0,           1,          511, 1000, RANDOM, 0},
    {"511, far apart",      MW_F64, 1200007, 0,           TOP64 >> 9, 511, 1000, RANDOM, 0},
    {"more than 511",       MW_U64, 2400011, 0,           1,          540, 1000, RANDOM, 0},
    {"more than 511",       MW_I64, 2400011, 0,           1,          600, 1000, RANDOM, 0},
    {"Zipf, 1000 values",   MW_U32, N,       0,           0,          1,   0,    ZIPF,   0},
    {"Zipf, 1000 values",   MW_F32, N,       0,           0,          1,   0,    ZIPF,   0},
    {"Zipf, 1000 values",   MW_F64, N,       0,           0,          1,   0,    ZIPF,   0},
    {"256 in turn",         MW_F64, 1 << 21, 0,           0,          1,   0,    SAW,    0},
    {"a full bin",          MW_U32, N,       0,           0,          1,   0,    DENSE,  1},
    {"a full bin, a value", MW_U32, N,       SIGN32,      0,          1,   200,  DENSE,  1},
    {"a full bin, rounds",  MW_U32, 12 * N,  0,           0,          1,   0,    DENSE,  1},
    {"a full bin, rounds",  MW_U64, 12 * N,  0,           0,          1,   0,    DENSE,  1},
    {"no samples of it",    MW_U32, N,       SIGN32,      0,          1,   0,    HIDDEN, 1},
    {"none of a neighbour", MW_U32, N,       0,           0,          1,   0,    UNSEEN, 0},
};
/* clang-format on */

static uint64_t float_bits(mw_type type, double number)
{
    const float narrow = (float)number;
    uint64_t bits = 0;

    if (type == MW_F32)
        memcpy(&bits, &narrow, sizeof narrow);
    else
        memcpy(&bits, &number, sizeof number);
    return bits;
}

/* The key at position i that is not of a frequent value. */
static uint64_t other_key(const struct mixture *m, uint64_t i, uint64_t random)
{
    const uint64_t half = UINT64_C(1) << (8 * mw_type_size(m->type) - 1);
    const int is_float = *mw_type_name(m->type) == 'f';
    const double zipf = floor(pow(1000, (double)(random >> 11) * 0x1p-53));

    switch (m->others) {
    case ABOVE:
        return random | half;
    case BELOW:
        return random & (half - 1);
    case ZIPF:
        return is_float ? float_bits(m->type, zipf) : (uint64_t)zipf;
    case SAW:
        return float_bits(m->type, (double)(i % 256));
    case DENSE:
        return i % 2 ? random : random % (m->count / 1547);
    default:
        return random;
    }
}

/* Samples of N keys (plan_deal.c), and the place of one (deal.cuh). */
enum { SAMPLES = 16384 };

static uint64_t sample_place(uint64_t count, uint32_t number)
{
    const uint64_t stretch = (count << DEAL_STRETCH_BITS) / SAMPLES;

    return (number * stretch >> DEAL_STRETCH_BITS) +
           ((number + 1) * UINT32_C(0x9e3779b1) >> 7) % (stretch >> DEAL_STRETCH_BITS);
}

/* All keys are 0 but those that are sampled: deal_out finds no room for the zeros. */
static void hide(const struct trial *t, char *keys)
{
    memset(keys, 0, t->count * sizeof(uint32_t));
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const uint32_t bits = (uint32_t)kit_mix(i);

        memcpy(keys + sample_place(t->count, i) * sizeof bits, &bits, sizeof bits);
    }
}

/*
 * Samples are 64 neighbours but one. Of the other keys those near it have its value, so
 * there is room for them. They are more than one word of the list of tiles can tell.
 */
static void hide_neighbour(const struct trial *t, char *keys)
{
    enum { BASE = 1000, FIRST = 24, HERE = 32, LAST = 40 };

    for (uint64_t i = 0; i < t->count; i++) {
        const uint32_t bits = (uint32_t)kit_mix(i) % 64;
        const uint32_t value = BASE + (bits >= FIRST && bits <= LAST ? HERE : bits);

        memcpy(keys + i * sizeof value, &value, sizeof value);
    }
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const uint32_t bits = (uint32_t)kit_mix(i + t->count) % 64;
        const uint32_t value = BASE + bits + (bits == HERE);

        memcpy(keys + sample_place(t->count, i) * sizeof value, &value, sizeof value);
    }
}

static void fill(const struct trial *t, char *keys)
{
    const struct mixture *const m = t->by;
    const size_t size = mw_type_size(m->type);

    if (m->others == HIDDEN || m->others == UNSEEN) {
        (m->others == HIDDEN ? hide : hide_neighbour)(t, keys);
        return;
    }
    for (uint64_t i = 0; i < m->count; i++) {
        const uint64_t random = kit_mix(kit_mix(i) + t->seed);
        const uint64_t bits = kit_mix(random + 1) % 1000 < m->permille
                                  ? m->first + random % m->values * m->step
                                  : other_key(m, i, random);

        memcpy(keys + i * size, &bits, size); /* machines are little-endian */
    }
}

static void run(struct tap *tap, mw_context *context, const struct mixture *m, int number)
{
    struct trial t = {.type = m->type,
                      .direction = number % 2 ? MW_DESCENDING : MW_ASCENDING,
                      .shape = m->name,
                      .seed = (uint64_t)number,
                      .count = m->count,
                      .tuning = MW_TUNING_INIT,
                      .device_memory = 1,
                      .fill = fill,
                      .by = m};
    struct outcome outcome;
    char text[TRIAL_TEXT];
    int passed;

    t.tuning.engine = MW_ENGINE_DEAL;
    trial_text(&t, text);
    passed = trial_run(context, &t, &outcome);
    if (!passed)
        tap_note("%s", outcome.why);
    tap_ok(tap, passed, "sorted", text);
    trial_close(&outcome);
}

int main(int argc, char **argv)
{
    const char *const device = argc > 1 ? argv[1] : "sim";
    const int percent = argc > 2 ? atoi(argv[2]) : 100;
    const int is_sim = strcmp(device, "sim") == 0;
    struct tap tap = {0, 0};
    mw_context *const context = trial_open(&tap, device);

    if (context)
        mw_set_timing(context, is_sim ? MW_TIMING_LAUNCHES : MW_TIMING_OFF);
    for (int i = 0; i < (int)COUNT_OF(rows) && context; i++) {
        if (percent < 100 && rows[i].count > N && !claim_chosen(i, percent))
            continue;
        run(&tap, context, &rows[i], i);
        if (is_sim)
            tap_ok(&tap, trial_dealt(context) != rows[i].merged,
                   rows[i].merged ? "merged" : "dealt", rows[i].name);
    }
    mw_close(context);
    return tap_end(&tap);
}
