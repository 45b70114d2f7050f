/*
 * select_keys.c - each thread finds the smallest keys of its share; those are sorted.
 */
#include "cpu/select_keys.h"

#include <string.h>

#include "cpu/suite.h"

enum {
    LEAST = 4096,     /* keys that are worth it */
    THREAD = 1 << 18, /* keys that are worth a thread */
    PORTION = 8       /* at most this part of the keys, 1 / PORTION, is selected */
};

struct select_keys {
    const struct suite *suite;
    unsigned workers;
    struct smallest_task all;
    struct smallest_task *shares; /* of each worker, in the first one's memory */
    unsigned char *work;
};

int select_is_bare(const struct request *r)
{
    const struct field_code *const code = &r->order.field[0].code;

    return r->element_type && r->column_count == 1 && !r->position_bytes &&
           code->rotate == 0 && code->zero == 0 && code->low == 0 &&
           code->high == code->mask;
}

static void smallest_share(void *arg, unsigned worker)
{
    struct select_keys *const s = (struct select_keys *)arg;
    const size_t size = (size_t)s->suite->bits / 8;
    const uint64_t first = pool_part(s->all.count, s->workers, worker);
    struct smallest_task *const share = &s->shares[worker];

    *share = s->all;
    share->keys = (const unsigned char *)s->all.keys + first * size;
    share->count = pool_part(s->all.count, s->workers, worker + 1) - first;
    share->ranks = s->work + (size_t)worker * WORK_BYTES;
    s->suite->smallest(share);
}

/* Sort what all workers found; into the first one's memory. */
static void join(struct select_keys *s)
{
    const size_t size = (size_t)s->suite->bits / 8;
    struct quick_task found = {.keys = s->work,
                               .is_entered = 1,
                               .least = s->suite->first_rank,
                               .most = s->suite->last_rank};

    /* Without a code, ranks stay ranks. */
    found.code.flip = s->suite->plain_flip;
    for (unsigned i = 0; i < s->workers; i++) {
        memmove(s->work + found.count * size, s->shares[i].ranks,
                s->shares[i].found * size);
        found.count += s->shares[i].found;
    }
    if (s->workers > 1)
        s->suite->quick(&found);
}

int select_keys(struct pool *pool, const struct request *request,
                const struct row_range *range, void *work)
{
    const int bits = request->element_type ? 8 * (int)request->element_type->size : 0;
    const struct suite *const suite = bits ? suite_for(bits) : NULL;
    const uint64_t worth = range->count / THREAD + 1;
    const unsigned threads = pool_threads(pool);
    struct select_keys s = {.suite = suite,
                            .workers = worth < threads ? (unsigned)worth : threads,
                            .work = (unsigned char *)work};
    const uint64_t last = request->last < range->count ? request->last : range->count;

    if (!suite || !suite->smallest || !select_is_bare(request) || range->count < LEAST ||
        request->first >= last || last > range->count / PORTION ||
        last * s.workers > SMALLEST_ROOM / 64)
        return 0;

    const struct request_column column = request_column(request, 0);
    const size_t size = (size_t)bits / 8;

    s.shares = (struct smallest_task *)(void *)(s.work + SMALLEST_ROOM);
    s.all = (struct smallest_task){.keys = (const unsigned char *)column.in +
                                           range->first * size,
                                   .count = range->count,
                                   .code = request->code,
                                   .wanted = last};
    pool_run(pool, s.workers, smallest_share, &s);
    join(&s);
    suite->leave(s.work + request->first * size,
                 (unsigned char *)column.out + range->to * size, last - request->first,
                 request->code);
    return 1;
}
