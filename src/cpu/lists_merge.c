/*
 * lists_merge.c - merge the lists of a request: threads share the result by exact cuts,
 * and each merges its windows of all lists by a tournament.
 */
#include "cpu/lists.h"

#include <string.h>

#include "cpu/choice.inl"

enum {
    PART_ROWS = 16, /* of each list, that a part should have: a cut costs time, too */
    CHUNK = 512,    /* rows that are chosen before any is copied */
    NOBODY = -1
};

/* What a part needs for each list: a leaf with its window, and a node of the tournament. */
struct leaf {
    struct list_row head; /* the code is UINT64_MAX if no row is left */
    uint64_t last;
};

struct node {
    uint64_t code; /* of the leaf's head */
    int64_t leaf;
};

enum { LEAF_BYTES = sizeof(struct leaf) + sizeof(struct node) };

/* Smaller rooms are laid out in the memory of leaves and nodes. */
_Static_assert((int)LEAF_BYTES >= (int)LIST_ROOM_BYTES,
               "cuts are searched where leaves will be");

struct merge {
    struct lists lists;
    unsigned parts;
    unsigned step;  /* cuts: every other multiple of it is found now */
    uint64_t *cuts; /* parts + 1 rows */
    unsigned char *rooms;
    size_t room_bytes;
};

/* Part `i` of the result begins there. */
static uint64_t part_at(const struct merge *merge, unsigned i)
{
    return pool_part(merge->lists.request->count, merge->parts, i);
}

static uint64_t *cuts_of(const struct merge *merge, unsigned i)
{
    return merge->cuts + (size_t)i * merge->lists.count;
}

/* ---- Cuts -------------------------------------------------------------------------- */

/* One of the cuts halfway between those that are known; so no two cuts cross. */
static void cut_share(void *arg, unsigned worker)
{
    const struct merge *const merge = (const struct merge *)arg;
    const unsigned i = (2 * worker + 1) * merge->step;
    const unsigned before = i - merge->step;
    const unsigned after = i + merge->step < merge->parts ? i + merge->step : merge->parts;
    const size_t bytes = merge->lists.count * sizeof(uint64_t);
    const struct list_room room =
        list_room(merge->rooms + worker * merge->room_bytes, merge->lists.count);

    memcpy(cuts_of(merge, i), cuts_of(merge, before), bytes);
    memcpy(room.high, cuts_of(merge, after), bytes);
    lists_cut(&merge->lists, cuts_of(merge, i), room,
              part_at(merge, i) - part_at(merge, before));
}

static void find_cuts(struct pool *pool, struct merge *merge)
{
    unsigned reach = 1;

    for (uint32_t list = 0; list < merge->lists.count; list++) {
        cuts_of(merge, 0)[list] = 0;
        cuts_of(merge, merge->parts)[list] = merge->lists.at[list].table.count;
    }
    while (reach < merge->parts)
        reach *= 2;
    for (merge->step = reach / 2; merge->step > 0; merge->step /= 2)
        pool_run(pool, (merge->parts - 1 + merge->step) / (2 * merge->step), cut_share,
                 merge);
}

/* ---- The tournament ----------------------------------------------------------------- */

struct tournament {
    const struct lists *lists;
    struct leaf *leaf; /* of lists with rows, in their order */
    struct node *node; /* from 1 on: the leaf that lost there; 0: the one that won */
    int64_t leaves;
};

/* Does leaf `a` win against leaf `b`? Their codes are equal. */
static int wins_tie(const struct tournament *t, int64_t a, int64_t b)
{
    const struct leaf *const x = &t->leaf[a];
    const struct leaf *const y = &t->leaf[b];

    if (x->head.row == x->last || y->head.row == y->last)
        return x->head.row != x->last;
    return lists_precede(t->lists, &x->head, &y->head);
}

static void leaf_code(const struct tournament *t, struct leaf *leaf)
{
    leaf->head.code = leaf->head.row < leaf->last
                          ? lists_code(t->lists, leaf->head.list, leaf->head.row)
                          : UINT64_MAX;
}

/*
 * Let a leaf play from the bottom to the top. The winner is a coin toss, which as a branch
 * would be mispredicted; so node and leaf are swapped by arithmetic. Ties are rare.
 */
static void play(const struct tournament *t, int64_t number)
{
    struct node leaf = {t->leaf[number].head.code, number};

    for (int64_t at = (number + t->leaves) / 2; at > 0; at /= 2) {
        struct node *const node = &t->node[at];
        const int is_swapped = node->code == leaf.code ? wins_tie(t, node->leaf, leaf.leaf)
                                                       : node->code < leaf.code;
        const uint64_t mask = -(uint64_t)choice(is_swapped);
        const uint64_t code = (node->code ^ leaf.code) & mask;
        const int64_t other = (node->leaf ^ leaf.leaf) & (int64_t)mask;

        node->code ^= code;
        leaf.code ^= code;
        node->leaf ^= other;
        leaf.leaf ^= other;
    }
    t->node[0] = leaf;
}

/* The same for the first time: the first leaf at a node waits there. */
static void play_first(const struct tournament *t, int64_t number)
{
    int64_t at = (number + t->leaves) / 2;
    struct node leaf = {t->leaf[number].head.code, number};

    for (; at > 0; at /= 2) {
        const struct node other = t->node[at];

        if (other.leaf == NOBODY) {
            t->node[at] = leaf;
            return;
        }
        if (other.code == leaf.code ? wins_tie(t, other.leaf, leaf.leaf)
                                    : other.code < leaf.code) {
            t->node[at] = leaf;
            leaf = other;
        }
    }
    t->node[0] = leaf;
}

/* All windows of a part that are not empty. */
static void enter(struct tournament *t, const uint64_t *first, const uint64_t *last)
{
    t->leaves = 0;
    for (uint32_t list = 0; list < t->lists->count; list++) {
        struct leaf *const leaf = &t->leaf[t->leaves];

        if (first[list] == last[list])
            continue;
        *leaf = (struct leaf){
            {0, first[list], list},
            last[list]
        };
        leaf_code(t, leaf);
        t->leaves++;
    }
    for (int64_t i = 0; i < t->leaves; i++)
        t->node[i].leaf = NOBODY;
    for (int64_t i = t->leaves; i-- > 0;)
        play_first(t, i);
}

/* ---- Writing ------------------------------------------------------------------------- */

/* Rows that were chosen for consecutive places of the result. */
struct chunk {
    uint64_t to;
    uint32_t count;
    uint32_t list[CHUNK];
    uint64_t row[CHUNK];
};

static void write_column(const struct lists *lists, const struct chunk *chunk,
                         uint32_t number)
{
    const struct request *const request = lists->request;
    const struct request_column column = request_column(request, number);
    const size_t bytes = column.bytes;
    unsigned char *const to = (unsigned char *)column.out + chunk->to * bytes;

    for (uint32_t i = 0; column.out && i < chunk->count; i++) {
        const mw_table *const table = &lists->at[chunk->list[i]].table;
        const unsigned char *const from =
            number ? request_list_column(request, chunk->list[i], number) : table->elements;
        const unsigned char *const value = from + chunk->row[i] * bytes;

        if (bytes == 4) /* these two without a call */
            memcpy(to + (size_t)i * 4, value, 4);
        else if (bytes == 8)
            memcpy(to + (size_t)i * 8, value, 8);
        else
            memcpy(to + i * bytes, value, bytes);
    }
}

static void write_chunk(const struct lists *lists, const struct chunk *chunk)
{
    const struct request *const request = lists->request;

    for (uint32_t i = 0; i < request->column_count; i++)
        write_column(lists, chunk, i);
    for (uint32_t i = 0; request->positions && i < chunk->count; i++) {
        const uint64_t position = lists->at[chunk->list[i]].first + chunk->row[i];

        if (request->position_bytes == 4)
            ((uint32_t *)request->positions)[chunk->to + i] = (uint32_t)position;
        else
            ((uint64_t *)request->positions)[chunk->to + i] = position;
    }
}

/* All rows of a part that comes from one list. */
static void copy_rows(const struct lists *lists, const struct leaf *leaf, uint64_t to)
{
    const struct request *const request = lists->request;
    const uint64_t count = leaf->last - leaf->head.row;
    const uint64_t position = lists->at[leaf->head.list].first + leaf->head.row;

    for (uint32_t i = 0; i < request->column_count; i++) {
        const struct request_column c = request_column(request, i);
        const unsigned char *const from = request_list_column(request, leaf->head.list, i);

        if (c.out)
            memcpy((unsigned char *)c.out + to * c.bytes, from + leaf->head.row * c.bytes,
                   count * c.bytes);
    }
    for (uint64_t i = 0; request->positions && i < count; i++) {
        if (request->position_bytes == 4)
            ((uint32_t *)request->positions)[to + i] = (uint32_t)(position + i);
        else
            ((uint64_t *)request->positions)[to + i] = position + i;
    }
}

static void merge_share(void *arg, unsigned worker)
{
    const struct merge *const merge = (const struct merge *)arg;
    const struct lists *const lists = &merge->lists;
    const uint64_t last = part_at(merge, worker + 1);
    struct leaf *const leaf = (struct leaf *)(merge->rooms + worker * merge->room_bytes);
    struct tournament t = {lists, leaf, (struct node *)(leaf + lists->count), 0};
    struct chunk chunk;

    enter(&t, cuts_of(merge, worker), cuts_of(merge, worker + 1));
    if (t.leaves == 1) {
        copy_rows(lists, t.leaf, part_at(merge, worker));
        return;
    }
    for (chunk.to = part_at(merge, worker); chunk.to < last; chunk.to += chunk.count) {
        for (chunk.count = 0; chunk.count < CHUNK && chunk.to + chunk.count < last;
             chunk.count++) {
            const int64_t winner = t.node[0].leaf;
            struct list_row *const head = &t.leaf[winner].head;

            chunk.list[chunk.count] = head->list;
            chunk.row[chunk.count] = head->row++;
            leaf_code(&t, &t.leaf[winner]);
            play(&t, winner);
        }
        write_chunk(lists, &chunk);
    }
}

/* ---- All together -------------------------------------------------------------------- */

/* Parts times lists, at most; it grows with the count and with the number of lists. */
static uint64_t most_windows(uint64_t count, uint64_t lists, unsigned threads)
{
    const uint64_t worth = count / PART_ROWS + lists;

    return worth < threads * lists ? worth : threads * lists;
}

uint64_t lists_scratch_bytes(const struct request *request, unsigned threads)
{
    const uint64_t lists = request->list_count;
    const uint64_t all = lists * sizeof(struct list_at);
    const uint64_t ranks = request->rank_count < threads ? request->rank_count : threads;
    const uint64_t windows = most_windows(request->count, lists, threads);

    if (request->operation == MW_SPLIT)
        return all + ranks * (LIST_ROOM_BYTES * lists + 4);
    return all + lists * sizeof(uint64_t) + windows * (LEAF_BYTES + sizeof(uint64_t)) +
           4 * (uint64_t)threads;
}

void lists_merge(struct pool *pool, const struct request *request, void *scratch)
{
    const size_t count = request->list_count;
    const unsigned threads = pool_threads(pool);
    const uint64_t parts = most_windows(request->count, count, threads) / count;
    struct list_at *const at = scratch;
    struct merge merge = {.lists = lists_read(request, at),
                          .parts = (unsigned)parts,
                          .cuts = (uint64_t *)(at + count),
                          .room_bytes = (LEAF_BYTES * count + 7) / 8 * 8};

    merge.rooms = (unsigned char *)(merge.cuts + (parts + 1) * count);
    if (request->count == 0)
        return;
    find_cuts(pool, &merge);
    pool_run(pool, merge.parts, merge_share, &merge);
}
