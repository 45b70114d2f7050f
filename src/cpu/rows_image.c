/*
 * rows_image.c - rows as images: see rows_image.h.
 */
#include "cpu/rows_image.h"

#include <string.h>

#include "cpu/inlined.h"
#include "cpu/stream.h"
#include "cpu/suite.h"

int image_of(const struct request *r, struct image *image)
{
    const uint64_t row = r->row_bytes;
    uint32_t offset = 0;

    *image = (struct image){.bytes = 4, .column_count = r->column_count};
    while (image->bytes < row && image->bytes < 16)
        image->bytes *= 2;
    if (image->bytes < row)
        image->bytes = (uint32_t)row;
    /* multiway.h promises 1.25 times the row and 4 bytes; rows_deal.c takes 2 of those. */
    if (row > IMAGE_MOST || 4 * image->bytes > 5 * row + 8 ||
        r->column_count > IMAGE_COLUMNS)
        return 0;
    for (uint32_t i = 0; i < r->column_count; i++) {
        image->column[i] = request_column(r, i);
        image->offset[i] = offset;
        offset += image->column[i].bytes;
    }
    return 1;
}

struct comparison image_comparison(const struct request *r, const struct image *image,
                                   const void *images)
{
    struct comparison c = comparison_of(r, 0);

    for (uint32_t i = 0; i < r->order.field_count; i++) {
        const struct request_field *const field = &r->order.field[i];

        c.field[i].first =
            (const unsigned char *)images + image->offset[field->column] + field->offset;
        c.field[i].step = image->bytes;
    }
    return c;
}

/* ---- Packing ------------------------------------------------------------------------ */

/* Are images two values of `bytes` each, both wanted? */
static int is_pair(const struct image *image, uint32_t bytes)
{
    return image->column_count == 2 && image->column[0].bytes == bytes &&
           image->column[1].bytes == bytes && image->column[0].out && image->column[1].out;
}

/* Pack pairs of values of `bytes`, a constant. */
INLINED void pack_pairs(const unsigned char *a, const unsigned char *b, uint32_t count,
                        unsigned char *to, size_t bytes)
{
    for (size_t i = 0; i < count; i++) {
        memcpy(to + 2 * i * bytes, a + i * bytes, bytes);
        memcpy(to + (2 * i + 1) * bytes, b + i * bytes, bytes);
    }
}

const unsigned char *image_pack(const struct image *image, uint64_t first, uint32_t count,
                                unsigned char *room)
{
    const unsigned char *const a = image->column[0].in;
    const unsigned char *const b = image->column[1].in;

    if (image->column_count == 1 && image->column[0].bytes == image->bytes)
        return a + first * image->bytes;
    if (is_pair(image, 4)) {
        pack_pairs(a + 4 * first, b + 4 * first, count, room, 4);
        return room;
    }
    if (is_pair(image, 8)) {
        pack_pairs(a + 8 * first, b + 8 * first, count, room, 8);
        return room;
    }
    for (uint32_t c = 0; c < image->column_count; c++) {
        const size_t bytes = image->column[c].bytes;
        const unsigned char *const from =
            (const unsigned char *)image->column[c].in + first * bytes;

        for (size_t i = 0; i < count; i++)
            memcpy(room + i * image->bytes + image->offset[c], from + i * bytes, bytes);
    }
    return room;
}

/* ---- Unpacking ---------------------------------------------------------------------- */

/* Where image `i` of a list is; sizes are constants where this is inlined. */
INLINED const unsigned char *image_at(const struct image_list *list, uint64_t i,
                                      size_t bytes)
{
    return list->images +
           (size_t)(number_at(list->items, list->item_bytes, i) & list->mask) * bytes;
}

/* Fetch `count` values of column `c` to `to`. */
INLINED void pick_column(const struct image *image, const struct image_list *list,
                         uint64_t first, uint32_t count, uint32_t c, size_t image_bytes,
                         size_t bytes, unsigned char *to)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * bytes, image_at(list, first + i, image_bytes) + image->offset[c],
               bytes);
}

static void pick(const struct image *image, const struct image_list *list, uint64_t first,
                 uint32_t count, uint32_t c, unsigned char *to)
{
    const size_t bytes = image->column[c].bytes;
    const struct pick_task task = {list->images + image->offset[c], image->bytes, bytes,
                                   list->mask};

    if (image->bytes > 16)
        suite_for(8 * (int)list->item_bytes)
            ->pick_rows(&task,
                        (const unsigned char *)list->items + first * list->item_bytes,
                        count, to);
    else if (bytes == 16 && image->bytes == 16)
        pick_column(image, list, first, count, c, 16, 16, to);
    else if (bytes == 8 && image->bytes == 16)
        pick_column(image, list, first, count, c, 16, 8, to);
    else if (bytes == 4)
        pick_column(image, list, first, count, c, image->bytes, 4, to);
    else
        pick_column(image, list, first, count, c, image->bytes, bytes, to);
}

/* Write `count` values of a column, from row `to` on. */
static void put(const struct request_column *column, const struct image_list *list,
                uint64_t to, uint32_t count, const unsigned char *values)
{
    unsigned char *const out = (unsigned char *)column->out + to * column->bytes;

    if (list->stream)
        stream_copy(out, values, (size_t)count * column->bytes);
    else
        memcpy(out, values, (size_t)count * column->bytes);
}

void image_unpack(const struct image *image, const struct image_list *list, uint64_t first,
                  uint64_t last, uint64_t to)
{
    const int is_short_pair = is_pair(image, 4);
    _Alignas(64) unsigned char room[IMAGE_ROOM];
    const uint64_t most = image->bytes > 32 ? IMAGE_ROOM / image->bytes : IMAGE_BLOCK;

    for (uint64_t at = first; at < last;) {
        /* IMAGE_BLOCK values are whole lines, if the column begins with one. */
        const uint64_t block = most - (to + at) % most;
        const uint32_t count = (uint32_t)(last - at < block ? last - at : block);

        if (is_short_pair) {
            uint32_t *const a = (uint32_t *)(void *)room;

            suite_for(8 * (int)list->item_bytes)
                ->pick_pairs(list->images,
                             (const unsigned char *)list->items + at * list->item_bytes,
                             list->mask, count, a, a + IMAGE_BLOCK);
            put(&image->column[0], list, to + at, count, room);
            put(&image->column[1], list, to + at, count, room + 4 * IMAGE_BLOCK);
        }
        for (uint32_t c = 0; c < image->column_count && !is_short_pair; c++) {
            if (!image->column[c].out)
                continue;
            pick(image, list, at, count, c, room);
            put(&image->column[c], list, to + at, count, room);
        }
        at += count;
    }
    stream_end();
}
