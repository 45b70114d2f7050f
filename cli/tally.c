/*
 * tally.c - the ledger of a sort in the simulator, added up and compared with formulas.
 */
#include "tally.h"

#include "device.h"

enum {
    LANES = 32,  /* of a warp; also the keys of a bulk request, and of a heap's node */
    SECTOR = 32, /* bytes */
    VECTOR = 16  /* bytes that a lane of engine tally moves at once */
};

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* Wavefronts beyond the least. */
static uint64_t conflicts(const mw_traffic *traffic)
{
    return traffic->shared_wavefronts - traffic->shared_ideal;
}

int claim_holds(const struct claim *claim)
{
    return claim->counted >= claim->formula &&
           claim->counted - claim->formula <= claim->allowance;
}

int tally_holds(const struct tally *tally)
{
    int holds = 1;

    for (int i = 0; i < tally->claim_count; i++)
        holds &= claim_holds(&tally->claims[i]);
    return holds;
}

#define COLUMNS \
    "row:-3 what:-30 formula:14 allowance:14 allowance_text:-36 formula_text:-33"

void tally_report(struct report *report, const struct tally *tally, int ran)
{
    const struct table table =
        table_open(report, "claims", ran ? COLUMNS " counted:14 holds:5" : COLUMNS);

    for (int i = 0; i < tally->claim_count; i++) {
        const struct claim *const c = &tally->claims[i];

        table_row(&table, TEXT(c->row), TEXT(c->what), COUNT(c->formula),
                  COUNT(c->allowance), TEXT(c->excuse), TEXT(c->text), COUNT(c->counted),
                  TRUTH(claim_holds(c)));
    }
    table_close(&table);
}

static void add_claim(struct tally *tally, const char *row, const char *what,
                      uint64_t counted, uint64_t formula, const char *text,
                      uint64_t allowance, const char *excuse)
{
    tally->claims[tally->claim_count++] =
        (struct claim){row, what, counted, formula, text, allowance, excuse};
}

/* ---- Claims that follow from the plan ------------------------------------------ */

/* Requests and sectors that cutting the lists of a round may add. */
static void add_cuts(uint64_t cuts[MERGING], const mw_plan *plan,
                     const mw_plan_round *round)
{
    const mw_engine engine = plan->tuning.engine;
    const uint64_t tasks = round->groups * round->pieces;
    const uint64_t ends = engine == MW_ENGINE_HEAP   ? tasks * (round->ways - 1)
                          : engine == MW_ENGINE_TILE ? tasks * 2 * round->ways
                                                     : tasks;
    const uint64_t rows =
        engine == MW_ENGINE_TILE ? tasks * (plan->tuning.threads / LANES + 1) : 0;

    if (engine == MW_ENGINE_HEAP && round->pieces == 1)
        return; /* one task merges whole lists: nothing is cut */
    cuts[READS] += engine == MW_ENGINE_PAIR ? 0 : ends;
    cuts[READ_SECTORS] += divide_up(plan->count, LANES) + 2 * ends;
    cuts[WRITES] += rows;
    cuts[WRITE_SECTORS] += rows;
}

/*
 * Engine tally reads the keys in its first pass and writes them in the last, 16 bytes a
 * lane. What is left over at the end of the array is moved key by key.
 */
static void plan_counting(struct tally *tally, uint64_t bytes, size_t size)
{
    const uint64_t rest = bytes % VECTOR / size;
    const uint64_t once[2] = {bytes / VECTOR / LANES, bytes / SECTOR};
    /* clang-format off */
    static const char *const planned[PLANNED][2] = {
        {"first pass reads",           "floor(N size / 512)"},
        {"first pass sectors read",    "floor(N size / 32)"},
        {"first pass writes",          "0"},
        {"first pass sectors written", "0"},
        {"later reads",                "0"},
        {"later sectors read",         "0"},
        {"last pass writes",           "floor(N size / 512)"},
        {"last pass sectors written",  "floor(N size / 32)"}};
    /* clang-format on */

    for (int i = 0; i < PLANNED; i++) {
        const int moves = i < WRITES || i >= MERGING + WRITES;
        const uint64_t more = i < MERGING ? 1 + (rest > 0) : 1 + rest;

        add_claim(tally, "", planned[i][0], 0, moves ? once[i % 2] : 0, planned[i][1],
                  moves ? more : 0, moves ? "the end of the array" : "");
    }
}

mw_status tally_plan(struct tally *tally, mw_context *context, const mw_tuning *tuning,
                     mw_type type, uint64_t count)
{
    /* clang-format off */
    static const char *const planned[PLANNED][2] = {
        {"first pass reads",           "ceil(N / 32)"},
        {"first pass sectors read",    "ceil(N size / 32)"},
        {"first pass writes",          "ceil(N / 32)"},
        {"first pass sectors written", "ceil(N size / 32)"},
        {"merging reads",              "R ceil(N / 32)"},
        {"merging sectors read",       "R ceil(N size / 32)"},
        {"merging writes",             "R ceil(N / 32)"},
        {"merging sectors written",    "R ceil(N size / 32)"}};
    static const char *const excuses[][MERGING] = {
        [MW_ENGINE_HEAP] = {"K - 1 a piece", "1 a read, 2 (K - 1) a piece", "", ""},
        [MW_ENGINE_TILE] = {"2 K a tile", "1 a read, 4 K a tile",
                            "threads / 32 + 1 a tile", "threads / 32 + 1 a tile"},
        [MW_ENGINE_PAIR] = {"", "1 a read, 2 a tile", "", ""}};
    /* clang-format on */
    mw_plan *const plan = &tally->plan;
    uint64_t cuts[PLANNED] = {0};
    uint32_t merges = 0; /* R; a round by ranks is none */
    const uint64_t once[2] = {divide_up(count, LANES),
                              divide_up(count * mw_type_size(type), SECTOR)};
    const mw_status status = sort_plan(context, tuning, type, count, plan);

    if (status != MW_OK)
        return status;
    tally->claim_count = 0;
    if (plan->tuning.engine == MW_ENGINE_TALLY) {
        plan_counting(tally, count * mw_type_size(type), mw_type_size(type));
        return MW_OK;
    }
    if (plan->tuning.engine == MW_ENGINE_DEAL)
        return MW_OK; /* it claims nothing: what it moves depends on the keys */
    for (uint32_t i = 0; i < plan->rounds; i++) {
        if (plan->round[i].joined == 2) /* ranks: every block reads all keys */
            continue;
        add_cuts(cuts + MERGING, plan, &plan->round[i]);
        merges++;
    }
    for (int i = 0; i < PLANNED; i++)
        add_claim(tally, "", planned[i][0], 0, (i < MERGING ? 1 : merges) * once[i % 2],
                  planned[i][1], cuts[i],
                  i < MERGING ? "" : excuses[plan->tuning.engine][i - MERGING]);
    return MW_OK;
}

/* ---- Claims of the paper ------------------------------------------------------- */

/*
 * C1. Engine tile: searches and merging are counted apart. Merging has two-way
 * conflicts at most, where a group of lanes ends inside a warp. Rows that do not fill
 * the banks exactly once conflict elsewhere, too. Engine pair has no such claim.
 */
static void claim_conflicts(struct tally *tally, size_t key_size)
{
    const mw_tuning *const tuning = &tally->plan.tuning;
    const mw_traffic *const total = &tally->counts.traffic;
    const mw_traffic *const apart = &tally->searches;
    const mw_traffic *const merging = &tally->merging;
    const int other_rows = tuning->items * (key_size == 8 ? 8 : 4) != 128;

    if (tuning->engine == MW_ENGINE_TALLY && key_size == 1)
        add_claim(tally, "", "bank conflicts", conflicts(total), 0, "none", 0, "");
    if (tuning->engine == MW_ENGINE_HEAP)
        add_claim(tally, "C1", "bank conflicts", conflicts(total), 0, "none", 0, "");
    if (tuning->engine == MW_ENGINE_TILE)
        add_claim(tally, "C1", "bank conflicts",
                  conflicts(total) - conflicts(apart) - conflicts(merging), 0,
                  "none, except searches and merging",
                  other_rows
                      ? total->shared_ideal - apart->shared_ideal - merging->shared_ideal
                      : 0,
                  other_rows ? "rows that do not fill the banks once" : "");
    if (tuning->engine == MW_ENGINE_TILE && merging->shared_requests > 0) {
        add_claim(tally, "C1", "wavefronts of merging", merging->shared_wavefronts,
                  merging->shared_ideal, "the least possible", merging->shared_ideal,
                  "groups that end inside a warp");
        add_claim(tally, "C1", "worst conflict of merging", merging->shared_worst, 1,
                  "1: none", 1, "two-way at most");
    }
}

/* C2 and C3: the bulk traffic of all passes together. */
static void claim_traffic(struct tally *tally)
{
    uint64_t once[2] = {0};
    uint64_t more[2] = {0};

    for (int i = 0; i < PLANNED; i++) {
        once[i % 2] += tally->claims[i].formula;
        more[i % 2] += tally->claims[i].allowance;
    }
    add_claim(tally, "C2", "bulk global requests", tally->bulk.global_requests, once[0],
              "2 (rounds + 1) ceil(count / 32)", more[0],
              "short requests at the ends of lists");
    add_claim(tally, "C3", "sectors of bulk requests", tally->bulk.global_sectors,
              tally->bulk.global_ideal, "their bytes / 32", more[1],
              "lists that begin inside a sector");
}

/*
 * Engine tile: what DRAM has to move in the pass that moves most. Everything except the
 * keys lies in the workspace after them: samples and cuts.
 */
static void claim_pass(struct tally *tally, size_t key_size)
{
    const uint64_t bytes = tally->plan.count * key_size;
    const uint64_t room = tally->plan.workspace_bytes;
    uint64_t worst = 0;

    for (size_t i = 0; i < tally->launch_count; i++) {
        const uint64_t moved = tally->launches[i].traffic.global_distinct;

        worst = moved > worst ? moved : worst;
    }
    add_claim(tally, "", "distinct sectors, worst pass", worst,
              2 * divide_up(bytes, SECTOR), "each key read and written once",
              room > bytes ? 2 * divide_up(room - bytes, SECTOR) : 0, "samples, cuts");
}

static void make_claims(struct tally *tally, size_t key_size)
{
    const mw_tuning *const tuning = &tally->plan.tuning;
    uint64_t rounds = 0;

    claim_conflicts(tally, key_size);
    if (tuning->engine == MW_ENGINE_TALLY || tuning->engine == MW_ENGINE_DEAL)
        return; /* they merge nothing, or only what cannot be dealt */
    claim_traffic(tally);
    if (tuning->engine == MW_ENGINE_HEAP)
        add_claim(tally, "C4", "shared bytes of a merging warp", tally->counts.warp_shared,
                  LANES * (2 * (uint64_t)tuning->ways - 1) * key_size,
                  "32 (2 ways - 1) size", 0, "");
    for (uint64_t runs = divide_up(tally->plan.count, tuning->base); runs > 1; rounds++)
        runs = divide_up(runs, tuning->ways);
    add_claim(tally, "P7", "merge rounds", tally->counts.rounds, rounds,
              "ceil(log_ways(count / base))", 0, "");
    if (tuning->engine == MW_ENGINE_TILE && tally->launch_count > 0)
        claim_pass(tally, key_size);
}

/* ---- The ledger ---------------------------------------------------------------- */

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
    int i = 0;

    while (i < tally->kernel_count && strcmp(tally->kernels[i].name, line->kernel) != 0)
        i++;
    if (i == TALLY_MOST_KERNELS)
        return NULL;
    if (i == tally->kernel_count) {
        tally->kernels[i] =
            (struct kernel_tally){.name = line->kernel, .launches = line->launches};
        tally->kernel_count++;
    }
    return &tally->kernels[i];
}

static void add_line(struct tally *tally, const mw_ledger_line *line)
{
    const int first = /* the kernel that is launched first makes the first pass */
        tally->launch_count > 0 && strcmp(line->kernel, tally->launches[0].kernel) == 0;
    struct claim *const moved =
        &tally->claims[(first ? 0 : MERGING) + (line->stores ? WRITES : READS)];
    struct kernel_tally *const kernel = kernel_of(tally, line);

    if (kernel)
        add(&kernel->traffic, &line->traffic);
    switch (line->access) {
    case MW_ACCESS_BULK:
        add(&tally->bulk, &line->traffic);
        moved[0].counted += line->traffic.global_requests;
        moved[1].counted += line->traffic.global_sectors;
        break;
    case MW_ACCESS_PROBE:
        add(&tally->probes, &line->traffic);
        add(&tally->searches, &line->traffic);
        break;
    case MW_ACCESS_SEARCH:
        add(&tally->searches, &line->traffic);
        break;
    case MW_ACCESS_CUT:
        tally->cuts += line->stores ? line->traffic.global_requests : 0;
        break;
    case MW_ACCESS_GATHER:
    case MW_ACCESS_SCATTER:
        if (tally->plan.tuning.engine == MW_ENGINE_TILE && !first)
            add(&tally->merging, &line->traffic);
        break;
    case MW_ACCESS_SERIAL:
        if (kernel)
            add(&kernel->serial, &line->traffic);
        break;
    default:
        break;
    }
}

static mw_status add_lines(struct tally *tally, mw_context *context)
{
    mw_status status = mw_get_ledger(context, &tally->lines, &tally->line_count);

    if (status == MW_OK)
        status = mw_get_launches(context, &tally->launches, &tally->launch_count);
    for (size_t i = 0; status == MW_OK && i < tally->line_count; i++)
        add_line(tally, &tally->lines[i]);
    return status;
}

mw_status tally_add(struct tally *tally, mw_context *context)
{
    mw_status status;

    *tally = (struct tally){.counts = MW_COUNTS_INIT};
    tally->plan.tuning.engine = MW_ENGINE_TILE;
    status = mw_get_counts(context, &tally->counts);
    return status == MW_OK ? add_lines(tally, context) : status;
}

mw_status tally_make(struct tally *tally, mw_context *context, mw_type type)
{
    mw_status status;

    *tally = (struct tally){.counts = MW_COUNTS_INIT};
    status = mw_get_counts(context, &tally->counts);
    if (status == MW_OK)
        status = tally_plan(tally, context, NULL, type, tally->counts.count);
    if (status == MW_OK)
        status = add_lines(tally, context);
    if (status != MW_OK)
        return status;
    for (int i = 0; i < tally->kernel_count; i++) /* two first keys, then one a step */
        tally->kernels[i].merges =
            tally->kernels[i].serial.shared_requests / (tally->plan.tuning.items + 2);
    make_claims(tally, mw_type_size(type));
    return MW_OK;
}
