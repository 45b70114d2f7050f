/*
 * rows_image.h - rows as images: all columns of a row side by side.
 *
 * One access to memory finds all of a row, and images can be dealt out (deal.h). Short ones
 * have a size that divides a line of memory.
 */
#ifndef MW_CPU_ROWS_IMAGE_H
#define MW_CPU_ROWS_IMAGE_H

#include "cpu/compare.h"

enum {
    IMAGE_COLUMNS = 4, /* at most */
    IMAGE_ROOM = 8192, /* bytes of rows that are unpacked at once */
    IMAGE_MOST = 256,  /* bytes of a row; longer ones are gathered: they move once */
    IMAGE_BLOCK = 256  /* most rows that are packed at once */
};

struct image {
    uint32_t bytes; /* of a row, up to 16 of them rounded up to 4, 8 or 16 */
    uint32_t column_count;
    struct request_column column[IMAGE_COLUMNS];
    uint32_t offset[IMAGE_COLUMNS]; /* of the columns in an image */
};

/* The images of a request's rows; or 0 if they are long, or would be mostly gaps. */
int image_of(const struct request *request, struct image *image);

/* Compare images from `images` on as the request compares rows. */
struct comparison image_comparison(const struct request *request, const struct image *image,
                                   const void *images);

/* The images of rows [first, first + count): where they are, or copied to `room`. */
const unsigned char *image_pack(const struct image *image, uint64_t first, uint32_t count,
                                unsigned char *room);

/* Images and their order: the low bits of each item are the place of an image. */
struct image_list {
    const unsigned char *images;
    const void *items;
    uint32_t item_bytes; /* 4 or 8 */
    uint64_t mask;       /* of the place */
    int stream;          /* the columns are too long for the caches */
};

/* Write images [first, last) of a list to the columns wanted, from row `to` + first on. */
void image_unpack(const struct image *image, const struct image_list *list, uint64_t first,
                  uint64_t last, uint64_t to);

#endif
