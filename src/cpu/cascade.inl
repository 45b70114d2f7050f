/*
 * cascade.inl - merge many runs into one by a tree of two-way merges.
 *
 * Every node merges its two children into a small buffer (`room`) that stays in the
 * cache, QUANTUM ranks at a time. So ranks are read from memory and written to memory
 * once, however many runs there are. A child is refilled when it has less than a quantum.
 */
struct node {
    struct list list;      /* merged and waiting; of a leaf, the rest of its run */
    uint64_t coming;       /* ranks its children have yet to give; of a leaf, none */
    struct node *child[2]; /* of a leaf, NULL */
    rank *room;            /* for 2 * QUANTUM ranks; of a leaf, NULL */
    const rank *ahead;     /* of a leaf, how far it was prefetched */
    const rank *checked;   /*   up to here it is known to be in order */
    const rank *last;      /*   where checking ends */
};

/* The last of the MERGE_WAYS - 1 inner nodes is the root. */
struct merge_work {
    struct spare spare;
    struct list lists[MERGE_WAYS];
    uint64_t first[MERGE_WAYS]; /* the cuts of the window */
    uint64_t last[MERGE_WAYS];
    const rank *ends[MERGE_WAYS]; /* where checking of each run ends */
    struct node nodes[2 * MERGE_WAYS];
    _Alignas(STREAM_LINE) rank rooms[MERGE_WAYS][2 * QUANTUM];
    int has_disorder;
};

_Static_assert(sizeof(struct merge_work) <= WORK_BYTES, "a merge fits the working memory");

/* Prefetch the ranks of a leaf that its next quantum may need. */
static void leaf_prefetch(struct node *leaf)
{
#if defined(__GNUC__)
    const uint64_t soon = leaf->list.count < QUANTUM ? leaf->list.count : QUANTUM;
    const rank *const end = leaf->list.head + soon;

    /* Into L2: in L1 they would evict the rooms. */
    for (; leaf->ahead < end; leaf->ahead += 64 / sizeof(rank))
        __builtin_prefetch(leaf->ahead, 0, 2);
#else
    (void)leaf;
#endif
}

/* Check the ranks of a leaf that its next quantum may need, and one more. 0: disorder. */
static int leaf_check(struct node *leaf)
{
    const uint64_t soon = leaf->list.count < QUANTUM ? leaf->list.count : QUANTUM;
    const rank *const end = leaf->list.head + soon;
    const rank *const checked = leaf->checked;
    const size_t pairs = (size_t)((leaf->last < end ? leaf->last : end) - checked);
    rank falls = 0;

    for (size_t i = 0; i < pairs; i++)
        falls |= checked[i + 1] < checked[i];
    leaf->checked += pairs;
    return !falls;
}

static void node_fill(struct node *node, struct merge_work *work);

/* Move the next `want` ranks, at most QUANTUM, of an inner node to `to`. */
static void node_merge(struct node *node, rank *to, size_t want, struct merge_work *work)
{
    for (int i = 0; i < 2; i++) {
        struct node *const child = node->child[i];

        while (child->coming > 0 && child->list.count < QUANTUM)
            node_fill(child, work);
        if (!child->room && !leaf_check(child))
            work->has_disorder = 1;
    }
    merge_some(&node->child[0]->list, &node->child[1]->list, to, want, &work->spare);
    node->coming -= want;
    for (int i = 0; i < 2; i++)
        if (!node->child[i]->room)
            leaf_prefetch(node->child[i]);
}

/* Put one more quantum into the room of an inner node that holds less than one. */
static void node_fill(struct node *node, struct merge_work *work)
{
    const size_t held = (size_t)node->list.count;
    const size_t want = node->coming < QUANTUM ? (size_t)node->coming : QUANTUM;

    memmove(node->room, node->list.head, held * sizeof(rank));
    node_merge(node, node->room + held, want, work);
    node->list = (struct list){node->room, held + want};
}

/* Take the lightest of `*count` trees out of the list. */
static struct node *lightest(struct node **trees, unsigned *count)
{
    unsigned best = 0;

    for (unsigned i = 1; i < *count; i++)
        if (trees[i]->coming + trees[i]->list.count <
            trees[best]->coming + trees[best]->list.count)
            best = i;

    struct node *const tree = trees[best];
    trees[best] = trees[--*count];
    return tree;
}

/*
 * Make a tree of all lists that have ranks; NULL if none has. The two lightest
 * are joined first, as Huffman would: a long run passes few nodes.
 */
static struct node *plant(struct merge_work *work, unsigned count)
{
    const struct list *const lists = work->lists;
    struct node *trees[MERGE_WAYS];
    struct node *next = work->nodes;
    unsigned left = 0;

    for (unsigned i = 0; i < count; i++) {
        if (lists[i].count > 0) {
            *next = (struct node){.list = lists[i],
                                  .ahead = lists[i].head,
                                  .checked = lists[i].head,
                                  .last = work->ends[i]};
            trees[left++] = next++;
        }
    }
    for (unsigned i = 0; left > 1; i++) {
        struct node *const a = lightest(trees, &left);
        struct node *const b = lightest(trees, &left);

        *next = (struct node){
            .list = {work->rooms[i], 0},
              .room = work->rooms[i]
        };
        next->child[0] = a;
        next->child[1] = b;
        next->coming = a->coming + a->list.count + b->coming + b->list.count;
        trees[left++] = next++;
    }
    return left ? trees[0] : NULL;
}

/* Write everything a tree holds, or stop at disorder. */
static void harvest(struct node *root, struct output *output, struct merge_work *work)
{
    uint64_t left = root->coming + root->list.count;
    _Alignas(STREAM_LINE) rank merged[QUANTUM];
    /* A short first piece, so that all others begin at a line. */
    size_t most = to_line(output->to) ? to_line(output->to) : QUANTUM;

    for (; left > 0 && !work->has_disorder; most = QUANTUM) {
        const size_t want = left < most ? (size_t)left : most;

        if (root->room) {
            node_merge(root, merged, want, work);
        } else {
            work->has_disorder = !leaf_check(root);
            list_take(&root->list, merged, want);
        }
        output_write(output, merged, want);
        left -= want;
    }
}

/*
 * Reduce run i to what belongs to the window. The rank after that is checked as well, so
 * that windows together check whole runs. Cuts may cross if runs are in disorder.
 */
static int take_window(struct merge_work *work, const struct merge_task *task, unsigned i)
{
    struct list *const list = &work->lists[i];
    const uint64_t first = work->first[i], last = work->last[i];

    if (first > last)
        return 0;
    work->ends[i] = list->head + (last < list->count ? last : last - (last > 0));
    *list = (struct list){list->head + first, last - first};
    if (!task->check)
        work->ends[i] = list->head;
    return 1;
}

static int merge(const struct merge_task *task)
{
    struct merge_work *const work = (struct merge_work *)task->work;
    const rank *const from = (const rank *)task->from;
    struct list *const lists = work->lists;

    for (unsigned i = 0; i < task->runs; i++)
        lists[i] =
            (struct list){from + task->starts[i], task->starts[i + 1] - task->starts[i]};
    cut_lists(lists, task->runs, task->first, work->first);
    cut_lists(lists, task->runs, task->last, work->last);
    for (unsigned i = 0; i < task->runs; i++)
        if (!take_window(work, task, i))
            return 0;

    struct output output = {(key *)task->to + task->starts[0] + task->first, task->code,
                            task->leaving, task->stream};
    struct node *const root = plant(work, task->runs);

    work->has_disorder = 0;
    if (root)
        harvest(root, &output, work);
    stream_end();
    return !work->has_disorder;
}
