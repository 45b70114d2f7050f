#include "forecast.h"

enum {
    LANES = 32, /* of a warp; also the keys of a bulk request, and of a heap's node */
    SECTOR_BYTES = 32, /* of global memory */
    GRID = 1024        /* heap: keys that a warp sorts alone */
};

int figure_exact(const struct figure *figure)
{
    return figure->known && figure->least == figure->most;
}

int figure_holds(const struct figure *figure)
{
    return !figure->known ||
           (figure->least <= figure->counted && figure->counted <= figure->most);
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static uint64_t round_up(uint64_t a, uint64_t b)
{
    return divide_up(a, b) * b;
}

/* How often 2 goes into `n`, rounded up. */
static uint32_t levels_of(uint64_t n)
{
    uint32_t levels = 0;

    while (UINT64_C(1) << levels < n)
        levels++;
    return levels;
}

/* ---- The rounds, as the plan makes them -------------------------------------- */

/* Pieces of a group: about as many as there are warps, each a multiple of 32 keys. */
static uint64_t heap_pieces(const struct forecast *f, uint64_t group)
{
    const uint64_t share = round_up(divide_up(f->count, f->tuning.warps), LANES);
    const uint64_t pieces = divide_up(group, share);

    return divide_up(group, round_up(divide_up(group, pieces), LANES));
}

/*
 * Tiles of a group: each has room for a cut that is off on either side, by a 72nd
 * of a tile or 60 keys, and for an almost empty row behind every pair of lists.
 */
static uint64_t tile_pieces(const struct forecast *f, uint64_t group, uint32_t ways)
{
    const uint64_t tile = f->tuning.base;
    const uint64_t slack = tile / 72 > 60 ? tile / 72 : 60;

    return divide_up(group, tile - 2 * slack - ways / 2 * (f->tuning.items - 1));
}

/* Engine tile's blocks find the cuts of their own tile if there are few. */
static int is_joined(const struct forecast *f, const struct forecast_round *round)
{
    return f->tuning.engine == MW_ENGINE_TILE && round->groups * round->pieces <= 64;
}

/* Barriers behind what is fetched or found for the whole block: samples, and cuts. */
static uint64_t fetches(const struct forecast *f, const struct forecast_round *round)
{
    return is_joined(f, round) ? 2 : 0;
}

static void add_round(struct forecast *f, uint64_t run, uint32_t ways)
{
    const uint64_t group = run > f->count / ways ? f->count : run * ways;
    struct forecast_round *const round = &f->round[f->rounds++];

    *round = (struct forecast_round){
        .run = run, .ways = ways, .groups = divide_up(f->count, run * ways)};
    if (f->tuning.engine == MW_ENGINE_HEAP)
        round->pieces = heap_pieces(f, group);
    else if (f->tuning.engine == MW_ENGINE_TILE)
        round->pieces = tile_pieces(f, group, ways);
    else
        round->pieces = divide_up(group, f->tuning.base);
}

/*
 * Heap and pair merge `ways` runs in every round. Tile shares its levels out evenly, and
 * never among more rounds than the first one's ways, the most, would need: it would
 * gain nothing.
 */
static void make_rounds(struct forecast *f)
{
    const uint32_t levels = levels_of(divide_up(f->count, f->tuning.base));
    const uint32_t most = levels_of(f->tuning.ways);
    const uint32_t rounds = (levels + most - 1) / most;
    uint64_t run = f->tuning.base;

    for (uint32_t i = 0; i < rounds; i++) {
        const uint32_t shared = levels / rounds + (i < levels % rounds);
        const uint32_t ways =
            f->tuning.engine == MW_ENGINE_TILE ? 1u << shared : f->tuning.ways;

        add_round(f, run, ways);
        run *= ways;
    }
}

/* ---- Figures ------------------------------------------------------------------- */

static void set_range(struct forecast *f, enum figure_name name, const char *formula,
                      uint64_t least, uint64_t most)
{
    struct figure *const figure = &f->figures[name];

    figure->known = 1;
    figure->formula = formula;
    figure->least = least;
    figure->most = most;
}

static void set(struct forecast *f, enum figure_name name, const char *formula,
                uint64_t value)
{
    set_range(f, name, formula, value, value);
}

static uint64_t requests_of(const struct forecast *f)
{
    return divide_up(f->count, LANES);
}

static uint64_t sectors_of(const struct forecast *f)
{
    return divide_up(f->count * f->key_size, SECTOR_BYTES);
}

/* Warps that merge in one round, counted as often as they do. */
static uint64_t warps_of(const struct forecast *f, const struct forecast_round *round)
{
    return round->groups * round->pieces * (f->tuning.threads / LANES);
}

/* Every engine's first pass reads and writes 32 keys at multiples of 32. */
static void first_traffic(struct forecast *f)
{
    set(f, FIRST_READS, "ceil(N / 32)", requests_of(f));
    set(f, FIRST_READ_SECTORS, "ceil(N size / 32)", sectors_of(f));
    set(f, FIRST_WRITES, "ceil(N / 32)", requests_of(f));
    set(f, FIRST_WRITE_SECTORS, "ceil(N size / 32)", sectors_of(f));
}

/*
 * Shearsort transposes 8 times, the last store once more: 32 requests for columns,
 * and for rows as many as a row of 32 keys has words, or keys if these are wider. A
 * run grows in `levels` steps: step i exchanges i times between warps, rows for rows,
 * and transposes twice. A short last block first looks for its greatest key.
 */
static void first_of_heap(struct forecast *f)
{
    const uint64_t blocks = divide_up(f->count, f->tuning.base);
    const uint64_t block_warps = f->tuning.base / GRID;
    const uint64_t levels = levels_of(block_warps);
    const uint64_t row = f->key_size < 4 ? LANES * f->key_size / 4 : LANES;
    const uint64_t requests =
        (LANES + row) * (9 + 2 * levels) + row * levels * (levels + 1);
    const uint64_t turns = f->key_size == 8 ? 2 : 1; /* of the banks, for all lanes */
    const uint64_t short_warps = f->count % f->tuning.base ? block_warps : 0;

    set(f, FIRST_WAVEFRONTS, "turns warps ((32 + row) (9 + 2 L) + row L (L + 1))",
        blocks * block_warps * requests * turns + short_warps * (1 + block_warps));
    set(f, FIRST_SHUFFLES, "64 warps", blocks * block_warps * 64 + short_warps * 5);
    set(f, FIRST_BARRIERS, "warps L (L + 2)",
        blocks * block_warps * levels * (levels + 2) + short_warps * 2);
}

/*
 * Lanes merge by shuffles until 4 of them hold one list, 8 of 8-byte keys: a step
 * over 2^i lanes takes i + 1 shuffles a key. Then come rounds in shared memory with
 * one ballot each, and three barriers if they go beyond a warp.
 */
static void first_of_tile(struct forecast *f)
{
    const uint64_t tile_warps = f->tuning.threads / LANES;
    const uint64_t warps = divide_up(f->count, f->tuning.base) * tile_warps;
    const uint64_t steps = f->key_size == 8 ? 3 : 2;
    const uint64_t rounds = levels_of(f->tuning.threads) - steps;

    set(f, FIRST_SHUFFLES, "warps (items S (S + 1) / 2 + log2(threads) - S)",
        warps * (f->tuning.items * steps * (steps + 1) / 2 + rounds));
    set(f, FIRST_BARRIERS, "3 warps log2(threads / 32)", 3 * warps * levels_of(tile_warps));
}

static void first_of_pair(struct forecast *f)
{
    const uint64_t warps =
        divide_up(f->count, f->tuning.base) * (f->tuning.threads / LANES);

    set(f, FIRST_SHUFFLES, "none", 0);
    set(f, FIRST_BARRIERS, "warps (2 log2(threads) + 1)",
        warps * (2 * levels_of(f->tuning.threads) + 1));
}

/*
 * A piece is K parts of lists. Of n keys in K parts, ceil(n / 32) + K - 1 blocks of 32
 * can be made at the most; a group that is one piece has whole lists, and no more
 * than n / 32. A block that begins anywhere touches one sector more than it fills.
 */
static void merges_of_heap(struct forecast *f)
{
    const uint64_t requests = f->rounds * requests_of(f);
    const uint64_t sectors = f->rounds * sectors_of(f);
    uint64_t ends = 0;
    uint64_t anywhere = 0;

    for (uint32_t i = 0; i < f->rounds; i++) {
        const struct forecast_round *const round = &f->round[i];
        const uint64_t parts = round->groups * round->pieces * (round->ways - 1);

        if (round->pieces == 1)
            continue;
        ends += parts;
        anywhere += requests_of(f) + 2 * parts;
    }
    set_range(f, MERGE_READS, "R ceil(N / 32), + K - 1 a piece", requests, requests + ends);
    set_range(f, MERGE_READ_SECTORS, "R ceil(N size / 32), + 1 a read, + K - 1 a piece",
              sectors, sectors + anywhere);
    set(f, MERGE_WRITES, "R ceil(N / 32)", requests);
    set(f, MERGE_WRITE_SECTORS, "R ceil(N size / 32)", sectors);
    set(f, MERGE_BARRIERS, "none", 0);
    set(f, CONFLICTS, "none", 0);
    set(f, WARP_BYTES, "32 (2 K - 1) size",
        LANES * (2 * (uint64_t)f->tuning.ways - 1) * f->key_size);
}

/*
 * Requests are lines of 32 keys at multiples of 32, so a part of a list costs one
 * short line at each end, and so does what a warp writes. Where a warp's chunk of a
 * long part ends, and another's begins, a sector may be read twice.
 */
static void merges_of_tile(struct forecast *f)
{
    const uint64_t chunk = (f->tuning.items / 2 + 1) * LANES;
    const uint64_t cell = f->key_size == 8 ? 8 : 4;
    const uint64_t tile_warps = f->tuning.threads / LANES;
    const uint64_t requests = f->rounds * requests_of(f);
    const uint64_t sectors = f->rounds * sectors_of(f);
    uint64_t parts = 0;
    uint64_t rows = 0;
    uint64_t barriers = 0;

    for (uint32_t i = 0; i < f->rounds; i++) {
        const struct forecast_round *const round = &f->round[i];
        const uint64_t tiles = round->groups * round->pieces;

        parts += 2 * tiles * round->ways;
        rows += tiles * (tile_warps + 1);
        barriers += warps_of(f, round) * (3 * levels_of(round->ways) + fetches(f, round));
    }
    set_range(f, MERGE_READS, "R ceil(N / 32), + 2 K a tile", requests, requests + parts);
    set_range(f, MERGE_READ_SECTORS, "R ceil(N size / 32), + 2 K a tile, + 1 a chunk",
              sectors, sectors + parts + f->rounds * (f->count / chunk));
    set_range(f, MERGE_WRITES, "R ceil(N / 32), + threads / 32 + 1 a tile", requests,
              requests + rows);
    set_range(f, MERGE_WRITE_SECTORS, "R ceil(N size / 32), + threads / 32 + 1 a tile",
              sectors, sectors + rows);
    set(f, MERGE_BARRIERS, "warps (3 log2 K, + 2 if joined), each round", barriers);
    set(f, WARP_BYTES, "(threads ((items + 1) cell + 4) + 2568) / warps",
        (f->tuning.threads * ((f->tuning.items + 1) * cell + 4) + 2568) / tile_warps);
}

/*
 * Lanes of one read take neighbours of the tile, whichever list they are of: always
 * ceil(N / 32) reads. One of them in a tile has keys of both lists.
 */
static void merges_of_pair(struct forecast *f)
{
    const uint64_t tile = f->tuning.base;
    const uint64_t tiles = divide_up(f->count, tile);
    const uint64_t requests = f->rounds * requests_of(f);
    const uint64_t sectors = f->rounds * sectors_of(f);
    const uint64_t pads = f->tuning.items % 2 ? 0 : tile * f->key_size / 128;
    const uint64_t tile_warps = f->tuning.threads / LANES;

    set(f, MERGE_READS, "R ceil(N / 32)", requests);
    set_range(f, MERGE_READ_SECTORS, "R ceil(N size / 32), + 1 a read, + 2 a tile", sectors,
              sectors + requests + 2 * f->rounds * tiles);
    set(f, MERGE_WRITES, "R ceil(N / 32)", requests);
    set(f, MERGE_WRITE_SECTORS, "R ceil(N size / 32)", sectors);
    set(f, MERGE_BARRIERS, "2 R warps", 2 * f->rounds * tiles * tile_warps);
    set(f, WARP_BYTES, "(base + pads + 1) size / warps",
        (tile + pads + 1) * f->key_size / tile_warps);
}

/* clang-format off */
static const struct {
    const char *pass;
    const char *what;
} names[FIGURES] = {
    [FIRST_READS]         = {"first pass", "reads"},
    [FIRST_READ_SECTORS]  = {"first pass", "sectors read"},
    [FIRST_WRITES]        = {"first pass", "writes"},
    [FIRST_WRITE_SECTORS] = {"first pass", "sectors written"},
    [FIRST_WAVEFRONTS]    = {"first pass", "shared wavefronts"},
    [FIRST_SHUFFLES]      = {"first pass", "shuffles"},
    [FIRST_BARRIERS]      = {"first pass", "barriers"},
    [MERGE_READS]         = {"merging", "reads"},
    [MERGE_READ_SECTORS]  = {"merging", "sectors read"},
    [MERGE_WRITES]        = {"merging", "writes"},
    [MERGE_WRITE_SECTORS] = {"merging", "sectors written"},
    [MERGE_BARRIERS]      = {"merging", "barriers"},
    [CONFLICTS]           = {"", "bank conflicts"},
    [WARP_BYTES]          = {"", "shared bytes of a warp"},
    [ROUNDS]              = {"", "merge rounds, R"},
    [LAUNCHES]            = {"", "launches"},
};
/* clang-format on */

static void name_figures(struct forecast *f)
{
    for (int i = 0; i < FIGURES; i++)
        f->figures[i] = (struct figure){names[i].pass, names[i].what, "", 0, 0, 0, 0};
}

static void count_launches(struct forecast *f)
{
    const int tile = f->tuning.engine == MW_ENGINE_TILE; /* finds cuts while it merges */

    set(f, LAUNCHES, tile ? "1 + R" : "1 + 2 R",
        f->count ? 1 + (tile ? 1 : 2) * (uint64_t)f->rounds : 0);
}

void forecast_make(struct forecast *f, const mw_tuning *tuning, size_t key_size,
                   uint64_t count)
{
    *f = (struct forecast){.tuning = *tuning, .count = count, .key_size = key_size};
    name_figures(f);
    make_rounds(f);
    first_traffic(f);
    if (tuning->engine == MW_ENGINE_HEAP) {
        first_of_heap(f);
        merges_of_heap(f);
    } else if (tuning->engine == MW_ENGINE_TILE) {
        first_of_tile(f);
        merges_of_tile(f);
    } else {
        first_of_pair(f);
        merges_of_pair(f);
    }
    set(f, ROUNDS, "ceil(log_K(N / base))", f->rounds);
    count_launches(f);
}

/* ---- What was counted ------------------------------------------------------------ */

/*
 * The ledger's lines are of the first pass, of merging, or of cuts. Those that engine tile
 * finds move nothing in bulk, and need not be told from its merging.
 */
static void count_line(struct forecast *f, const mw_ledger_line *line)
{
    const mw_traffic *const t = &line->traffic;
    const int merge = strstr(line->kernel, "_merge") || strstr(line->kernel, "_join");
    const int cut = strstr(line->kernel, "_cut") != NULL;
    struct figure *const reads = &f->figures[merge ? MERGE_READS : FIRST_READS];
    struct figure *const bulk = reads + (line->stores ? FIRST_WRITES - FIRST_READS : 0);

    f->figures[CONFLICTS].counted += t->shared_wavefronts - t->shared_ideal;
    if (cut)
        return;
    f->figures[merge ? MERGE_BARRIERS : FIRST_BARRIERS].counted += t->barriers;
    if (!merge) {
        f->figures[FIRST_WAVEFRONTS].counted += t->shared_wavefronts;
        f->figures[FIRST_SHUFFLES].counted += t->shuffles;
    }
    if (line->access == MW_ACCESS_BULK) {
        bulk[0].counted += t->global_requests;
        bulk[1].counted += t->global_sectors;
    }
}

void forecast_count(struct forecast *f, const mw_counts *counts,
                    const mw_ledger_line *lines, size_t line_count)
{
    for (int i = 0; i < FIGURES; i++)
        f->figures[i].counted = 0;
    for (size_t i = 0; i < line_count; i++)
        count_line(f, &lines[i]);
    f->figures[WARP_BYTES].counted = counts->warp_shared;
    f->figures[ROUNDS].counted = counts->rounds;
    f->figures[LAUNCHES].counted = counts->launches;
}
