/*
 * programs.h - the kernels by number, sets of them, and programs by name. For the
 * host only.
 */
#ifndef MW_PROGRAMS_H
#define MW_PROGRAMS_H

#include "base/base.h"
#include "kernels/launch.h"

#include <string.h>

/* The kernels of kernels.def, by number. */
enum kernel_id {
#define KERNEL_ROW(id, name, args, program, memory) KERNEL_##id,
#include "kernels/kernels.def"
#undef KERNEL_ROW
    KERNEL_COUNT
};

/* A set of kernels has a bit for each. */
typedef uint64_t kernel_set;

#define KERNEL_SET(kernel) ((kernel_set)1 << (kernel))

_Static_assert(KERNEL_COUNT <= 64, "a set of kernels has 64 bits");

/* What a program is: an engine's, or one that all engines use. */
enum program_kind {
    PROGRAM_HEAP = MW_ENGINE_HEAP,
    PROGRAM_TILE = MW_ENGINE_TILE,
    PROGRAM_PAIR = MW_ENGINE_PAIR,
    PROGRAM_TALLY = MW_ENGINE_TALLY,
    PROGRAM_ROWS = 16,
    PROGRAM_LESS = 17,
    PROGRAM_LISTS = 18,
    PROGRAM_PLACES = 20, /* kernels that only PROGRAM_TILE with places has, ... */
    PROGRAM_DEAL = 21,   /* ... or only that of bare keys and tiles by DEAL_TILE */
    PROGRAM_BARE = 22,   /* those that only PROGRAM_LISTS without places has */
    PROGRAM_KEYS = 23    /* those that only PROGRAM_TILE without places has */
};

/*
 * Which program: an engine's for one key width and, of engine tile, one geometry; or one
 * that sorts by a comparison, which on a GPU is compiled from its text.
 */
struct program_name {
    unsigned engine;           /* an mw_engine or an enum program_kind */
    int bits;                  /* of a key: 8, 16, 32 or 64; PROGRAM_ROWS: 0 */
    struct tile_geometry tile; /* PROGRAM_LESS: threads, items, blocks; otherwise 0 */

    /* PROGRAM_LESS: how rows compare (mw_order). */
    const char *less;         /* or NULL */
    const char *declarations; /* or NULL */
    int (*less_on_host)(const void *a, const void *b);
    uint32_t element_bytes;
};

/* Are two texts, each may be NULL, the same? */
static inline int same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static inline int same_program(const struct program_name *a, const struct program_name *b)
{
    return a->engine == b->engine && a->bits == b->bits && a->tile.rows == b->tile.rows &&
           a->tile.items == b->tile.items && a->tile.sort_blocks == b->tile.sort_blocks &&
           a->tile.merge_blocks == b->tile.merge_blocks &&
           a->element_bytes == b->element_bytes && same_text(a->less, b->less) &&
           same_text(a->declarations, b->declarations) &&
           a->tile.places == b->tile.places && a->tile.large == b->tile.large;
}

/* Of engine tile: bytes of an item, and of shared memory a block. */
static inline uint32_t item_bytes(const struct program_name *name)
{
    return name->tile.places ? TILE_PLACED_BYTES : (uint32_t)name->bits / 8;
}

static inline uint32_t tile_sort_shared(const struct program_name *name)
{
    const uint32_t rows = name->tile.rows, items = name->tile.items;

    return name->tile.places ? TILE_SORT_PLACED(rows, items)
                             : (uint32_t)TILE_SORT_SHARED(rows, items, item_bytes(name));
}

static inline uint32_t tile_merge_shared(const struct program_name *name)
{
    const uint32_t rows = name->tile.rows, items = name->tile.items;

    return name->tile.places ? TILE_MERGE_PLACED(rows, items)
                             : (uint32_t)TILE_MERGE_SHARED(rows, items, item_bytes(name));
}

/* Has the program kernels that deal (launch_deal.h)? */
static inline int program_deals(const struct program_name *name)
{
    return name->engine == MW_ENGINE_TILE && !name->tile.places &&
           DEAL_TILE(name->tile.rows, name->tile.items, (unsigned)name->bits);
}

/* The set of all kernels of an engine, or of another kind of program. */
static inline kernel_set kernels_of(unsigned engine)
{
    kernel_set kernels = 0;

#define KERNEL_ROW(id, name, args, program, memory) \
    kernels |= engine == PROGRAM_##program ? KERNEL_SET(KERNEL_##id) : 0;
#include "kernels/kernels.def"
#undef KERNEL_ROW
    return kernels;
}

/* The set of all kernels of a program. */
static inline kernel_set program_kernels(const struct program_name *name)
{
    const int has_places = name->engine == MW_ENGINE_TILE && name->tile.places;
    const int is_bare = name->engine == PROGRAM_LISTS && !name->tile.places;
    const int has_keys = name->engine == MW_ENGINE_TILE && !name->tile.places;

    return kernels_of(name->engine) | (has_places ? kernels_of(PROGRAM_PLACES) : 0) |
           (is_bare ? kernels_of(PROGRAM_BARE) : 0) |
           (has_keys ? kernels_of(PROGRAM_KEYS) : 0) |
           (program_deals(name) ? kernels_of(PROGRAM_DEAL) : 0);
}

#endif
