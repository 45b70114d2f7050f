/*
 * lanes_1.inl - rows and chains in plain C, for any processor.
 *
 * Rows are short arrays whose loops compilers vectorise where they can. A
 * chain here moves one rank a step, without a branch; four of them side by
 * side keep a modern core as busy as four-lane vectors would.
 */
#define LANES 1

struct chain {
    const rank *a; /* forward: the heads; backward: the ends */
    const rank *b;
    rank *out;
};

static inline void forward_step(struct chain *c)
{
    const rank a = *c->a;
    const rank b = *c->b;
    const size_t from_b = choice(b < a);

    *c->out++ = b < a ? b : a;
    c->a += 1 - from_b;
    c->b += from_b;
}

static inline void forward_start(struct chain *c, const rank *a, const rank *b, rank *out)
{
    c->a = a;
    c->b = b;
    c->out = out;
    forward_step(c);
}

static inline void backward_step(struct chain *c)
{
    const rank a = c->a[-1];
    const rank b = c->b[-1];
    const size_t from_a = choice(b < a);

    *--c->out = b < a ? a : b;
    c->a -= from_a;
    c->b -= 1 - from_a;
}

static inline void backward_start(struct chain *c, const rank *a, const rank *b, rank *out)
{
    c->a = a;
    c->b = b;
    c->out = out;
    backward_step(c);
}

/* ---- Rows of the network ------------------------------------------------- */

enum { ROW = 8 };

typedef struct row {
    rank lane[ROW];
} row;

static inline row row_load(const rank *from)
{
    row loaded;

    memcpy(loaded.lane, from, sizeof loaded.lane);
    return loaded;
}

static inline void row_exchange(row *low, row *high)
{
    for (int i = 0; i < ROW; i++) {
        const rank a = low->lane[i];
        const rank b = high->lane[i];

        low->lane[i] = a < b ? a : b;
        high->lane[i] = a < b ? b : a;
    }
}

/* Write ROW rows as columns: lane c of rows[0], rows[1] ... from to[c * pitch] on. */
static inline void rows_store(rank *to, size_t pitch, row *rows)
{
    for (int column = 0; column < ROW; column++)
        for (int i = 0; i < ROW; i++)
            to[(size_t)column * pitch + (size_t)i] = rows[i].lane[column];
}
