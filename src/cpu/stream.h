/*
 * stream.h - write whole cache lines with non-temporal stores, which bypass the caches.
 *
 * Plain stores to an array larger than the caches would evict what is still needed, and
 * would read each line before it is written.
 */
#ifndef MW_CPU_STREAM_H
#define MW_CPU_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/inlined.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { STREAM_LINE = 64 }; /* bytes */

/* Copy a multiple of 16 bytes; `to` is aligned to them. */
INLINED void stream_write(void *to, const void *from, size_t bytes)
{
#if defined(__SSE2__)
    __m128i *const lines = (__m128i *)to;
    const __m128i *const values = (const __m128i *)from;

    for (size_t i = 0; i < bytes / sizeof *lines; i++)
        _mm_stream_si128(lines + i, _mm_loadu_si128(values + i));
#else
    memcpy(to, from, bytes);
#endif
}

/* Copy whole lines; `to` is aligned to one. */
INLINED void stream_lines(void *to, const void *from, size_t bytes)
{
#if defined(__AVX512F__)
    for (size_t i = 0; i < bytes; i += STREAM_LINE)
        _mm512_stream_si512((__m512i *)(void *)((unsigned char *)to + i),
                            _mm512_loadu_si512((const unsigned char *)from + i));
#else
    stream_write(to, from, bytes);
#endif
}

/* Copy `bytes` to any address: whole lines by non-temporal stores, the rest by memcpy. */
static inline void stream_copy(void *to, const void *from, size_t bytes)
{
    const size_t before = (size_t)(-(uintptr_t)to % STREAM_LINE);
    const size_t head = before < bytes ? before : bytes;
    const size_t lines = (bytes - head) / STREAM_LINE * STREAM_LINE;
    const size_t done = head + lines;

    memcpy(to, from, head);
    stream_write((unsigned char *)to + head, (const unsigned char *)from + head, lines);
    memcpy((unsigned char *)to + done, (const unsigned char *)from + done, bytes - done);
}

/* After the last stream_write, before another thread may read. */
static inline void stream_end(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#endif
