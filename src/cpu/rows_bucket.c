/*
 * rows_bucket.c - sort the images of one bucket: items as in rows.h, in place.
 */
#include "cpu/rows_bucket.h"

#include "cpu/rows.h"
#include "cpu/sort.h"

struct bucket_job {
    const struct bucket *bucket;
    const struct row_suite *suite;
    struct row_sort sort;
    struct image_list list;
    unsigned workers;
};

uint64_t bucket_bytes(uint64_t count)
{
    return (count * 8 + 63) / 64 * 64 + (count + 31) / 32 * 16 * 8;
}

static void enter_share(void *arg, unsigned worker)
{
    const struct bucket_job *const job = (const struct bucket_job *)arg;
    const uint64_t count = job->sort.count;

    job->suite->enter(&job->sort, pool_part(count, job->workers, worker),
                      pool_part(count, job->workers, worker + 1));
}

static void unpack_share(void *arg, unsigned worker)
{
    const struct bucket_job *const job = (const struct bucket_job *)arg;
    const uint64_t count = job->sort.count;

    image_unpack(job->bucket->image, &job->list, pool_part(count, job->workers, worker),
                 pool_part(count, job->workers, worker + 1), job->bucket->to);
}

void bucket_sort(struct pool *pool, const struct bucket *b, void *memory, void *work)
{
    struct bucket_job job = {
        .bucket = b, .suite = &row_suite_32, .workers = rows_workers(pool, b->count)};
    struct row_sort *const sort = &job.sort;
    uint64_t most = b->most;
    int bits = 32;

    *sort = (struct row_sort){.compare = image_comparison(b->request, b->image, b->images),
                              .count = b->count,
                              .items = memory,
                              .spare_of_32 = 16,
                              .least = b->least};
    sort->spare = (unsigned char *)memory + (b->count * 8 + 63) / 64 * 64;
    if (!b->is_known)
        comparison_range(&sort->compare, 0, b->count, &sort->least, &most);
    row_sort_fit(sort, 32, most);
    if (!sort->is_complete) {
        bits = 64;
        job.suite = &row_suite_64;
        row_sort_fit(sort, 64, most);
    }

    const struct sort_request request = {
        .suite = suite_for(bits), .keys = memory, .count = b->count, .work = work};

    pool_run(pool, job.workers, enter_share, &job);
    sort_in_place(pool, &request, 0, NULL);
    if (!sort->is_complete)
        job.suite->refine(sort, 0, b->count, b->count);
    job.list =
        (struct image_list){b->images, memory, (uint32_t)bits / 8, sort->position_mask,
                            b->request->count * b->request->row_bytes >= STREAM_BYTES};
    pool_run(pool, job.workers, unpack_share, &job);
}
