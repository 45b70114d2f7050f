/*
 * suite.inl - the typed inner loops of one key width, and their table.
 *
 * Included where KEY_BITS is 8, 16, 32 or 64 and SUITE names the table. The
 * file including it is compiled for one instruction set; with AVX2, ranks of
 * 32 and 64 bits go through 256-bit registers.
 */
#include <string.h>

#include "cpu/inlined.h"
#include "cpu/stream.h"
#include "cpu/suite.h"

/* Written before a loop that only pays when it is unrolled completely. */
#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define UNROLL _Pragma("GCC unroll 64")
#else
#define UNROLL
#endif

#include "rank.inl"

#include "order.inl"

#if KEY_BITS > 8
#include "choice.inl"

#if defined(__AVX2__) && KEY_BITS >= 32
#include "lanes_256.inl"
#else
#include "lanes_1.inl"
#endif
#include "network.inl"

#if LANES > 1
#if defined(__AVX512VL__)
#define WIDE_BITS 512
#else
#define WIDE_BITS 256
#endif
#include "wide.inl"
#endif

#include "merge.inl"

#include "transfer.inl"

#if LANES > 1
#include "block.inl"

#include "partition.inl"

#include "leaf.inl"

#include "quick.inl"

#include "few.inl"

#include "smallest.inl"
#endif

#include "run.inl"

#include "cut.inl"

#include "cascade.inl"
#endif

#if KEY_BITS >= 32
#include "slots.inl"

#include "pick.inl"

#include "copy.inl"
#endif

#if KEY_BITS <= 16
#include "tally.inl"
#endif

#if KEY_BITS > 8
static void enter_keys(const void *keys, void *ranks, uint64_t count, struct code code)
{
    enter_all((rank *)ranks, (const key *)keys, (size_t)count, code);
}

static void leave_keys(const void *ranks, void *keys, uint64_t count, struct code code)
{
    leave_all((key *)keys, (const rank *)ranks, (size_t)count, code);
}
#endif

extern const struct suite SUITE;

const struct suite SUITE = {
    .bits = KEY_BITS,
    .order = order,
    .reverse = reverse,
#if KEY_BITS > 8
    .enter = enter_keys,
    .run = run,
    .merge = merge,
    .rises = rises,
    .leave = leave_keys,
    .plain_flip = RANK_TURN,
#endif
#if KEY_BITS >= 32
    .slots = slots,
    .pick_pairs = pick_pairs,
    .pick_rows = pick_rows,
#endif
#if KEY_BITS == 64
    .collect = collect,
#endif
#if KEY_BITS > 8 && LANES > 1
    .first_rank = (uint64_t)RANK_FIRST,
    .last_rank = (uint64_t)RANK_LAST,
    .quick = quick,
    .part = part,
    .pivot = pivot,
    .smallest = smallest,
    .few_sampled = few_sampled,
    .few_clear = few_clear,
    .few_count = few_count,
    .few_list = few_list,
    .few_write = few_write,
#endif
#if KEY_BITS <= 16
    .tally = tally,
    .spread = spread,
#endif
};
