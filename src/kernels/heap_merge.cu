/*
 * heap_merge.cu - merge K sorted lists with a minBlockHeap (P2 to P5).
 *
 * One warp merges one piece of the output. Its heap is a binary tree whose nodes hold
 * 32 sorted keys each, none greater than any key in the nodes below. The K leaves are
 * fed by the lists, and the root holds the 32 least keys. Writing the root and filling
 * it again takes one coalesced write, log2 K merges of two nodes, and one coalesced
 * read.
 *
 * A node access is 32 consecutive keys, forwards or backwards, so no two lanes conflict
 * (lanes with narrow keys share a word), whatever the data.
 *
 * Near the end of the lists nodes become short. Fillers follow the keys of a short node;
 * since no key sorts after a filler, short and full nodes are merged in the same way. A
 * key may equal a filler, so the keys of a short node are counted. A node is short only
 * if nothing is left below it. It stays short, and its marks are never undone.
 */

/* Sets of children. Bit v of `left`: the left child of v; of `right`: the right one. */
struct children {
    unsigned left;
    unsigned right;
};

/*
 * A warp's heap. Nodes are 1 (the root) to 2 K - 1; v's children are 2v and 2v + 1.
 * The bit sets are the same in all lanes.
 */
struct heap {
    key_cell *nodes;         /* in shared memory */
    const key_cell *in;      /* the lists of this group, consecutive */
    int ways;                /* leaf v is fed by list v - ways */
    int count;               /* keys in node LANE ... */
    int high_count;          /* ... and in node 32 + LANE */
    struct children lacking; /* nodes with fewer than 32 keys ... */
    struct children empty;   /* ... and with none */
    unsigned goes_right;     /* bit v: filling v empties its right child */
    wide next;               /* my list's unread keys are [next, last) of `in` */
    wide last;
};

DEVICE key_cell *node(const struct heap *h, int v)
{
    return h->nodes + HEAP_NODE_KEYS * (v - 1);
}

DEVICE int node_count(const struct heap *h, int v)
{
    return v < WARP ? SHUFFLE(h->count, v) : SHUFFLE(h->high_count, v - WARP);
}

DEVICE void add_child(struct children *c, int v)
{
    if (v % 2)
        c->right |= 1u << v / 2;
    else
        c->left |= 1u << v / 2;
}

/* Note that node v has `count` keys, if that is fewer than 32. */
DEVICE void run_short(struct heap *h, int v, int count)
{
    if (count == HEAP_NODE_KEYS)
        return;
    if (LANE == v)
        h->count = count;
    if (LANE + WARP == v)
        h->high_count = count;
    add_child(&h->lacking, v);
    if (count == 0)
        add_child(&h->empty, v);
}

/* Where exactly one child of a node is in `c`, empty the other one. */
DEVICE void spare(struct heap *h, const struct children *c)
{
    const unsigned one = c->left ^ c->right;

    h->goes_right = (h->goes_right & ~one) | (c->left & one);
}

/* The child of v that becomes empty when v is filled. */
DEVICE int emptied_child(const struct heap *h, int v)
{
    return 2 * v + (h->goes_right >> v & 1);
}

/*
 * Note which child of v will be emptied: the one with the lesser last key. The other
 * keeps its last key and so stays in order with the nodes below it. It is `second` if
 * `yes` holds in the last lane.
 */
DEVICE void note_lesser(struct heap *h, int v, int first, int second, int yes)
{
    const int lesser = BALLOT(yes) >> (WARP - 1) & 1 ? second : first;

    h->goes_right = (h->goes_right & ~(1u << v)) | ((unsigned)(lesser & 1) << v);
}

/* Merge the children of v: the 32 least keys into v, the 32 greatest into `kept`. */
DEVICE void merge_children(const struct heap *h, int v, int kept, item *least,
                           item *greatest)
{
    item forwards = LOAD_AS(GATHER, node(h, 2 * v) + LANE);
    item backwards = LOAD_AS(GATHER, node(h, 2 * v + 1) + (HEAP_NODE_KEYS - 1 - LANE));

    exchange(&forwards, &backwards);
    *least = clean_lanes(forwards);
    *greatest = clean_lanes(backwards);
    WARP_BARRIER(); /* every lane has read both children */
    STORE_AS(SCATTER, node(h, v) + LANE, *least);
    STORE_AS(SCATTER, node(h, kept) + LANE, *greatest);
}

/* The same if only `full` has keys: they go to v, and the rest are fillers. */
DEVICE void move_child(const struct heap *h, int v, int full, item *least, item *greatest)
{
    *least = LOAD_AS(GATHER, node(h, full) + LANE);
    *greatest = filler();
    STORE_AS(SCATTER, node(h, v) + LANE, *least);
}

/*
 * Load the next keys of leaf v's list, at most 32: `*k` gets my key, or a filler.
 * Returns the number of keys.
 */
DEVICE int fetch(struct heap *h, int v, item *k)
{
    const int list = v - h->ways;
    const wide next = SHUFFLE(h->next, list);
    const wide last = SHUFFLE(h->last, list);
    const int count = last - next < HEAP_NODE_KEYS ? (int)(last - next) : HEAP_NODE_KEYS;

    *k = filler();
    if (LANE < count)
        *k = LOAD_AS(BULK, h->in + next + LANE);
    if (LANE == list)
        h->next += count;
    return count;
}

/*
 * Update the counts on the path down from v. If only one child is short, its count stays
 * the same. If both are short, v gets up to 32 of their keys and one child the rest.
 */
DEVICE void share_out(struct heap *h, int v, unsigned both_short)
{
    for (; v < h->ways; v = emptied_child(h, v)) {
        if (both_short >> v & 1) {
            const int count = node_count(h, 2 * v) + node_count(h, 2 * v + 1);

            run_short(h, v, count < HEAP_NODE_KEYS ? count : HEAP_NODE_KEYS);
            run_short(h, emptied_child(h, v) ^ 1,
                      count < HEAP_NODE_KEYS ? 0 : count - HEAP_NODE_KEYS);
        }
    }
}

/*
 * Go down from v to the leaf and fill each node from its children. Bit v of the two
 * masks: at least one child of v is empty; both are, and then so is everything below.
 * The contents of an empty node are never read.
 */
DEVICE void fill_way(struct heap *h, int v, unsigned one_empty, unsigned both_empty,
                     int leaf, item fresh, int fresh_count)
{
    int above = 0;     /* v's parent, if it was filled here too ... */
    int kept = 0;      /* ... its child that was not emptied, ... */
    item kept_key = 0; /* ... and my key of that child */

    while (v < h->ways && !(both_empty >> v & 1)) {
        const int emptied = emptied_child(h, v);
        item least;
        item greatest;

        if (one_empty >> v & 1)
            move_child(h, v, emptied, &least, &greatest);
        else
            merge_children(h, v, emptied ^ 1, &least, &greatest);
        if (above)
            note_lesser(h, above, v, kept, less(kept_key, least));
        above = v;
        kept = emptied ^ 1;
        kept_key = greatest;
        v = emptied;
    }
    if (fresh_count > 0)
        STORE(node(h, leaf) + LANE, fresh);
    if (above)
        note_lesser(h, above, v, kept, less(kept_key, fresh));
    WARP_BARRIER();
}

/*
 * Fill the empty node v (fillEmptyNode, P3): merge its children into it, the rest into
 * one of them, continue in the other, and refill the leaf at the end. The path down does
 * not depend on the merges, so the load of the leaf's keys is issued before the first.
 */
DEVICE void fill(struct heap *h, int v)
{
    const unsigned one_empty = h->empty.left | h->empty.right;
    const unsigned both_empty = h->empty.left & h->empty.right;
    const unsigned both_short = h->lacking.left & h->lacking.right;
    unsigned way = 0; /* a bit for each node on the path */
    int leaf = v;
    item fresh;

    spare(h, &h->lacking); /* nothing is below a short node: it can keep the rest */
    spare(h, &h->empty);
    while (leaf < h->ways) {
        way |= 1u << leaf;
        leaf = emptied_child(h, leaf);
    }

    const int fresh_count = fetch(h, leaf, &fresh);

    if (way & both_short)
        share_out(h, v, both_short);
    run_short(h, leaf, fresh_count);
    if (way & one_empty)
        fill_way(h, v, one_empty, both_empty, leaf, fresh, fresh_count);
    else
        fill_way(h, v, 0, 0, leaf, fresh, fresh_count);
}

/* Load every leaf, then fill the inner nodes from the bottom up. */
DEVICE void build(struct heap *h)
{
    h->lacking.left = h->lacking.right = 0;
    h->empty.left = h->empty.right = 0;
    h->goes_right = 0;
    h->count = HEAP_NODE_KEYS;
    h->high_count = HEAP_NODE_KEYS;
    for (int leaf = h->ways; leaf < 2 * h->ways; leaf++) {
        item k;
        const int count = fetch(h, leaf, &k);

        if (count > 0)
            STORE(node(h, leaf) + LANE, k);
        run_short(h, leaf, count);
    }
    WARP_BARRIER();
    for (int v = h->ways - 1; v > 0; v--) {
        if (!((h->lacking.left | h->lacking.right) >> v & 1)) {
            const item left = LOAD(node(h, 2 * v) + LANE);
            const item right = LOAD(node(h, 2 * v + 1) + LANE);

            note_lesser(h, v, 2 * v, 2 * v + 1, less(right, left));
        }
        fill(h, v);
    }
}

/* My list's part of the piece, between the cuts before and after it. */
DEVICE void open_lists(struct heap *h, const struct heap_round *round, wide group,
                       wide piece)
{
    const wide_cell *const cuts = (const wide_cell *)round->cuts +
                                  (group * (round->pieces + 1) + piece) * round->ways;

    h->in = (const key_cell *)round->in + group * round->ways * round->run;
    h->ways = round->ways;
    h->next = 0;
    h->last = 0;
    if (LANE < round->ways) {
        h->next = LANE * round->run + LOAD_AS(CUT, &cuts[LANE]);
        h->last = LANE * round->run + LOAD_AS(CUT, &cuts[round->ways + LANE]);
    }
}

/* Merge one piece: write the root and fill it again until the piece is complete. */
DEVICE void merge_piece(struct heap *h, const struct heap_merge_args *args, wide task)
{
    const struct heap_round *const round = &args->round;
    const wide group = task / round->pieces;
    const wide group_first = group * round->ways * round->run;
    const wide group_last = group_first + round->ways * round->run;
    const wide end = group_last < round->count ? group_last : round->count;
    const wide first = group_first + task % round->pieces * round->piece;
    const wide last = first + round->piece < end ? first + round->piece : end;
    key_cell *const out = (key_cell *)round->out;

    open_lists(h, round, group, task % round->pieces);
    build(h);
    for (wide at = first; at < last; at += HEAP_NODE_KEYS) {
        if (at + LANE < last)
            STORE_AS(BULK, &out[at + LANE], leave(LOAD(node(h, 1) + LANE), &args->leave));
        if (at + HEAP_NODE_KEYS >= last)
            break;
        fill(h, 1);
    }
}

enum { heap_merge_blocks = 1 };

/* The warps of the grid take pieces in turn; every group has `pieces` of them. */
KERNEL(heap_merge, struct heap_merge_args)
{
    SHARED(key_cell, nodes);
    const int warps = THREADS / WARP;
    const int warp = THREAD / WARP;
    struct heap h;

    h.nodes = nodes + warp * HEAP_NODE_KEYS * HEAP_NODES(args.round.ways);
    for (wide task = (wide)BLOCK * warps + warp;
         task < args.round.groups * args.round.pieces; task += (wide)BLOCKS * warps)
        merge_piece(&h, &args, task);
}
