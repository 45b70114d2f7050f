/*
 * tile_rows.h - the tuning table's rows for engine tile, to test against. The
 * simulator has kernels for the geometry of each.
 */
#ifndef MW_TEST_TILE_ROWS_H
#define MW_TEST_TILE_ROWS_H

#include "kernels/launch.h"
#include "multiway_insight.h"

#include <stddef.h>
#include <stdint.h>

struct tile_row {
    uint32_t arch;
    uint32_t kib;
    size_t size;
    uint64_t most;
    uint32_t ways;
    struct tile_geometry tile;
};

/* clang-format off */
static const struct tile_row tile_rows[] = {
#define TUNE_TILE(arch, kib, size, most, ways, rows, items, sort_blocks, merge_blocks)   \
    {arch, kib, size, most, ways, {rows, items, sort_blocks, merge_blocks, 0, 0}},
#define TUNE_PLACES(arch, kib, size, most, ways, rows, items, sort_blocks, merge_blocks) \
    {arch, kib, size, most, ways, {rows, items, sort_blocks, merge_blocks, 1, 0}},
#include "tune.def"
};
/* clang-format on */

enum { TILE_ROW_COUNT = sizeof tile_rows / sizeof *tile_rows };

static inline int same_tile(const struct tile_row *a, const struct tile_row *b)
{
    return a->size == b->size && a->tile.rows == b->tile.rows &&
           a->tile.items == b->tile.items && a->tile.places == b->tile.places;
}

/* The n-th geometry for keys of `size` bytes, each once; NULL after the last. */
static inline const struct tile_geometry *tile_of(size_t size, unsigned places, int n)
{
    for (int i = 0; i < TILE_ROW_COUNT; i++) {
        const struct tile_row *const row = &tile_rows[i];
        int again = row->size != size || row->tile.places != places;

        for (int j = 0; j < i && !again; j++)
            again = same_tile(row, &tile_rows[j]);
        if (!again && n-- == 0)
            return &row->tile;
    }
    return NULL;
}

static inline const struct tile_geometry *tile_of_size(size_t size, int n)
{
    return tile_of(size, 0, n);
}

/*
 * What the engine of a tuning can follow: pair has 2 ways at most, tile its n-th geometry
 * for keys of `size` bytes, or the table's choice if there is no such geometry, tally no
 * keys of more than 2 bytes.
 */
static inline void tile_fit(mw_tuning *tuning, size_t size, int n)
{
    const struct tile_geometry *const tile =
        tuning->engine == MW_ENGINE_TILE ? tile_of_size(size, n) : NULL;

    if (tuning->engine == MW_ENGINE_TALLY && size > 2)
        tuning->engine = MW_ENGINE_AUTO;
    if (tuning->engine == MW_ENGINE_PAIR && tuning->ways)
        tuning->ways = 2;
    if (tuning->engine >= MW_ENGINE_TILE) {
        tuning->warps = tuning->base = 0;
        tuning->threads = tile ? tile->rows : 0;
        tuning->items = tile ? tile->items : 0;
    }
}

#endif
