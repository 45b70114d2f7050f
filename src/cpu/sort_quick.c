/*
 * sort_quick.c - a quicksort on several threads, in place.
 *
 * All threads of a group partition its keys around one pivot: each partitions a slice, then
 * they swap what ended on the wrong side. The group is divided in two, until every thread
 * has a piece of its own. A thread partitions long pieces further, and offers the right
 * sides to idle threads.
 */
#include "cpu/sort_quick.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum {
    WAITING_MOST = 512,   /* pieces that wait for a thread, at most */
    SHARES = 16,          /* pieces that a thread should get, ... */
    SHARE = 1 << 14,      /* ... if they have at least as many keys */
    PAIR_BYTES = 1 << 23, /* up to this size one of two threads partitions alone */
    SWAPPED = 1024        /* bytes swapped at once */
};

/* Workers [first, last) partition one piece together. */
struct group {
    struct quick_task piece;
    unsigned first;
    unsigned last;
    uint64_t pivot;
};

/* What a worker found in its slice. */
struct slice {
    _Alignas(64) uint64_t left; /* keys up to the pivot */
};

/* Lies in the working memory of the first worker; the slices follow it. */
struct quick_sort {
    _Alignas(struct slice) struct pool *pool;
    const struct suite *suite;
    size_t size;
    unsigned workers;
    struct quick_task all;
    uint64_t share;  /* keys of a piece that one thread sorts alone */
    int is_together; /* the first partitions are made by all workers */
    struct slice *slices;
    atomic_ullong left; /* keys that are not sorted yet */
    atomic_flag lock;   /* guards what follows */
    unsigned waiting_count;
    struct quick_task waiting[WAITING_MOST];
};

_Static_assert(sizeof(struct quick_sort) % _Alignof(struct slice) == 0,
               "what follows it is aligned as slices are");

static unsigned char *at(const struct quick_sort *q, const struct quick_task *piece,
                         uint64_t key)
{
    return (unsigned char *)piece->keys + key * q->size;
}

/* ---- Partitioning together ---------------------------------------------------------- */

static uint64_t slice_at(const struct group *g, unsigned worker)
{
    return pool_part(g->piece.count, g->last - g->first, worker - g->first);
}

static void part_slice(const struct quick_sort *q, const struct group *g, unsigned worker)
{
    struct quick_task slice = g->piece;
    const uint64_t first = slice_at(g, worker);

    slice.keys = at(q, &g->piece, first);
    slice.count = slice_at(g, worker + 1) - first;
    q->slices[worker].left = q->suite->part(&slice, g->pivot);
}

static uint64_t left_count(const struct quick_sort *q, const struct group *g)
{
    uint64_t sum = 0;

    for (unsigned i = g->first; i < g->last; i++)
        sum += q->slices[i].left;
    return sum;
}

/* A cursor over the keys on the wrong side, slice by slice. */
struct cursor {
    unsigned worker; /* whose slice */
    uint64_t at;     /* in the piece */
    uint64_t end;
};

/* The keys of a slice that are on the wrong side of `middle`. */
static struct cursor wrong_of(const struct quick_sort *q, const struct group *g,
                              unsigned worker, int on_left, uint64_t middle)
{
    const uint64_t first = slice_at(g, worker);
    const uint64_t parted = first + q->slices[worker].left;
    const uint64_t last = slice_at(g, worker + 1);
    struct cursor c = {worker, 0, 0};

    if (on_left) { /* greater ones before the middle */
        c.at = parted;
        c.end = last < middle ? last : middle;
    } else { /* smaller ones after it */
        c.at = first > middle ? first : middle;
        c.end = parted;
    }
    if (c.at > c.end)
        c.at = c.end;
    return c;
}

/* The cursor after the first `count` keys on the wrong side. */
static struct cursor skip(const struct quick_sort *q, const struct group *g, int on_left,
                          uint64_t middle, uint64_t count)
{
    struct cursor c = wrong_of(q, g, g->first, on_left, middle);

    while (count >= c.end - c.at && c.worker + 1 < g->last) {
        count -= c.end - c.at;
        c = wrong_of(q, g, c.worker + 1, on_left, middle);
    }
    c.at += count;
    return c;
}

static void swap_bytes(unsigned char *a, unsigned char *b, size_t bytes)
{
    unsigned char held[SWAPPED];

    while (bytes > 0) {
        const size_t some = bytes < SWAPPED ? bytes : SWAPPED;

        memcpy(held, a, some);
        memcpy(a, b, some);
        memcpy(b, held, some);
        a += some;
        b += some;
        bytes -= some;
    }
}

/* Swap this worker's share of the keys on wrong sides; both sides have as many of them. */
static void swap_share(const struct quick_sort *q, const struct group *g, unsigned worker)
{
    const uint64_t middle = left_count(q, g);
    uint64_t wrong = 0;

    for (unsigned i = g->first; i < g->last; i++) {
        const struct cursor c = wrong_of(q, g, i, 1, middle);

        wrong += c.end - c.at;
    }

    const unsigned workers = g->last - g->first;
    const uint64_t first = pool_part(wrong, workers, worker - g->first);
    uint64_t left = pool_part(wrong, workers, worker - g->first + 1) - first;
    struct cursor a = skip(q, g, 1, middle, first);
    struct cursor b = skip(q, g, 0, middle, first);

    while (left > 0) {
        uint64_t some = left;

        if (a.at == a.end) {
            a = wrong_of(q, g, a.worker + 1, 1, middle);
            continue;
        }
        if (b.at == b.end) {
            b = wrong_of(q, g, b.worker + 1, 0, middle);
            continue;
        }
        some = a.end - a.at < some ? a.end - a.at : some;
        some = b.end - b.at < some ? b.end - b.at : some;
        swap_bytes(at(q, &g->piece, a.at), at(q, &g->piece, b.at), some * q->size);
        a.at += some;
        b.at += some;
        left -= some;
    }
}

/* The left and the right side of a partitioned piece. */
static void divide(const struct quick_sort *q, const struct quick_task *piece,
                   uint64_t left, uint64_t pivot, struct quick_task sides[2])
{
    sides[0] = sides[1] = *piece;
    sides[0].count = left;
    sides[0].most = pivot;
    sides[1].keys = at(q, piece, left);
    sides[1].count = piece->count - left;
    sides[1].least = pivot + 1;
    sides[0].is_entered = sides[1].is_entered = 1;
}

/* The worker's new group: threads are divided as the keys were. */
static struct group next_group(const struct quick_sort *q, const struct group *g,
                               unsigned worker)
{
    const unsigned workers = g->last - g->first;
    const uint64_t left = left_count(q, g);
    struct group next = *g;
    struct quick_task sides[2];

    divide(q, &g->piece, left, g->pivot, sides);

    /* The nearest number of threads; an empty side gets none. */
    unsigned wanted = (unsigned)((left * workers + g->piece.count / 2) / g->piece.count);

    if (wanted == 0 && left > 0)
        wanted = 1;
    if (wanted == workers && left < g->piece.count)
        wanted = workers - 1;
    if (worker < g->first + wanted) {
        next.piece = sides[0];
        next.last = g->first + wanted;
    } else {
        next.piece = sides[1];
        next.first = g->first + wanted;
    }
    return next;
}

/* ---- Each on its own ---------------------------------------------------------------- */

static void lock(struct quick_sort *q)
{
    while (atomic_flag_test_and_set_explicit(&q->lock, memory_order_acquire))
        sched_yield();
}

static void unlock(struct quick_sort *q)
{
    atomic_flag_clear_explicit(&q->lock, memory_order_release);
}

static int push(struct quick_sort *q, const struct quick_task *piece)
{
    int is_room;

    lock(q);
    is_room = q->waiting_count < WAITING_MOST;
    if (is_room)
        q->waiting[q->waiting_count++] = *piece;
    unlock(q);
    return is_room;
}

/* Take the longest piece that waits: short ones at the end keep all threads busy. */
static int pop(struct quick_sort *q, struct quick_task *piece)
{
    unsigned longest = 0;
    int found;

    lock(q);
    found = q->waiting_count > 0;
    for (unsigned i = 1; i < q->waiting_count; i++)
        if (q->waiting[i].count > q->waiting[longest].count)
            longest = i;
    if (found) {
        *piece = q->waiting[longest];
        q->waiting[longest] = q->waiting[--q->waiting_count];
    }
    unlock(q);
    return found;
}

/* Sort a piece by this thread alone. */
static void sort_alone(struct quick_sort *q, const struct quick_task *piece)
{
    q->suite->quick(piece);
    atomic_fetch_sub(&q->left, piece->count);
}

/*
 * Sort a piece. As long as it exceeds one share, its right side is offered to others. After
 * a very uneven partition this thread goes on alone, because its quicksort limits the depth
 * of partitions.
 */
static void sort_piece(struct quick_sort *q, struct quick_task piece)
{
    while (piece.count > q->share && piece.least != piece.most) {
        struct quick_task sides[2];
        const uint64_t pivot = q->suite->pivot(&piece, 1, 2);
        const uint64_t left = q->suite->part(&piece, pivot);
        const uint64_t few = piece.count / 16;

        divide(q, &piece, left, pivot, sides);
        if (left < few || piece.count - left < few || !push(q, &sides[1])) {
            sort_alone(q, &sides[0]);
            sort_alone(q, &sides[1]);
            return;
        }
        piece = sides[0];
    }
    sort_alone(q, &piece);
}

/* Divide all keys and threads until each thread has a piece of its own. */
static struct group part_together(const struct quick_sort *q, unsigned worker)
{
    struct group g = {q->all, 0, q->workers, 0};

    for (unsigned most = q->workers; most > 1; most = most / 2 + most % 2) {
        const unsigned threads = g.last - g.first;
        const int is_parted = threads > 1 && g.piece.least != g.piece.most;

        if (is_parted) /* all workers find the same pivot */
            g.pivot = q->suite->pivot(&g.piece, threads / 2, threads);
        pool_wait(q->pool, q->workers);
        if (is_parted)
            part_slice(q, &g, worker);
        pool_wait(q->pool, q->workers);
        if (is_parted) {
            swap_share(q, &g, worker);
            g = next_group(q, &g, worker);
        }
        pool_wait(q->pool, q->workers);
    }
    return g;
}

static void sort_share(void *arg, unsigned worker)
{
    struct quick_sort *const q = (struct quick_sort *)arg;
    struct group g = {q->all, 0, q->workers, 0};
    struct quick_task piece;

    if (q->is_together)
        g = part_together(q, worker);
    if (worker == g.first)
        sort_piece(q, g.piece);
    while (atomic_load(&q->left) > 0)
        if (pop(q, &piece))
            sort_piece(q, piece);
        else
            sched_yield();
}

void sort_quick(struct pool *pool, unsigned workers, const struct sort_request *r)
{
    const struct quick_task all = {.keys = r->keys,
                                   .count = r->count,
                                   .code = r->code,
                                   .least = r->suite->first_rank,
                                   .most = r->suite->last_rank};
    struct quick_sort *const q = (struct quick_sort *)r->work;
    const uint64_t even = r->count / ((uint64_t)workers * SHARES);
    const size_t size = (size_t)r->suite->bits / 8;

    if (workers == 1) {
        r->suite->quick(&all);
        return;
    }
    *q = (struct quick_sort){.pool = pool,
                             .suite = r->suite,
                             .size = size,
                             .workers = workers,
                             .all = all,
                             .share = even > SHARE ? even : SHARE,
                             .is_together = workers > 2 || r->count * size > PAIR_BYTES,
                             .slices = (struct slice *)(q + 1),
                             .lock = ATOMIC_FLAG_INIT};
    atomic_init(&q->left, r->count);
    /* One thread has partitioned few keys before a second one wakes up. */
    if (q->is_together)
        pool_run_together(pool, workers, sort_share, q);
    else
        pool_run(pool, workers, sort_share, q);
}
