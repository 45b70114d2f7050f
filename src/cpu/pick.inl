/*
 * pick.inl - pairs of 4-byte values, fetched by the places in the low bits of items.
 */
static void pick_pairs(const void *pairs, const void *items, uint64_t mask, size_t count,
                       uint32_t *a, uint32_t *b)
{
    const key *const places = (const key *)items;
    size_t i = 0;

#if defined(__AVX512VL__)
    for (; i + 8 <= count; i += 8) {
#if KEY_BITS == 32
        const __m256i at = _mm256_and_si256(_mm256_loadu_si256((const void *)(places + i)),
                                            _mm256_set1_epi32((int)mask));
        const __m512i found = _mm512_i32gather_epi64(at, pairs, 8);
#else
        const __m512i at = _mm512_and_si512(_mm512_loadu_si512(places + i),
                                            _mm512_set1_epi64((long long)mask));
        const __m512i found = _mm512_i64gather_epi64(at, pairs, 8);
#endif

        _mm256_storeu_si256((void *)(a + i), _mm512_cvtepi64_epi32(found));
        _mm256_storeu_si256((void *)(b + i),
                            _mm512_cvtepi64_epi32(_mm512_srli_epi64(found, 32)));
    }
#endif
    for (; i < count; i++) {
        const unsigned char *const found =
            (const unsigned char *)pairs + (size_t)(places[i] & mask) * 8;

        memcpy(a + i, found, 4);
        memcpy(b + i, found + 4, 4);
    }
}
