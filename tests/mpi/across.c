/*
 * across.c - random jobs on ranks of one process, against mw_run of one handle.
 *
 *   across DEVICE SEED COUNT [MOST [RANKS]]
 *
 * runs COUNT jobs of at most MOST rows, on 1 to RANKS ranks. Each rank has a part of the
 * same arrays, and some have none. All arrays, and the guards around them, must be what
 * mw_run makes of a copy, byte by byte. Of a comparison that is no order only the rows
 * must all be there. Case i of a seed is case 0 of seed + i.
 */
#include "crew.h"
#include "tap.h"

#include <inttypes.h>
#include <stdlib.h>

static int same(const struct array *a, const struct array *b)
{
    return memcmp(a->room, b->room, (size_t)array_room(a)) == 0;
}

/* Numbers of rows, or positions, of a comparison that is no order: is each there once? */
static const char *judge_rows(struct case_of_rows *c)
{
    const struct array *const numbers =
        c->has_positions ? &c->positions : crew_target(c, c->columns - 1);
    const size_t bytes = c->has_positions ? mw_type_size(c->position_type) : 4;
    unsigned char *const seen = calloc((size_t)c->count + 1, 1);
    int right = seen != NULL;

    for (uint64_t i = 0; right && i < c->count; i++) {
        uint64_t number = 0;

        memcpy(&number, array_at(numbers) + i * bytes, bytes);
        right = number < c->count && !seen[number]++;
    }
    free(seen);
    return right ? NULL : "a row is lost or doubled";
}

static const char *judge(struct case_of_rows *c, struct case_of_rows *alone)
{
    if (!c->is_order)
        return judge_rows(c);
    for (uint32_t i = 0; i < c->columns; i++) {
        if (!same(&c->in[i], &alone->in[i]))
            return "input, or result in place, differs";
        if (!same(&c->out[i], &alone->out[i]))
            return "result differs";
    }
    return same(&c->positions, &alone->positions) ? NULL : "positions differ";
}

static const char *try_case(struct crew *crew, mw_context *context, uint64_t seed,
                            uint64_t most, uint32_t ranks)
{
    const char *wrong = crew_make(crew, seed, most, ranks, 0) ? NULL : "no memory";

    if (!wrong && crew_run_alone(crew, context) != MW_OK)
        wrong = mw_error(context);
    if (!wrong && mw_across_threads(crew->ranks, crew_rank, crew) != MW_OK)
        wrong = "mw_sort_across failed";
    if (!wrong)
        wrong = judge(&crew->c, &crew->alone);
    if (wrong) {
        tap_note("%u ranks", crew->ranks);
        case_print(&crew->c);
    }
    crew_free(crew);
    return wrong;
}

int main(int count, char **words)
{
    const char *const device = count > 1 ? words[1] : "cpu:1";
    const uint64_t seed = count > 2 ? strtoull(words[2], NULL, 10) : 1;
    const uint64_t cases = count > 3 ? strtoull(words[3], NULL, 10) : 100;
    const uint64_t most = count > 4 ? strtoull(words[4], NULL, 10) : 3000;
    const uint32_t ranks = count > 5 ? (uint32_t)strtoul(words[5], NULL, 10) : MOST_RANKS;
    static struct crew crew;
    struct tap tap = {0};
    mw_context *alone = NULL;
    mw_status status = mw_open(&alone, "cpu:1", NULL);

    for (uint32_t i = 0; i < ranks && i < MOST_RANKS && status == MW_OK; i++)
        status = mw_open(&crew.contexts[i], device, NULL);
    tap_ok(&tap, status == MW_OK, "handles for all ranks", mw_status_text(status));
    for (uint64_t i = 0; i < cases && status == MW_OK && tap.failed < 5; i++) {
        crew.is_device = strncmp(device, "cpu", 3) != 0 && i % 2;

        const char *const wrong = try_case(&crew, alone, seed + i, most, ranks);

        if (wrong || i == cases - 1)
            tap_case(&tap, !wrong, "jobs up to seed %" PRIu64 "%s%s", seed + i,
                     wrong ? ": " : "", wrong ? wrong : "");
    }
    for (uint32_t i = 0; i < MOST_RANKS; i++)
        mw_close(crew.contexts[i]);
    mw_close(alone);
    return tap_end(&tap);
}
