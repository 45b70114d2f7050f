#include "tally.h"

enum {
    LANES = 32,  /* B, and the lanes of a warp */
    SECTOR = 32, /* bytes */
    SAMPLE = 32, /* engine tile: keys for each sample */
    CELL = 8     /* bytes of a cut in one list */
};

uint64_t traffic_conflicts(const mw_traffic *traffic)
{
    return traffic->shared_wavefronts - traffic->shared_ideal;
}

uint64_t traffic_weight(const mw_traffic *traffic)
{
    return traffic->shared_wavefronts + traffic->global_sectors + traffic->shuffles +
           traffic->barriers;
}

int claim_holds(const struct claim *claim)
{
    return claim->counted >= claim->formula &&
           claim->counted - claim->formula <= claim->allowance;
}

int tally_holds(const struct tally *tally)
{
    for (int i = 0; i < tally->claim_count; i++) {
        if (!claim_holds(&tally->claims[i]))
            return 0;
    }
    return 1;
}

static void add(mw_traffic *to, const mw_traffic *from)
{
    to->shared_requests += from->shared_requests;
    to->shared_wavefronts += from->shared_wavefronts;
    to->shared_ideal += from->shared_ideal;
    to->global_requests += from->global_requests;
    to->global_sectors += from->global_sectors;
    to->global_distinct += from->global_distinct;
    to->global_ideal += from->global_ideal;
    to->shuffles += from->shuffles;
    to->barriers += from->barriers;
    if (from->shared_worst > to->shared_worst)
        to->shared_worst = from->shared_worst;
}

static struct kernel_tally *kernel_of(struct tally *tally, const mw_ledger_line *line)
{
    for (int i = 0; i < tally->kernel_count; i++) {
        if (strcmp(tally->kernels[i].name, line->kernel) == 0)
            return &tally->kernels[i];
    }
    if (tally->kernel_count == TALLY_MOST_KERNELS)
        return NULL;
    tally->kernels[tally->kernel_count] =
        (struct kernel_tally){.name = line->kernel, .launches = line->launches};
    return &tally->kernels[tally->kernel_count++];
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static int is_of_merge(const mw_ledger_line *line)
{
    return strstr(line->kernel, "_merge") || strstr(line->kernel, "_join");
}

/* What the paper's formulas need to know about a sort. */
struct sizes {
    uint64_t rounds;  /* ceil(log_ways(count / base)) */
    uint64_t blocks;  /* of 32 keys */
    uint64_t ragged;  /* heap: bulk requests that ends of lists may cost */
    uint64_t feeding; /* bulk requests of the merges: these may be unaligned */
    uint64_t pieces;  /* tile: those merged in all rounds, at the most */
    uint64_t merged;  /* pair: tiles, each with one request of two lists at most */
    int other_rows;   /* tile: rows do not fill the banks once */
};

static struct sizes sizes_of(const struct tally *tally, size_t key_size)
{
    const mw_counts *const counts = &tally->counts;
    const uint64_t ways = counts->tuning.ways;
    const uint64_t tiles = divide_up(counts->count, counts->tuning.base);
    struct sizes sizes = {.blocks = divide_up(counts->count, LANES)};
    uint64_t runs = tiles;

    /*
     * A round has at most one task a warp and one more a group. A task reads
     * each list's part in blocks, the last one short, and writes likewise.
     */
    for (; runs > 1; sizes.rounds++) {
        runs = divide_up(runs, ways);
        sizes.ragged += (counts->tuning.warps + runs) * ways + runs;
        sizes.pieces += 2 * tiles + runs; /* a piece is half a tile at the least */
    }
    sizes.other_rows = counts->tuning.items * (key_size == 8 ? 8 : 4) != 128;
    sizes.merged = sizes.rounds * tiles;
    for (size_t i = 0; i < tally->line_count; i++) {
        const mw_ledger_line *const line = &tally->lines[i];

        if (line->access == MW_ACCESS_BULK && is_of_merge(line))
            sizes.feeding += line->traffic.global_requests;
    }
    return sizes;
}

static void add_claim(struct tally *tally, struct claim claim)
{
    tally->claims[tally->claim_count++] = claim;
}

/* Of all passes the distinct sectors of that which moved most: each is one launch. */
static uint64_t worst_pass(const struct tally *tally)
{
    uint64_t worst = 0;

    for (size_t i = 0; i < tally->launch_count; i++) {
        const uint64_t moved = tally->launches[i].traffic.global_distinct;

        worst = moved > worst ? moved : worst;
    }
    return worst;
}

/* Sectors of the samples of all keys. */
static uint64_t sample_sectors(const struct tally *tally, size_t key_size)
{
    return divide_up(divide_up(tally->counts.count, SAMPLE) * key_size, SECTOR);
}

/* Sectors of a round's cuts, which are at most two for each block that merges. */
static uint64_t cut_sectors(const struct tally *tally)
{
    uint64_t most = 0;

    for (size_t i = 0; i < tally->launch_count; i++) {
        const mw_launch *const launch = &tally->launches[i];
        const uint64_t cells = 2 * launch->blocks * tally->counts.tuning.ways;

        if (strcmp(launch->kernel, "tile_merge") == 0 && cells > most)
            most = cells;
    }
    return divide_up(most * CELL, SECTOR);
}

/*
 * What memory has to move in a pass of engine tile, whatever caches do. Besides keys
 * these are samples, read, and written for the next pass, and cuts.
 */
static void claim_pass(struct tally *tally, size_t key_size)
{
    const uint64_t once = 2 * divide_up(tally->counts.count * key_size, SECTOR);

    add_claim(tally, (struct claim){.row = "",
                                    .what = "distinct sectors, worst pass",
                                    .counted = worst_pass(tally),
                                    .formula = once,
                                    .text = "each key read and written once",
                                    .allowance = 2 * sample_sectors(tally, key_size) +
                                                 cut_sectors(tally),
                                    .excuse = "samples, cuts",
                                    .in_percent = 1});
}

/* clang-format off */
static void make_claims(struct tally *tally, size_t key_size)
{
    const mw_counts *const counts = &tally->counts;
    const struct sizes sizes = sizes_of(tally, key_size);
    const int tile = counts->tuning.engine == MW_ENGINE_TILE;
    const int pair = counts->tuning.engine == MW_ENGINE_PAIR;
    const uint64_t nodes = 2 * (uint64_t)counts->tuning.ways - 1;
    const uint64_t requests = 2 * (sizes.rounds + 1) * sizes.blocks;

    const uint64_t other_turns = tally->total.shared_ideal -
        tally->searches.shared_ideal - tally->merging.shared_ideal;

    if (!pair) /* whose merging conflicts by its nature: that is counted apart */
        add_claim(tally, (struct claim){
            "C1", "bank conflicts",
            traffic_conflicts(&tally->total) - traffic_conflicts(&tally->searches) -
                traffic_conflicts(&tally->merging),
            0, tile ? "none, but for searches and merging" : "none",
            tile && sizes.other_rows ? other_turns : 0,
            tile && sizes.other_rows ? "rows that do not fill the banks once" : "", 0});
    if (tile && counts->rounds > 0) { /* a warp has at most one group that it did not begin */
        add_claim(tally, (struct claim){
            "C1", "wavefronts of merging", tally->merging.shared_wavefronts,
            tally->merging.shared_ideal, "the least they can take",
            tally->merging.shared_ideal, "groups that end inside a warp", 0});
        add_claim(tally, (struct claim){
            "C1", "worst conflict of merging", tally->merging.shared_worst, 1,
            "1: none", 1, "never more than two-way", 0});
    }
    add_claim(tally, (struct claim){
        "C2", "bulk global requests", tally->bulk.global_requests, requests,
        "2 (rounds + 1) ceil(count / 32)",
        tile   ? sizes.pieces * (2 * counts->tuning.ways + counts->tuning.threads / LANES + 1)
        : pair ? 0
               : sizes.ragged,
        "short blocks at the ends of lists", 0});
    add_claim(tally, (struct claim){
        "C3", "sectors of bulk requests", tally->bulk.global_sectors,
        tally->bulk.global_ideal, "their bytes / 32",
        sizes.feeding + (pair ? 2 * sizes.merged : 0), "lists that begin between two sectors", 0});
    if (!tile && !pair)
        add_claim(tally, (struct claim){
            "C4", "shared bytes of a merging warp", counts->warp_shared,
            LANES * nodes * key_size, "32 (2 ways - 1) size", 0, "", 0});
    add_claim(tally, (struct claim){
        "P7", "merge rounds", counts->rounds, sizes.rounds,
        "ceil(log_ways(count / base))", 0, "", 0});
    if (tile && tally->launch_count > 0)
        claim_pass(tally, key_size);
}
/* clang-format on */

/* Searches in shared memory, and those for cuts, which may be there too. */
static int is_search(const mw_ledger_line *line)
{
    return line->access == MW_ACCESS_SEARCH || line->access == MW_ACCESS_PROBE;
}

/* Where lists end inside a warp: rows of a merge gathered to registers, and put back. */
static int is_merging(const struct tally *tally, const mw_ledger_line *line)
{
    return tally->counts.tuning.engine == MW_ENGINE_TILE && is_of_merge(line) &&
           (line->access == MW_ACCESS_GATHER || line->access == MW_ACCESS_SCATTER);
}

/* A serial merge reads the first key of both lists, then one key a step. */
static void count_merges(struct tally *tally)
{
    const uint64_t reads = tally->counts.tuning.items + 2;

    for (int i = 0; i < tally->kernel_count; i++)
        tally->kernels[i].merges = tally->kernels[i].serial.shared_requests / reads;
}

mw_status tally_make(struct tally *tally, mw_context *context, mw_type type)
{
    mw_status status;

    *tally = (struct tally){.counts = MW_COUNTS_INIT};
    status = mw_get_counts(context, &tally->counts);
    if (status == MW_OK)
        status = mw_get_ledger(context, &tally->lines, &tally->line_count);
    if (status == MW_OK)
        status = mw_get_launches(context, &tally->launches, &tally->launch_count);
    if (status != MW_OK)
        return status;
    tally->total = tally->counts.traffic;
    for (size_t i = 0; i < tally->line_count; i++) {
        const mw_ledger_line *const line = &tally->lines[i];
        struct kernel_tally *const kernel = kernel_of(tally, line);

        if (kernel)
            add(&kernel->traffic, &line->traffic);
        if (kernel && line->access == MW_ACCESS_SERIAL)
            add(&kernel->serial, &line->traffic);
        if (line->access == MW_ACCESS_BULK)
            add(&tally->bulk, &line->traffic);
        if (is_search(line))
            add(&tally->searches, &line->traffic);
        if (is_merging(tally, line))
            add(&tally->merging, &line->traffic);
    }
    count_merges(tally);
    make_claims(tally, mw_type_size(type));
    return MW_OK;
}
