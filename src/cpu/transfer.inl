/*
 * transfer.inl - between the arrays and working memory: keys become ranks on
 * the way in and may become keys again on the way out.
 */
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/*
 * Whole arrays. `to` may be `from`: an element is read before it is written.
 * The loops are written twice so that each is free of the other's branch.
 */
static void enter_all(rank *to, const key *from, size_t count, struct code code)
{
    const key flip = flip_of(code);

    if (code.is_float)
        for (size_t i = 0; i < count; i++)
            to[i] = enter(from[i], float_of(code), flip);
    else
        for (size_t i = 0; i < count; i++)
            to[i] = enter(from[i], 0, flip);
}

static void leave_all(key *to, const rank *from, size_t count, struct code code)
{
    const key flip = flip_of(code);

    if (code.is_float)
        for (size_t i = 0; i < count; i++)
            to[i] = leave(from[i], float_of(code), flip);
    else
        for (size_t i = 0; i < count; i++)
            to[i] = leave(from[i], 0, flip);
}

/*
 * Copy whole 64-byte lines around the caches: an array larger than they are
 * would only push out what is still needed, after being read for nothing.
 */
static void write_around(void *to, const void *from, size_t bytes)
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

/* After write_around and before another thread may read. */
static void write_fence(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/* How many ranks from `to` on lie before the next 64-byte line. */
static size_t to_line(const void *to)
{
    return (size_t)(-(uintptr_t)to % 64 / sizeof(rank));
}

/* Where results go, and in which form. */
struct output {
    key *to;
    struct code code;
    int leaving;
    int stream;
};

/* Append `count` ranks, which are overwritten if they are to leave as keys. */
static void output_write(struct output *output, rank *from, size_t count)
{
    const size_t before = to_line(output->to);
    const size_t head = before < count ? before : count;
    const size_t lines = (count - head) * sizeof(rank) / 64 * 64;

    if (output->leaving)
        leave_all((key *)from, from, count, output->code);
    if (output->stream) {
        memcpy(output->to, from, head * sizeof(rank));
        write_around(output->to + head, from + head, lines);
        memcpy(output->to + head + lines / sizeof(rank), from + head + lines / sizeof(rank),
               (count - head) * sizeof(rank) - lines);
    } else {
        memcpy(output->to, from, count * sizeof(rank));
    }
    output->to += count;
}
