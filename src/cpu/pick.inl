/*
 * pick.inl - gather pairs of 4-byte values by the places in the low bits of items.
 */
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static void pick_pairs(const void *pairs, const void *items, uint64_t mask, size_t count,
                       uint32_t *a, uint32_t *b)
{
    const key *const places = (const key *)items;
    size_t i = 0;

#if defined(__SSE2__)
    const unsigned char *const all = (const unsigned char *)pairs;

    /* A gather of eight pairs takes longer than these loads, on Zen 4 much longer. */
    for (; i + 4 <= count; i += 4) {
        __m128 two[2];

        for (int j = 0; j < 2; j++) {
            const unsigned char *const low = all + (places[i + 2 * j] & mask) * 8;
            const unsigned char *const high = all + (places[i + 2 * j + 1] & mask) * 8;

            two[j] = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)low));
            two[j] = _mm_loadh_pi(two[j], (const __m64 *)(const void *)high);
        }
        _mm_storeu_ps((float *)(void *)(a + i), _mm_shuffle_ps(two[0], two[1], 0x88));
        _mm_storeu_ps((float *)(void *)(b + i), _mm_shuffle_ps(two[0], two[1], 0xdd));
    }
#endif
    for (; i < count; i++) {
        const unsigned char *const found =
            (const unsigned char *)pairs + (size_t)(places[i] & mask) * 8;

        memcpy(a + i, found, 4);
        memcpy(b + i, found + 4, 4);
    }
}
