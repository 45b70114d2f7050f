/*
 * rows_bucket.h - sort the images of one bucket, and write them as rows.
 */
#ifndef MW_CPU_ROWS_BUCKET_H
#define MW_CPU_ROWS_BUCKET_H

#include "cpu/pool.h"
#include "cpu/rows_image.h"

struct bucket {
    const struct request *request;
    const struct image *image;
    const unsigned char *images;
    uint64_t count;
    uint64_t to;  /* the row where they begin */
    int is_known; /* codes are in [least, most]; unused low bits of `least` are zero */
    uint64_t least;
    uint64_t most;
};

/* Memory to sort a bucket of `count` rows. */
uint64_t bucket_bytes(uint64_t count);

/* Sort with that memory, aligned to 64, and WORK_BYTES for each of several threads. */
void bucket_sort(struct pool *pool, const struct bucket *bucket, void *memory, void *work);

#endif
