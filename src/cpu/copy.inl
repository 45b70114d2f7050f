/*
 * copy.inl - copy rows of 16 to COLLECT_MOST bytes by registers: to the chunks of their
 * buckets, and from a bucket in the order of items, whose low bits are places of rows.
 */

typedef unsigned char bytes_16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef unsigned char bytes_32 __attribute__((vector_size(32), aligned(1), may_alias));
typedef unsigned char bytes_64 __attribute__((vector_size(64), aligned(1), may_alias));

/* Copy at least 16 bytes; the last registers overlap. */
INLINED void copy_long(unsigned char *to, const unsigned char *from, size_t bytes)
{
    if (bytes < 32) {
        *(bytes_16 *)to = *(const bytes_16 *)from;
        *(bytes_16 *)(to + bytes - 16) = *(const bytes_16 *)(from + bytes - 16);
        return;
    }
    if (bytes < 64) {
        *(bytes_32 *)to = *(const bytes_32 *)from;
        *(bytes_32 *)(to + bytes - 32) = *(const bytes_32 *)(from + bytes - 32);
        return;
    }
    for (size_t i = 0; i + 64 < bytes; i += 64)
        *(bytes_64 *)(to + i) = *(const bytes_64 *)(from + i);
    *(bytes_64 *)(to + bytes - 64) = *(const bytes_64 *)(from + bytes - 64);
}

/* Prefetch a row. */
INLINED void prefetch_row(const unsigned char *from, size_t bytes)
{
    for (size_t line = 0; line < bytes; line += STREAM_LINE)
        __builtin_prefetch(from + line);
}

#if KEY_BITS == 64

/* Write the chunk that ends at byte `end`. Bytes before `begun` are another worker's. */
INLINED void write_chunk(const struct collect_task *task, uint64_t begun, uint64_t end,
                         const unsigned char *held, size_t chunk)
{
    if (end >= begun + chunk)
        stream_lines(task->to + end - chunk, held, chunk);
    else
        memcpy(task->to + begun, held + begun % chunk, end - begun);
}

/*
 * Put rows into the chunks of their buckets. The row that ends a chunk may reach into the
 * next one. A full chunk is written when the bucket's next row comes: its stores have left
 * the store buffer by then, so loading it does not wait for them.
 */
INLINED void collect_chunks(const struct collect_task *task, size_t chunk)
{
    const size_t bytes = task->bytes;

    for (uint32_t i = 0; i < task->count; i++) {
        const unsigned bucket = task->buckets[i];
        unsigned char *const held = task->chunks + bucket * 2 * chunk;
        const uint64_t at = (uint64_t)task->next[bucket] * bytes;
        const uint64_t begun = (uint64_t)task->begun[bucket] * bytes;
        const size_t used = at % chunk;

        prefetch_row(task->rows + (i + task->count) * bytes, bytes); /* of the next task */
        if (used < bytes && at > begun) {
            write_chunk(task, begun, at - used, held, chunk);
            for (size_t j = 0; j < chunk; j += 64)
                *(bytes_64 *)(held + j) = *(const bytes_64 *)(held + chunk + j);
        }
        copy_long(held + used, task->rows + i * bytes, bytes);
        task->next[bucket]++;
    }
}

static void collect(const struct collect_task *task)
{
    if (task->chunk == COLLECT_MOST / 2)
        collect_chunks(task, COLLECT_MOST / 2);
    else
        collect_chunks(task, COLLECT_MOST);
}
#endif

static void pick_rows(const struct pick_task *task, const void *items, size_t count,
                      unsigned char *to)
{
    enum { AHEAD = 16 };
    const key *const places = (const key *)items;

    for (size_t i = 0; i < count; i++) {
        const unsigned char *const from =
            task->rows + (size_t)(places[i] & task->mask) * task->step;

        if (i + AHEAD < count)
            prefetch_row(task->rows + (size_t)(places[i + AHEAD] & task->mask) * task->step,
                         task->bytes);
        if (task->bytes >= 16)
            copy_long(to + i * task->bytes, from, task->bytes);
        else
            memcpy(to + i * task->bytes, from, task->bytes);
    }
}
