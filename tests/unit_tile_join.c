/*
 * unit_tile_join.c - rounds of engine tile whose blocks find the cuts of their own tile:
 * the plan joins those of few tiles and no others, a joined round is one launch of
 * tile_join, all others one of tile_merge or, for who wants to time phases, of tile_cut
 * and tile_merge. What comes out is the same, key by key.
 */
#include "backend_device.h"
#include "context.h"
#include "plan_parts.h"

#include "reference.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { TILE = 2048, MOST_TILES = 71 };

/* How a plan's rounds are merged. */
enum manner { AS_PLANNED, NONE_JOINED, IN_PHASES, ALL_JOINED, MANNERS };

static const char *const manner_names[MANNERS] = {"as planned", "none joined", "in phases",
                                                  "all joined"};

/* Types and tiles of 2048 keys that the simulator has for them. */
static const struct {
    mw_type type;
    mw_direction direction;
    uint32_t threads;
    uint32_t items;
} programs[] = {
    {MW_U16, MW_ASCENDING,  256, 8 },
    {MW_I32, MW_DESCENDING, 64,  32},
    {MW_F32, MW_ASCENDING,  128, 16},
    {MW_I64, MW_ASCENDING,  64,  32},
};

/* Tiles, plus some keys: few, and some more than a plan joins. */
static const struct {
    uint64_t tiles;
    int64_t keys;
    uint32_t ways;
    const char *shape;
} inputs[] = {
    {2,  1,   2,  "random"        },
    {3,  -31, 32, "few:2"         },
    {9,  5,   4,  "specials"      },
    {17, 0,   16, "organ"         },
    {33, -1,  32, "blocks:333"    },
    {64, 0,   32, "random"        },
    {70, 7,   8,  "interleaved:32"},
};

struct bench {
    mw_context *context;
    char *keys;          /* as they came, ... */
    char *expected;      /* ... as they should be, ... */
    char *sorted;        /* ... and as they are */
    struct item *items;  /* for the reference */
    struct pass_log log; /* of the last sort */
};

/* Rounds of up to so many tiles are joined; every round takes one launch. */
static void test_plans(struct tap *tap, const mw_info *info)
{
    static const struct {
        uint64_t tiles;
        uint32_t ways;
        uint32_t rounds;
        uint32_t joined;
    } rows[] = {
        {1,   2,  0, 0},
        {2,   2,  1, 1},
        {4,   2,  2, 2},
        {32,  32, 1, 1},
        {300, 32, 2, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const mw_tuning wish = {sizeof wish, MW_ENGINE_TILE, rows[i].ways, 0, 64, 32, 0};
        struct error error = {""};
        struct plan plan;
        uint32_t joined = 0;
        int passed =
            plan_make(&plan, &wish, info, 4, TILE * rows[i].tiles, &error) == MW_OK;

        for (uint32_t r = 0; passed && r < plan.rounds; r++) {
            joined += (uint32_t)plan.round[r].joined;
            passed = plan.round[r].joined == (plan.round[r].blocks <= PLAN_MOST_JOINED);
        }
        tap_case(tap,
                 passed && plan.rounds == rows[i].rounds && joined == rows[i].joined &&
                     plan.launches == 1 + plan.rounds,
                 "%llu tiles, %u ways: %u rounds, %u joined",
                 (unsigned long long)rows[i].tiles, rows[i].ways, plan.rounds, joined);
    }
}

/* Join all rounds or none, whatever the plan thinks of it. */
static void change(struct plan *plan, enum manner manner, size_t key_size, uint64_t count)
{
    if (manner == AS_PLANNED)
        return;
    for (uint32_t i = 0; i < plan->rounds; i++)
        plan->round[i].joined = manner == ALL_JOINED;
    plan_workspace(plan, key_size, count);
}

/* Was each round launched as the plan has it? */
static int launched(const struct plan *plan, const struct pass_log *log)
{
    uint32_t at = 1;

    if (log->count == 0 || strcmp(log->launches[0].kernel, "tile_sort") != 0)
        return 0;
    for (uint32_t i = 0; i < plan->rounds; i++) {
        const mw_launch *const launch = &log->launches[at];
        const int joined = plan->round[i].joined;
        const int apart = log->phases && !joined;

        if (at + (uint32_t)apart >= log->count || launch[apart].round != i + 1 ||
            strcmp(launch[apart].kernel, joined ? "tile_join" : "tile_merge") != 0)
            return 0;
        if (apart &&
            (launch[0].round != i + 1 || strcmp(launch[0].kernel, "tile_cut") != 0))
            return 0;
        at += apart ? 2 : 1;
    }
    return at == log->count;
}

static mw_status sort_by(struct bench *b, const struct plan *plan,
                         const struct type_row *row, mw_direction direction, uint64_t count)
{
    struct device *const device = backend_device(b->context->backend);
    struct program *program;
    void *keys = NULL;
    void *workspace = NULL;
    mw_status status;

    b->log.count = b->log.round = 0;
    TRY(device->verbs->load(device, &plan->program, plan->kernels, &program));
    TRY(device->verbs->alloc(device, plan->key_bytes, &keys));
    TRY(device->verbs->alloc(device, plan->workspace_bytes, &workspace));
    TRY(device->verbs->upload(device, keys, b->keys, plan->key_bytes, NULL));
    TRY(passes_sort(device, program, plan, type_code(row, direction), keys, count,
                    workspace, NULL, &b->log));
    TRY(device->verbs->download(device, b->sorted, keys, plan->key_bytes, NULL));
done:
    device->verbs->free(device, workspace);
    device->verbs->free(device, keys);
    return status;
}

static void test_sorts(struct tap *tap, struct bench *b, size_t program, size_t input)
{
    const struct type_row *const row = type_row(programs[program].type);
    const mw_direction direction = programs[program].direction;
    const uint64_t count = TILE * inputs[input].tiles + (uint64_t)inputs[input].keys;
    const mw_tuning wish = {sizeof wish,
                            MW_ENGINE_TILE,
                            inputs[input].ways,
                            0,
                            programs[program].threads,
                            programs[program].items,
                            0};
    struct error error = {""};
    struct plan planned;
    const int ready =
        plan_make(&planned, &wish, &b->context->backend->info, row->size, count, &error) == MW_OK &&
        kit_fill(programs[program].type, inputs[input].shape, 1 + program, b->keys,
                 count) == MW_OK;

    if (ready) {
        memcpy(b->expected, b->keys, count * row->size);
        reference_sort(programs[program].type, direction, b->expected, count, b->items);
    }
    for (int manner = 0; manner < MANNERS; manner++) {
        struct plan plan = planned;

        if (ready)
            change(&plan, (enum manner)manner, row->size, count);
        b->log.phases = manner == IN_PHASES;
        tap_case(tap,
                 ready && sort_by(b, &plan, row, direction, count) == MW_OK &&
                     memcmp(b->sorted, b->expected, count * row->size) == 0 &&
                     launched(&plan, &b->log),
                 "%llu %s %s, %u ways, %s: %u launches, %s", (unsigned long long)count,
                 row->name, inputs[input].shape, inputs[input].ways, manner_names[manner],
                 plan.launches, mw_error(b->context));
    }
}

int main(void)
{
    struct tap tap = {0, 0};
    struct bench b = {.keys = malloc(MOST_TILES * TILE * sizeof(uint64_t)),
                      .expected = malloc(MOST_TILES * TILE * sizeof(uint64_t)),
                      .sorted = malloc(MOST_TILES * TILE * sizeof(uint64_t)),
                      .items = malloc(2 * MOST_TILES * TILE * sizeof(struct item))};

    tap_ok(&tap,
           b.keys && b.expected && b.sorted && b.items &&
               mw_open(&b.context, "sim", NULL) == MW_OK,
           "open", "sim");
    if (tap.failed == 0) {
        test_plans(&tap, &b.context->backend->info);
        for (size_t i = 0; i < COUNT_OF(programs) * COUNT_OF(inputs); i++)
            test_sorts(&tap, &b, i % COUNT_OF(programs), i / COUNT_OF(programs));
    }
    mw_close(b.context);
    free(b.items);
    free(b.sorted);
    free(b.expected);
    free(b.keys);
    return tap_end(&tap);
}
