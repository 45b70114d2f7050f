/*
 * tally.c - the ledger of a sort in the simulator, added up and compared with formulas.
 */
#include "tally.h"

#include "device.h"

enum {
    LANES = 32, /* of a warp; also the keys of a bulk request, and of a heap's node */
    SECTOR = 32 /* bytes */
};

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

uint64_t traffic_conflicts(const mw_traffic *traffic)
{
    return traffic->shared_wavefronts - traffic->shared_ideal;
}

/* ---- Figures ------------------------------------------------------------------- */

const char *figure_name(int figure)
{
    static const char *const names[FIGURES] = {
        "first pass reads",  "first pass sectors read",
        "first pass writes", "first pass sectors written",
        "merging reads",     "merging sectors read",
        "merging writes",    "merging sectors written",
        "bank conflicts"};

    return names[figure];
}

int figure_holds(const struct figure *figure)
{
    return !figure->formula ||
           (figure->least <= figure->counted && figure->counted <= figure->most);
}

/* Every round moves all keys once; `cuts` is what cutting lists may add to that. */
static void set_figures(struct figure *figures, const mw_plan *plan, size_t key_size,
                        uint64_t rounds, const char *const formulas[4],
                        const uint64_t cuts[4])
{
    for (int i = 0; i < 4; i++) {
        const int sectors = i == READ_SECTORS || i == WRITE_SECTORS;
        const uint64_t once = sectors ? divide_up(plan->count * key_size, SECTOR)
                                      : divide_up(plan->count, LANES);

        figures[i] = (struct figure){.formula = formulas[i],
                                     .least = rounds * once,
                                     .most = rounds * once + cuts[i]};
    }
}

/* Requests and sectors that cutting the lists of a round may add. */
static void add_cuts(uint64_t cuts[4], const mw_plan *plan, const mw_plan_round *round)
{
    const mw_engine engine = plan->tuning.engine;
    const uint64_t tasks = round->groups * round->pieces;
    const uint64_t ends = engine == MW_ENGINE_HEAP   ? tasks * (round->ways - 1)
                          : engine == MW_ENGINE_TILE ? tasks * 2 * round->ways
                                                     : tasks;
    const uint64_t rows = tasks * (plan->tuning.threads / LANES + 1);

    if (engine == MW_ENGINE_HEAP && round->pieces == 1)
        return; /* one task merges whole lists: nothing is cut */
    cuts[READS] += engine == MW_ENGINE_PAIR ? 0 : ends;
    cuts[READ_SECTORS] += divide_up(plan->count, LANES) + 2 * ends;
    cuts[WRITES] += engine == MW_ENGINE_TILE ? rows : 0;
    cuts[WRITE_SECTORS] += engine == MW_ENGINE_TILE ? rows : 0;
}

void figures_of(struct figure figures[FIGURES], const mw_plan *plan, size_t key_size)
{
    static const char reads[] = "ceil(N / 32)", sectors[] = "ceil(N size / 32)";
    static const char all_reads[] = "R ceil(N / 32)", all_sectors[] = "R ceil(N size / 32)";
    static const char *const first[4] = {reads, sectors, reads, sectors};
    /* clang-format off */
    static const char *const merging[][4] = {
        [MW_ENGINE_HEAP] = {"R ceil(N / 32), + K - 1 a piece",
                            "R ceil(N size / 32), + 1 a read, + 2 (K - 1) a piece",
                            all_reads, all_sectors},
        [MW_ENGINE_TILE] = {"R ceil(N / 32), + 2 K a tile",
                            "R ceil(N size / 32), + 1 a read, + 4 K a tile",
                            "R ceil(N / 32), + threads / 32 + 1 a tile",
                            "R ceil(N size / 32), + threads / 32 + 1 a tile"},
        [MW_ENGINE_PAIR] = {all_reads, "R ceil(N size / 32), + 1 a read, + 2 a tile",
                            all_reads, all_sectors}
    };
    /* clang-format on */
    uint64_t cuts[4] = {0};

    set_figures(figures + FIRST_PASS, plan, key_size, 1, first, cuts);
    for (uint32_t i = 0; i < plan->rounds; i++)
        add_cuts(cuts, plan, &plan->round[i]);
    set_figures(figures + MERGING, plan, key_size, plan->rounds,
                merging[plan->tuning.engine], cuts);
    figures[CONFLICTS] =
        (struct figure){.formula = plan->tuning.engine == MW_ENGINE_HEAP ? "none" : NULL};
}

/* ---- Claims -------------------------------------------------------------------- */

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
    for (int i = 0; i < FIGURES; i++)
        holds &= figure_holds(&tally->figures[i]);
    return holds;
}

static void add_claim(struct tally *tally, const char *row, const char *what,
                      uint64_t counted, uint64_t formula, const char *text,
                      uint64_t allowance, const char *excuse)
{
    tally->claims[tally->claim_count++] =
        (struct claim){row, what, counted, formula, text, allowance, excuse};
}

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

    if (tuning->engine == MW_ENGINE_HEAP)
        add_claim(tally, "C1", "bank conflicts", traffic_conflicts(total), 0, "none", 0,
                  "");
    if (tuning->engine == MW_ENGINE_TILE)
        add_claim(tally, "C1", "bank conflicts",
                  traffic_conflicts(total) - traffic_conflicts(apart) -
                      traffic_conflicts(merging),
                  0, "none, except searches and merging",
                  other_rows
                      ? total->shared_ideal - apart->shared_ideal - merging->shared_ideal
                      : 0,
                  other_rows ? "rows that do not fill the banks once" : "");
    if (tuning->engine == MW_ENGINE_TILE && tally->plan.rounds > 0) {
        add_claim(tally, "C1", "wavefronts of merging", merging->shared_wavefronts,
                  merging->shared_ideal, "the least possible", merging->shared_ideal,
                  "groups that end inside a warp");
        add_claim(tally, "C1", "worst conflict of merging", merging->shared_worst, 1,
                  "1: none", 1, "two-way at most");
    }
}

/* C2 and C3: the figures of all passes together. */
static void claim_traffic(struct tally *tally)
{
    uint64_t least[2] = {0};
    uint64_t most[2] = {0};

    for (int i = 0; i < CONFLICTS; i++) {
        least[i % 2] += tally->figures[i].least;
        most[i % 2] += tally->figures[i].most;
    }
    add_claim(tally, "C2", "bulk global requests", tally->bulk.global_requests, least[0],
              "2 (rounds + 1) ceil(count / 32)", most[0] - least[0],
              "short requests at the ends of lists");
    add_claim(tally, "C3", "sectors of bulk requests", tally->bulk.global_sectors,
              tally->bulk.global_ideal, "their bytes / 32", most[1] - least[1],
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

/* Is it a line of the first pass, whose kernel is launched first? */
static int in_first_pass(const struct tally *tally, const mw_ledger_line *line)
{
    return tally->launch_count > 0 && strcmp(line->kernel, tally->launches[0].kernel) == 0;
}

static void add_line(struct tally *tally, const mw_ledger_line *line)
{
    const int first = in_first_pass(tally, line);
    struct figure *const figures = tally->figures + (first ? FIRST_PASS : MERGING);
    struct kernel_tally *const kernel = kernel_of(tally, line);

    if (kernel)
        add(&kernel->traffic, &line->traffic);
    tally->figures[CONFLICTS].counted += traffic_conflicts(&line->traffic);
    switch (line->access) {
    case MW_ACCESS_BULK:
        add(&tally->bulk, &line->traffic);
        figures[line->stores ? WRITES : READS].counted += line->traffic.global_requests;
        figures[line->stores ? WRITE_SECTORS : READ_SECTORS].counted +=
            line->traffic.global_sectors;
        break;
    case MW_ACCESS_SEARCH:
    case MW_ACCESS_PROBE:
        add(&tally->searches, &line->traffic);
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

mw_status tally_make(struct tally *tally, mw_context *context, mw_type type)
{
    mw_status status;

    *tally = (struct tally){.counts = MW_COUNTS_INIT};
    status = mw_get_counts(context, &tally->counts);
    if (status == MW_OK)
        status = sort_plan(context, NULL, type, tally->counts.count, &tally->plan);
    if (status == MW_OK)
        status = mw_get_ledger(context, &tally->lines, &tally->line_count);
    if (status == MW_OK)
        status = mw_get_launches(context, &tally->launches, &tally->launch_count);
    if (status != MW_OK)
        return status;
    figures_of(tally->figures, &tally->plan, mw_type_size(type));
    for (size_t i = 0; i < tally->line_count; i++)
        add_line(tally, &tally->lines[i]);
    for (int i = 0; i < tally->kernel_count; i++) /* two first keys, then one a step */
        tally->kernels[i].merges =
            tally->kernels[i].serial.shared_requests / (tally->plan.tuning.items + 2);
    make_claims(tally, mw_type_size(type));
    return MW_OK;
}
