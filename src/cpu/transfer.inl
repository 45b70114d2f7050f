/*
 * transfer.inl - between the arrays and working memory: keys become ranks on
 * the way in and may become keys again on the way out.
 */

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

/* How many ranks from `to` on lie before the next line. */
static size_t to_line(const void *to)
{
    return (size_t)(-(uintptr_t)to % STREAM_LINE / sizeof(rank));
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
    if (output->leaving)
        leave_all((key *)from, from, count, output->code);
    if (output->stream)
        stream_copy(output->to, from, count * sizeof(rank));
    else
        memcpy(output->to, from, count * sizeof(rank));
    output->to += count;
}
