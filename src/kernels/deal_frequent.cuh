/*
 * deal_frequent.cuh - values that many keys have (deal.cuh).
 *
 * Equal keys are equal bit by bit, so a frequent value need not be moved: deal_out counts
 * its keys and deal_sort writes them. deal_range finds values that repeat in one tile of
 * samples, deal_sample counts them in all samples, and deal_split keeps those that have
 * half a tile of keys or more. deal_pack gives the values their places among the tiles.
 *
 * A value may belong between the keys of a tile. Only the block that sorts the tile knows
 * where the value then begins: at FREQUENT_FIRST if all keys of the tile are greater, at
 * FREQUENT_PAST if all are less. FREQUENT_PAST is FREQUENT_FIRST plus the keys of the tile.
 * So places from FREQUENT_PAST up to FREQUENT_FIRST + FREQUENT_KEYS have the value in any
 * case, and all blocks share in filling them. The block of the tile writes its keys, on
 * both sides of the value, and the other places of the value. Until it has loaded its keys,
 * they lie before FREQUENT_PAST, where no other block writes.
 */

DEVICE wide_cell *frequent_row(const struct deal_args *args, const int row)
{
    return (wide_cell *)args->frequent + row * DEAL_FREQUENT;
}

/* How many values there are: word DEAL_LIKELY or DEAL_FOUND of the head. */
DEVICE unsigned frequent_count(const struct deal_args *args, const int word)
{
    const wide count = LOAD((const wide_cell *)args->head + word);

    return count < DEAL_FREQUENT ? (unsigned)count : DEAL_FREQUENT;
}

/*
 * The values as a search tree, level by level from the root. Nodes after the last value
 * repeat it. Each node has a counter.
 */
struct deal_tree {
    const key_cell *codes;
    unsigned count;
    int levels;
};

/* The number of a node's value, in order. */
DEVICE unsigned value_of_node(const struct deal_tree *tree, unsigned node)
{
    const int level = HIGHEST_BIT(node + 1);
    const unsigned place = node + 1 - (1u << level);
    const unsigned value = ((2 * place + 1) << (tree->levels - 1 - level)) - 1;

    return value < tree->count ? value : tree->count - 1;
}

/* Make the tree of the first `count` values, and clear its counters; no barrier follows. */
DEVICE struct deal_tree make_tree(const struct deal_args *args, unsigned count,
                                  key_cell *codes, unsigned_cell *counts)
{
    const unsigned node = (unsigned)THREAD;
    struct deal_tree tree;

    AGREE(DEAL_FREQUENT <= DEAL_THREADS);
    tree.codes = codes;
    tree.count = count;
    tree.levels = count ? HIGHEST_BIT(count) + 1 : 0;
    if (node + 1 < 1u << tree.levels) {
        const unsigned value = value_of_node(&tree, node);

        STORE(&codes[node], (key)LOAD(frequent_row(args, FREQUENT_CODE) + value));
        STORE(&counts[node], 0);
    }
    return tree;
}

/* The node of a code; DEAL_FREQUENT: none has it. */
DEVICE unsigned find_node(const struct deal_tree *tree, key code)
{
    unsigned node = 0, found = DEAL_FREQUENT;

    NO_UNROLL
    for (int i = 0; i < tree->levels; i++) {
        const key other = LOAD_AS(SEARCH, &tree->codes[node]);

        found = other == code ? node : found;
        node = 2 * node + 1 + (other < code);
    }
    return found;
}

/* Add the counters to a row. */
DEVICE void add_counts(const struct deal_args *args, const struct deal_tree *tree,
                       const unsigned_cell *counts, const int row)
{
    const unsigned node = (unsigned)THREAD;

    if (node + 1 < 1u << tree->levels) {
        const unsigned count = LOAD(&counts[node]);

        if (count)
            ADD(PLAIN, frequent_row(args, row) + value_of_node(tree, node), count);
    }
}

/* Binary search in ascending words [first, last): the first of at least `least`. */
DEVICE unsigned find_word(const wide_cell *row, unsigned first, unsigned last, wide least)
{
    NO_UNROLL
    while (first < last) {
        const unsigned middle = (first + last) / 2;

        if (LOAD_AS(SEARCH, &row[middle]) < least)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}
