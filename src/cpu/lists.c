/*
 * lists.c - exact cuts through sorted lists: see lists.h.
 */
#include "cpu/lists.h"

#include <stdatomic.h>
#include <string.h>

enum {
    SAMPLES = 31,  /* rows that one is chosen from, at most */
    FEWEST = 5,    /* and at least */
    MOST_BAD = 100 /* pivots in a row that leave most rows */
};

struct lists lists_read(const struct request *request, struct list_at *at)
{
    struct lists lists = {.request = request, .at = at, .count = request->list_count};
    struct comparison compare;
    uint64_t first = 0;

    for (uint32_t i = 0; i < lists.count; i++) {
        at[i] = (struct list_at){request_list(request, i), first};
        first += at[i].table.count;
    }
    comparison_of_list(request, &at[0].table, &compare);
    lists.covered_fields = comparison_covered(&compare, 64);
    lists.is_complete = request->order.field_count > 0 &&
                        lists.covered_fields == request->order.field_count;
    lists.is_number = request->order.field_count == 1 &&
                      !request->order.field[0].is_string &&
                      request->order.field[0].column == 0;
    return lists;
}

uint64_t lists_code(const struct lists *lists, uint32_t list, uint64_t row)
{
    const struct request_order *const order = &lists->request->order;
    const mw_table *const table = &lists->at[list].table;
    struct comparison compare;

    if (lists->is_number)
        return comparison_number(&order->field[0], (const unsigned char *)table->elements +
                                                       row * order->element_bytes +
                                                       order->field[0].offset);
    comparison_of_list(lists->request, table, &compare);
    return comparison_code(&compare, row);
}

/* Does row `a` come first by the request's order alone? Their codes are equal. */
static int is_less(const struct lists *lists, const struct list_row *a,
                   const struct list_row *b)
{
    struct comparison compare[2];

    if (lists->is_complete)
        return 0;
    comparison_of_list(lists->request, &lists->at[a->list].table, &compare[0]);
    comparison_of_list(lists->request, &lists->at[b->list].table, &compare[1]);
    return comparison_between(&compare[0], a->row, &compare[1], b->row,
                              lists->covered_fields);
}

int lists_precede(const struct lists *lists, const struct list_row *a,
                  const struct list_row *b)
{
    if (a->code != b->code)
        return a->code < b->code;
    if (a->list == b->list)
        return a->row < b->row;
    return a->list < b->list ? !is_less(lists, b, a) : is_less(lists, a, b);
}

/* ---- Cuts -------------------------------------------------------------------------- */

/* A cut that is being searched. */
struct cut {
    const struct lists *lists;
    uint64_t *low;
    uint64_t *high;
    uint64_t *middle; /* a guess */
    uint32_t *active; /* lists whose windows are not empty, ascending */
    uint32_t active_count;
    uint64_t rows;   /* in all windows */
    uint64_t target; /* how many of them lie before the cut */
    uint64_t chance;
};

/* Forget lists with empty windows, and count the rows of the others. */
static void find_active(struct cut *cut)
{
    uint32_t kept = 0;

    cut->rows = 0;
    for (uint32_t i = 0; i < cut->active_count; i++) {
        const uint32_t list = cut->active[i];

        if (cut->low[list] == cut->high[list])
            continue;
        cut->rows += cut->high[list] - cut->low[list];
        cut->active[kept++] = list;
    }
    cut->active_count = kept;
}

/* A row about where the cut may be: of a few that are spread over all windows. */
static struct list_row choose(struct cut *cut)
{
    const uint64_t worth = cut->active_count / 2 + FEWEST; /* each list costs a search */
    const uint64_t most = worth < SAMPLES ? worth : SAMPLES;
    const uint64_t samples = cut->rows < most ? cut->rows : most;
    struct list_row sample[SAMPLES];
    uint64_t passed = 0; /* rows of windows before that of active list `i` */
    uint32_t i = 0;

    for (uint64_t s = 0; s < samples; s++) {
        const uint64_t first = pool_part(cut->rows, samples, s);
        const uint64_t room = pool_part(cut->rows, samples, s + 1) - first;
        struct list_row made;
        uint64_t to = s;

        cut->chance = cut->chance * UINT64_C(6364136223846793005) + 1442695040888963407;

        const uint64_t wanted = first + (cut->chance >> 24) % room;

        for (;; i++) {
            const uint32_t list = cut->active[i];
            const uint64_t window = cut->high[list] - cut->low[list];

            if (wanted - passed < window)
                break;
            passed += window;
        }
        made.list = cut->active[i];
        made.row = cut->low[made.list] + (wanted - passed);
        made.code = lists_code(cut->lists, made.list, made.row);
        for (; to > 0 && lists_precede(cut->lists, &made, &sample[to - 1]); to--)
            sample[to] = sample[to - 1];
        sample[to] = made;
    }

    const double part = (double)cut->target / (double)cut->rows;
    const uint64_t chosen = (uint64_t)(part * (double)samples);

    return sample[chosen < samples ? chosen : samples - 1];
}

/* How many rows of a list, counted from its beginning, precede `pivot`. */
static uint64_t count_before(const struct cut *cut, uint32_t list,
                             const struct list_row *pivot)
{
    uint64_t low = cut->low[list];
    uint64_t high = cut->high[list];

    if (list == pivot->list)
        return pivot->row;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const struct list_row row = {lists_code(cut->lists, list, middle), middle, list};

        if (lists_precede(cut->lists, &row, pivot))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Narrow all windows to what precedes `pivot`, or to what does not. */
static void narrow(struct cut *cut, const struct list_row *pivot)
{
    uint64_t before = 0;

    for (uint32_t i = 0; i < cut->active_count; i++) {
        const uint32_t list = cut->active[i];

        cut->middle[list] = count_before(cut, list, pivot);
        before += cut->middle[list] - cut->low[list];
    }

    const int is_after = cut->target > before; /* the cut is, of the pivot */

    for (uint32_t i = 0; i < cut->active_count; i++) {
        const uint32_t list = cut->active[i];

        (is_after ? cut->low : cut->high)[list] = cut->middle[list];
    }
    if (is_after) {
        cut->low[pivot->list]++;
        cut->target -= before + 1;
    }
}

/* Take what is still wanted from the front of the windows, list by list. */
static void take_rest(struct cut *cut)
{
    for (uint32_t i = 0; i < cut->active_count; i++) {
        const uint32_t list = cut->active[i];
        const uint64_t window = cut->high[list] - cut->low[list];
        const uint64_t taken = window < cut->target ? window : cut->target;

        cut->low[list] += taken;
        cut->target -= taken;
    }
}

/*
 * Each round leaves less of the pivot's own window, and of sorted lists, with better odds
 * than 1 to 2, at most three quarters of all rows. Lists that are not sorted may keep on
 * doing worse; then any cut is as good.
 */
void lists_cut(const struct lists *lists, uint64_t *low, struct list_room room,
               uint64_t target)
{
    struct cut cut = {.lists = lists,
                      .low = low,
                      .high = room.high,
                      .middle = room.middle,
                      .active = room.active,
                      .active_count = lists->count,
                      .target = target,
                      .chance = target};

    for (uint32_t i = 0; i < lists->count; i++)
        cut.active[i] = i;
    find_active(&cut);
    for (int bad = 0; bad < MOST_BAD && cut.target && cut.target < cut.rows; bad++) {
        const struct list_row pivot = choose(&cut);
        const uint64_t rows = cut.rows;

        narrow(&cut, &pivot);
        find_active(&cut);
        if (cut.rows <= rows - rows / 4)
            bad = 0;
    }
    take_rest(&cut);
}

struct list_room list_room(void *memory, uint32_t count)
{
    uint64_t *const numbers = memory;

    return (struct list_room){numbers, numbers + count,
                              (uint32_t *)(numbers + 2 * (size_t)count)};
}

/* ---- Splitting ---------------------------------------------------------------------- */

struct split {
    struct lists lists;
    unsigned char *rooms; /* room_bytes for each worker */
    size_t room_bytes;
    atomic_ullong next; /* the first rank not yet taken */
};

static void split_share(void *arg, unsigned worker)
{
    struct split *const split = (struct split *)arg;
    const struct lists *const lists = &split->lists;
    const struct request *const request = lists->request;
    const struct list_room room =
        list_room(split->rooms + worker * split->room_bytes, lists->count);

    for (;;) {
        const uint64_t i = atomic_fetch_add(&split->next, 1);
        uint64_t *const low = request->cuts + i * lists->count;

        if (i >= request->rank_count)
            return;
        for (uint32_t list = 0; list < lists->count; list++) {
            low[list] = 0;
            room.high[list] = lists->at[list].table.count;
        }
        lists_cut(lists, low, room,
                  request->ranks[i] < request->count ? request->ranks[i] : request->count);
    }
}

void lists_split(struct pool *pool, const struct request *request, void *scratch)
{
    const size_t count = request->list_count;
    const unsigned threads = pool_threads(pool);
    struct list_at *const at = scratch;
    struct split split = {.lists = lists_read(request, at),
                          .rooms = (unsigned char *)(at + count),
                          .room_bytes = (LIST_ROOM_BYTES * count + 7) / 8 * 8};

    atomic_init(&split.next, 0);
    pool_run(pool, request->rank_count < threads ? (unsigned)request->rank_count : threads,
             split_share, &split);
}
