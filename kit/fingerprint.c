/*
 * fingerprint.c - which keys are there, wherever they stand.
 */
#include "kit.h"

uint64_t kit_mix(uint64_t bits)
{
    bits ^= bits >> 32;
    bits *= UINT64_C(0x9e3779b97f4a7c15); /* the golden ratio's digits, odd */
    bits ^= bits >> 29;
    bits *= UINT64_C(0x243f6a8885a308d3); /* and those of pi */
    return bits ^ bits >> 32;
}

void kit_fingerprint_add(struct kit_fingerprint *print, mw_type type, const void *keys,
                         uint64_t count)
{
    const size_t size = mw_type_size(type);
    const char *key = keys;
    uint64_t sum = 0;

    /* The offset keeps zeros from vanishing in the sum: 0 would mix to 0. */
    for (uint64_t i = 0; i < count; i++, key += size)
        sum += kit_mix(kit_key_bits(type, key) + UINT64_C(0x6a09e667f3bcc908));
    print->sum += sum;
    print->count += count;
}

int kit_fingerprint_equal(struct kit_fingerprint a, struct kit_fingerprint b)
{
    return a.count == b.count && a.sum == b.sum;
}
