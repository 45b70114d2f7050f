/*
 * claims_deal.c - engine deal on the simulator: keys in some order are dealt almost without
 * bank conflicts. Lanes with the same bucket or tile are counted at once (deal_runs.cuh),
 * and sequences that take turns do not meet in one bank (deal_keys.cu).
 *
 *   claims_deal [percent]
 */
#include "claim.h"

#include <stdlib.h>

static const mw_type types[] = {MW_I32, MW_U64, MW_F32};
static const char *const kernels[] = {"deal_out", "deal_count", "deal_in"};

/* The shapes, and how many per cent more wavefronts than ideally there may be. */
static const struct row {
    const char *shape;
    unsigned percent;
} rows[] = {
    {"sorted",         25 },
    {"reversed",       25 },
    {"organ",          25 },
    {"swaps:1000",     25 },
    {"blocks:1024",    25 },
    {"equal",          25 },
    {"interleaved:4",  110}, /* 8 lanes with one bucket add to one counter */
    {"interleaved:16", 110},
    {"interleaved:64", 110},
};

static int is_even(const struct claim *c, const char *kernel, unsigned percent)
{
    const mw_traffic in = claim_sum(c, kernel, MW_ACCESS_PLAIN, 0);
    const mw_traffic out = claim_sum(c, kernel, MW_ACCESS_PLAIN, 1);
    const uint64_t ideal = in.shared_ideal + out.shared_ideal;
    const uint64_t paid = in.shared_wavefronts + out.shared_wavefronts;

    if (paid * 100 > ideal * (100 + percent))
        tap_note("%s: %llu wavefronts, ideally %llu", kernel, (unsigned long long)paid,
                 (unsigned long long)ideal);
    return paid * 100 <= ideal * (100 + percent);
}

static void test_sort(struct tap *tap, mw_context *context, const struct trial *t,
                      unsigned percent)
{
    struct claim c;
    char text[TRIAL_TEXT];
    int right = claim_make(&c, context, t);

    trial_text(t, text);
    for (size_t i = 0; right && i < COUNT_OF(kernels); i++)
        right = is_even(&c, kernels[i], percent);
    tap_case(tap, right, "%s", text);
}

int main(int argc, char **argv)
{
    const int percent = argc > 1 ? atoi(argv[1]) : 100;
    const int all = COUNT_OF(types) * COUNT_OF(rows);
    struct tap tap = {0, 0};
    mw_context *const context = claim_open(&tap);

    for (int i = 0; context && i < all; i++) {
        const struct trial t = {
            .type = types[i % COUNT_OF(types)],
            .direction = (mw_direction)(i / 2 % 2),
            .shape = rows[i / COUNT_OF(types)].shape,
            .seed = (uint64_t)i,
            .count = 1 << 18,
            .tuning = {sizeof t.tuning, MW_ENGINE_DEAL, 0, 0, 0, 0, 0},
            .device_memory = 1
        };

        if (claim_chosen(i, percent))
            test_sort(&tap, context, &t, rows[i / COUNT_OF(types)].percent);
    }
    mw_close(context);
    return tap_end(&tap);
}
