/*
 * less.cuh - items ordered by a comparison that may be anything: an expression of the
 * user's on a GPU, his function in the simulator.
 *
 * An item is a row of up to 16 bytes in a cell of KEY_BITS bits: 32, 64 or 128. With
 * KEY_BITS 0 it is the 32-bit position of a row that stays where it is.
 *
 * Nothing relies on the comparison being an order. Whatever it answers, loops end, no
 * access is out of bounds, and each tile of a result is a permutation of its source.
 */

#if KEY_BITS == 128
typedef struct {
    ALIGNED(16) wide low;
    wide high;
} item;
#elif KEY_BITS == 64
typedef wide item;
#elif KEY_BITS == 32 || KEY_BITS == 0
typedef unsigned item;
#else
#error "KEY_BITS must be 0, 32, 64 or 128"
#endif
typedef unsigned short half;
typedef unsigned char byte;

CELL(item_cell, item);
CELL(wide_cell, wide);
CELL(unsigned_cell, unsigned);
CELL(int_cell, int);
CELL(half_cell, half);
CELL(byte_cell, byte);

enum { POSITIONS = KEY_BITS == 0, ITEM_BYTES = sizeof(item) };

#ifdef __CUDACC__

typedef ::mw_text::mw_element row;

/* Bytes of an item in an array, at most ITEM_BYTES: a constant. */
#define STORED_BYTES(order) (POSITIONS ? (int)ITEM_BYTES : (int)sizeof(row))

/* Compare row `i` of the array at address `a` and row `j` of that at `b`. */
DEVICE int rows_before(const struct less_order *order, wide a, wide i, wide b, wide j)
{
    return ::mw_text::mw_less_of_text((const row *)a + i, (const row *)b + j);
}

/* Compare two rows where they are. */
DEVICE int row_before(const struct less_order *order, wide a, wide b)
{
    const row *const rows = (const row *)order->rows;

    return ::mw_text::mw_less_of_text(rows + a, rows + b);
}

DEVICE int comes_before(const struct less_order *order, item a, item b)
{
#if KEY_BITS == 0
    return row_before(order, a, b);
#else
    row first;
    row second;

    memcpy(&first, &a, sizeof first);
    memcpy(&second, &b, sizeof second);
    return ::mw_text::mw_less_of_text(&first, &second);
#endif
}

/* The same for items in shared memory: only what the expression reads is loaded. */
DEVICE int comes_before_at(const struct less_order *order, const item_cell *a,
                           const item_cell *b)
{
#if KEY_BITS == 0
    return comes_before(order, *a, *b);
#else
    return ::mw_text::mw_less_of_text((const row *)a, (const row *)b);
#endif
}

#else

#define STORED_BYTES(order) (POSITIONS ? (int)ITEM_BYTES : (int)(order)->bytes)

/*
 * Of a row in global memory the simulator sees one byte being read: it does not know
 * which bytes the function reads.
 */
DEVICE int rows_before(const struct less_order *order, wide a, wide i, wide b, wide j)
{
    const byte_cell *const first = (const byte_cell *)a + i * order->bytes;
    const byte_cell *const second = (const byte_cell *)b + j * order->bytes;

    (void)LOAD_AS(PROBE, first);
    (void)LOAD_AS(PROBE, second);
    return order->less_on_host(first, second) != 0;
}

DEVICE int row_before(const struct less_order *order, wide a, wide b)
{
    return rows_before(order, (wide)order->rows, a, (wide)order->rows, b);
}

DEVICE int comes_before(const struct less_order *order, item a, item b)
{
#if KEY_BITS == 0
    return row_before(order, a, b);
#else
    return order->less_on_host(&a, &b) != 0;
#endif
}

DEVICE int comes_before_at(const struct less_order *order, const item_cell *a,
                           const item_cell *b)
{
    const item first = LOAD_AS(SEARCH, a);
    const item second = LOAD_AS(SEARCH, b);

    return comes_before(order, first, second);
}

#endif

/* An item as two numbers, its bytes from the low end. */
DEVICE item join_parts(wide low, wide high)
{
#if KEY_BITS == 128
    item i;

    i.low = low;
    i.high = high;
    return i;
#else
    (void)high;
    return (item)low;
#endif
}

DEVICE wide low_part(item i)
{
#if KEY_BITS == 128
    return i.low;
#else
    return i;
#endif
}

DEVICE wide high_part(item i)
{
#if KEY_BITS == 128
    return i.high;
#else
    (void)i;
    return 0;
#endif
}

/* Read the item of `bytes` bytes at `from`, by words of `word` bytes. */
DEVICE item fetch(const char *from, int bytes, int word)
{
    wide part[2] = {0, 0};

    if (word == ITEM_BYTES)
        return LOAD_AS(BULK, (const item_cell *)from);
    UNROLL
    for (int i = 0; i < bytes; i += word) {
        wide value;

        if (word == 8)
            value = LOAD_AS(BULK, (const wide_cell *)(from + i));
        else if (word == 4)
            value = LOAD_AS(BULK, (const unsigned_cell *)(from + i));
        else if (word == 2)
            value = LOAD_AS(BULK, (const half_cell *)(from + i));
        else
            value = LOAD_AS(BULK, (const byte_cell *)(from + i));
        part[i / 8] |= value << i % 8 * 8;
    }
    return join_parts(part[0], part[1]);
}

/* Write it. */
DEVICE void deliver(char *to, item it, int bytes, int word)
{
    const wide part[2] = {low_part(it), high_part(it)};

    if (word == ITEM_BYTES) {
        STORE_AS(BULK, (item_cell *)to, it);
        return;
    }
    UNROLL
    for (int i = 0; i < bytes; i += word) {
        const wide value = part[i / 8] >> i % 8 * 8;

        if (word == 8)
            STORE_AS(BULK, (wide_cell *)(to + i), value);
        else if (word == 4)
            STORE_AS(BULK, (unsigned_cell *)(to + i), (unsigned)value);
        else if (word == 2)
            STORE_AS(BULK, (half_cell *)(to + i), (half)value);
        else
            STORE_AS(BULK, (byte_cell *)(to + i), (byte)value);
    }
}

/* The largest word that items of `bytes` bytes consist of: 1, 2, 4, 8 or 16 bytes. */
DEVICE int natural_word(int bytes)
{
    const int bits = bytes | ITEM_BYTES;

    return bits & -bits;
}

/* Can an array of items be read by natural words? If not, it is read byte by byte. */
DEVICE int is_aligned(const void *array, int word)
{
    return ((size_t)array & (size_t)(word - 1)) == 0;
}

/* Item `at` of an array. */
DEVICE item item_at(const struct less_order *order, const void *array, wide at)
{
    const int bytes = STORED_BYTES(order);
    const int word = natural_word(bytes);
    const char *const from = (const char *)array + at * (wide)bytes;

    return is_aligned(array, word) ? fetch(from, bytes, word) : fetch(from, bytes, 1);
}

/* The lists of a group, one after the other in the array. */
struct less_group {
    wide first; /* position of the first list */
    wide total; /* items of all lists */
};

DEVICE struct less_group less_group_of(const struct less_round *round, wide number)
{
    const wide most = (wide)round->ways * round->run;
    struct less_group g;

    g.first = number * most;
    g.total = round->count - g.first < most ? round->count - g.first : most;
    return g;
}

/* Items of the concatenated lists before `rank` that are in list `list`. */
DEVICE wide less_share(const struct less_round *round, wide rank, int list)
{
    const wide before = (wide)list * round->run;
    const wide rest = rank > before ? rank - before : 0;

    return list >= round->ways ? 0 : rest < round->run ? rest : round->run;
}
