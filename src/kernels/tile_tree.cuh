/*
 * tile_tree.cuh - merging the lists of a tile in pairs, pairs of pairs, and so on
 * (tile_merge.cu, lists_merge.cu).
 */

enum { BANKS = 128 / CELL_BYTES }; /* cells in 128 bytes, a word of each bank */

/*
 * Bytes by which B of the group of rows [begin, end) is shifted into the gap after the
 * group. So lanes that read a column of A and B, or write a column of B, are in different
 * banks (docs/tile.md, "No bank conflicts").
 */
DEVICE int group_shift(int begin, int end)
{
    return begin / BANKS == (end - 1) / BANKS
               ? 0
               : (-end * (ITEMS + 1) & (BANKS - 1)) * CELL_BYTES;
}

/*
 * The groups of all rounds form a tree. Node 1 is the group of the last round; nodes 2n
 * and 2n + 1 become A and B of node n; the leaves are the `ways` / 2 pairs of lists.
 */
struct tile_node {
    int begin;   /* first row */
    int end;     /* one past the last row */
    int a_count; /* keys of A */
    int origin;  /* address of row 0 if all rows had the layout of this group */
    int shift;   /* bytes by which B is shifted (group_shift) */
};

/* The tree in shared memory. The nodes of one round are adjacent; no group uses node 0. */
struct tile_tree {
    wide_cell rows[TILE_MOST_WAYS];  /* begin; end in the upper half */
    wide_cell lists[TILE_MOST_WAYS]; /* a_count; origin and shift in the upper half */
    wide_cell tile;                  /* keys of the tile; its position in the upper half */
};

DEVICE struct tile_node get_node(const struct tile_tree *tree, int number)
{
    const wide rows = LOAD(&tree->rows[number]);
    const wide lists = LOAD(&tree->lists[number]);
    struct tile_node node;

    node.begin = (int)rows;
    node.end = (int)(rows >> 32);
    node.a_count = (int)lists;
    node.origin = (int)(lists >> 32) & 0xffffff;
    node.shift = (int)(lists >> 56);
    return node;
}

/* Each lane computes one node of the tree from all lists. */
DEVICE void plant_tree(struct tile_tree *tree, const struct tile_list *mine, int cells,
                       int ways)
{
    const int depth = HIGHEST_BIT(LANE | 1);
    const int height = HIGHEST_BIT(ways / 2) - depth; /* the node has 2^height pairs */
    const int pair = height < 0 ? 0 : (LANE << height) - ways / 2;
    const int pairs = height < 0 ? 1 : 1 << height;
    const int before = SHUFFLE(mine->end_row, (2 * pair - 1) & (WARP - 1));
    const int middle = SHUFFLE(mine->end_row, (2 * pair + pairs - 1) & (WARP - 1));
    const int end = SHUFFLE(mine->end_row, (2 * (pair + pairs) - 1) & (WARP - 1));
    const int a_count = SHUFFLE(mine->count, (2 * pair) & (WARP - 1));
    const int begin = pair > 0 ? before : 0;
    const int origin = cells + (LANE - (1 << depth)) * TILE_GAP_BYTES;
    const int a_keys = height == 0 ? a_count : (middle - begin) * ITEMS;
    const int high = origin | group_shift(begin, end) << 24;

    if (LANE > 0 && LANE < ways) {
        STORE(&tree->rows[LANE], (wide)(unsigned)begin | (wide)end << 32);
        STORE(&tree->lists[LANE], (wide)(unsigned)a_keys | (wide)(unsigned)high << 32);
    }
}

/* Where my list's part goes in shared memory, by the counts of all lists. */
DEVICE void lay_out_list(struct tile_list *list, int cells)
{
    const int is_b = LANE % 2;
    const int partner = SHUFFLE_XOR(list->count, 1);
    const int rows = (int)((unsigned)(list->count + partner + ITEMS - 1) / ITEMS);
    const int chunks = (int)((unsigned)(list->count + CHUNK - 1) / CHUNK);
    const int sums = (int)sum_up_to_lane((is_b ? 0 : rows) | chunks << 16);
    const int first_row = (sums & 0xffff) - rows;

    list->end_row = sums & 0xffff;
    list->end_chunk = sums >> 16;
    list->first_chunk = list->end_chunk - chunks;
    list->place = cells + first_row * ROW_BYTES + LANE / 2 * TILE_GAP_BYTES;
    if (is_b)
        list->place +=
            rows * ROW_BYTES - 2 * CELL_BYTES + group_shift(first_row, list->end_row);
}

/* The leaf of the tree whose group contains my row. */
DEVICE int node_of_row(const struct tile_tree *tree, int ways)
{
    int node = 1;

    while (node < ways / 2) {
        node *= 2;
        if (upper_half(&tree->rows[node]) <= THREAD)
            node++;
    }
    return node;
}

/* The group of a node as the owner of my row sees it. */
DEVICE struct group my_group(const struct tile_node *node)
{
    struct group g;

    g.first = node->origin + node->begin * ROW_BYTES;
    g.a_count = node->a_count;
    g.before = (THREAD - node->begin) * ITEMS;
    g.rest = (node->end - THREAD) * ITEMS;
    g.distance = (node->end - THREAD) * ROW_BYTES + node->shift;
    return g;
}

/* Store my merged row for the next round: as a row of A, or backwards as a row of B. */
DEVICE void put_merged_row(const struct tile_tree *tree, int number, int begin,
                           const item *r)
{
    const int end = upper_half(&tree->rows[number / 2]);
    const unsigned high = (unsigned)upper_half(&tree->lists[number / 2]);
    const int origin = (int)(high & 0xffffff);
    const int shift = (int)(high >> 24);
    const int mirrored = begin + end - 1 - THREAD;

    if (number % 2)
        scatter(origin + mirrored * ROW_BYTES + (ITEMS - 1) * CELL_BYTES + shift, 1, r);
    else
        scatter(origin + THREAD * ROW_BYTES, 0, r);
}

#ifdef TILE_LISTS
enum { MAY_BE_UNSORTED = 1 };
#else
enum { MAY_BE_UNSORTED = 0 };
#endif

/*
 * Does the split of the next row follow mine, by at most one row? It does if lists are
 * sorted. Then rows of the result take each key once.
 */
DEVICE int follows(struct split s, struct split next)
{
    if (!MAY_BE_UNSORTED)
        return 1;
    return next.row == s.row ? next.column >= s.column
                             : next.row == s.row + ROW_BYTES && next.column <= s.column;
}

/* Are the keys of my last row of the result that lie after the tile's all fillers? */
DEVICE int ends_in_fillers(const struct tile_tree *tree, const item *r, item fill)
{
    int right = 1;

    if (MAY_BE_UNSORTED) {
        const int last = (int)(unsigned)LOAD(&tree->tile) - THREAD * ITEMS;

        if (last < ITEMS) {
            UNROLL
            for (int j = 0; j < ITEMS; j++)
                right &= j < last || r[j] == fill;
        }
    }
    return right;
}

/*
 * Merge pairs of lists, then pairs of pairs, until one is left; `r` becomes my row of it.
 * Returns 0 if lists turn out not to be sorted so that keys may have been lost; only lists
 * of the caller's can. For those every thread gives its registers a value in each round,
 * even without a row: otherwise they would stay alive through the next round's search, and
 * five blocks would not fit an SM. tile_merge, with four, is 3 % faster without.
 */
DEVICE int merge_rounds(const struct tile_tree *tree, int cells, int_cell *splits, int ways,
                        const int near, item fill, item *r)
{
    const int live = THREAD < upper_half(&tree->rows[1]);
    int sound = 1;

    for (int number = node_of_row(tree, ways); number > 0; number /= 2) {
        const struct tile_node node = get_node(tree, number);
        struct group g = my_group(&node);
        struct split s;

        if (!live)
            g.a_count = g.before = g.rest = 0;
        s = find_split(&g, near);
        put_split(splits, s);
        BARRIER();

        const struct split next = next_split(&g, splits);

        if (live && follows(s, next)) {
            gather(&g, s, next, r);
            clean_registers(r, ITEMS, near); /* while other warps still gather */
        } else if (MAY_BE_UNSORTED) {
            sound &= !live;
            UNROLL
            for (int j = 0; j < ITEMS; j++)
                r[j] = fill;
        }
        if (number == 1)
            sound &= !live || ends_in_fillers(tree, r, fill);
        BARRIER(); /* all threads have gathered: the rows may be overwritten */
        if (live) {
            if (number > 1)
                put_merged_row(tree, number, node.begin, r);
            else
                scatter(cells + THREAD * ROW_BYTES, 0, r);
        }
        if (number > 1)
            BARRIER();
    }
    return sound;
}

struct tile_merge_shared {
#ifdef TILE_PLACES
    struct tile_stage stage;
#endif
    item_cell
        cells[(TILE_ROWS * ROW_BYTES + TILE_MOST_WAYS / 2 * TILE_GAP_BYTES) / CELL_BYTES];
    int_cell splits[TILE_ROWS];
    struct tile_tree tree;
};

AGREE(sizeof(struct tile_merge_shared) ==
      (PLACED ? TILE_MERGE_PLACED(TILE_ROWS, ITEMS)
              : TILE_MERGE_SHARED(TILE_ROWS, ITEMS, sizeof(item))));

enum {
    tile_merge_blocks =
        TILE_MERGE_BLOCKS ? TILE_MERGE_BLOCKS : TILE_BLOCKS(TILE_ROWS, ITEMS, ITEM_BYTES)
};

/* The bounds in the tile's two cuts tell the range of its keys. */
DEVICE struct tile_base find_base(const struct tile_cuts *cuts)
{
#ifdef TILE_PLACES
    return base_between(bound_of(cuts->first), bound_of(cuts->second));
#else
    struct tile_base b;

    b.base = 0;
    b.fill = filler();
    b.near = 0;
    b.rest_bits = 0;
#if NEAR_KEYS
    const unsigned least = bound_of(cuts->first);

    /* 8-byte keys are merged less a base that makes them near, if there is one. */
    if (bound_of(cuts->second) - least < 0x7fefffffu) {
        b.base = (bare)least << 32;
        b.fill = 0x7fefffffffffffffull; /* the greatest double */
        b.near = 1;
    }
#else
    (void)cuts;
#endif
    return b;
#endif
}
