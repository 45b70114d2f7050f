/*
 * fake_rivals.c - a plugin for multiway-bench without a GPU: it sorts the CPU's memory,
 * rightly and wrongly, and its clock shows made-up times, so that tests know what the
 * program must print.
 *
 * With FAKE_RIVALS_OLD in the environment it is of another version, with FAKE_RIVALS_OPEN
 * it refuses to open, with FAKE_RIVALS_COPY every copy fails, and with FAKE_RIVALS_BLIND it
 * finds everything in order.
 */
#define _POSIX_C_SOURCE 200809L

#include "../../bench/rivals.h"
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>

static char words[128];
static double elapsed; /* what the clock will show */
static mw_type key_type;

static int fail_with(const char *text)
{
    snprintf(words, sizeof words, "%s", text);
    return -1;
}

static int by_key(const void *a, const void *b)
{
    return kit_compare(key_type, MW_ASCENDING, a, b);
}

static int by_key_backwards(const void *a, const void *b)
{
    return kit_compare(key_type, MW_DESCENDING, a, b);
}

static int takes_all(const struct rival_case *what)
{
    (void)what;
    return 1;
}

static int takes_u32(const struct rival_case *what)
{
    return what->type == MW_U32;
}

static int needs_keys(const struct rival_case *what, uint64_t *bytes)
{
    *bytes = what->count * mw_type_size(what->type);
    return 0;
}

static int needs_too_much(const struct rival_case *what, uint64_t *bytes)
{
    (void)what;
    *bytes = UINT64_MAX;
    return 0;
}

/* A right sort in half of our time; its result is in the workspace. */
static int quick(const struct rival_case *what, void *keys, void *workspace, uint64_t bytes,
                 void *stream, void **sorted)
{
    const size_t size = mw_type_size(what->type);

    (void)stream;
    if (bytes < what->count * size)
        return fail_with("the workspace is too small");
    memcpy(workspace, keys, what->count * size);
    key_type = what->type;
    qsort(workspace, what->count, size, by_key);
    memset(keys, 0, what->count * size);
    *sorted = workspace;
    elapsed = 1;
    return 0;
}

/* A right sort in place; it takes longer the more keys there are. */
static int slow(const struct rival_case *what, void *keys, void *workspace, uint64_t bytes,
                void *stream, void **sorted)
{
    (void)workspace, (void)bytes, (void)stream;
    key_type = what->type;
    qsort(keys, what->count, mw_type_size(what->type), by_key);
    *sorted = keys;
    elapsed = what->count < 1000 ? 3 : 5;
    return 0;
}

/* Sorts that do what `slow` does, and then something else. */
#define SLOW_THEN(name, more)                                                   \
    static int name(const struct rival_case *what, void *keys, void *workspace, \
                    uint64_t bytes, void *stream, void **sorted)                \
    {                                                                           \
        const size_t size = mw_type_size(what->type);                           \
                                                                                \
        slow(what, keys, workspace, bytes, stream, sorted);                     \
        (void)size, more;                                                       \
        return 0;                                                               \
    }

SLOW_THEN(backwards, qsort(keys, what->count, size, by_key_backwards))
SLOW_THEN(lossy, memcpy((char *)keys + size, keys, size)) /* the first key twice */
SLOW_THEN(instant, elapsed = 0)
SLOW_THEN(eternal, elapsed = 2.5e12)

static int failing(const struct rival_case *what, void *keys, void *workspace,
                   uint64_t bytes, void *stream, void **sorted)
{
    (void)what, (void)keys, (void)workspace, (void)bytes, (void)stream, (void)sorted;
    return fail_with("this one always fails");
}

/* Lists and segments, sorted as they should be, or as if all were one segment. */
static int sort_parts(const struct rival_case *what, const struct kit_arrays *arrays,
                      uint64_t parts)
{
    const size_t size = mw_type_size(what->type);

    key_type = what->type;
    memcpy(arrays->out, arrays->keys, what->count * size);
    for (uint64_t i = 0; i < parts; i++) {
        const uint64_t first = parts == 1 ? 0 : what->work->bounds[i];
        const uint64_t last = parts == 1 ? what->count : what->work->bounds[i + 1];

        qsort((char *)arrays->out + first * size, last - first, size, by_key);
    }
    elapsed = 4;
    return 0;
}

#define RUN(name, call)                                                             \
    static int name(const struct rival_case *what, const struct kit_arrays *arrays, \
                    void *workspace, uint64_t bytes, void *stream)                  \
    {                                                                               \
        (void)workspace, (void)bytes, (void)stream;                                 \
        return call;                                                                \
    }

/* The last keys that are not less than the k-th greatest, or the first keys of all. */
static int select_keys(const struct rival_case *what, const struct kit_arrays *arrays,
                       int rightly)
{
    const uint32_t *const keys = arrays->keys;
    uint32_t *const out = arrays->out;
    uint32_t *const positions = arrays->out_values;
    uint64_t found = 0;

    for (uint64_t i = what->count; i-- > 0 && found < what->work->results;) {
        uint64_t greater = 0;

        for (uint64_t j = 0; rightly && j < what->count; j++)
            greater += keys[j] > keys[i] || (keys[j] == keys[i] && j > i);
        if (greater < what->work->results) {
            out[found] = keys[i];
            positions[found++] = (uint32_t)i;
        }
    }
    elapsed = 1;
    return 0;
}

RUN(merge, sort_parts(what, arrays, 1))
RUN(merge_each, sort_parts(what, arrays, what->work->parts))
RUN(top, select_keys(what, arrays, 1))
RUN(last, select_keys(what, arrays, 0))

/* A name as nobody should give it. */
#define ODD_NAME "<b>&\"'; a name that goes on and on"

/* clang-format off */
#define SORT(name, about, takes, needs, sort) \
    {name, about, takes, needs, sort, KIT_SORT, NULL}
#define WORK(name, about, takes, operation, run) \
    {name, about, takes, needs_keys, NULL, operation, run}
static const struct rival list[] = {
    SORT("quick",     "right",             takes_all, needs_keys,     quick),
    SORT("slow",      "right",             takes_all, needs_keys,     slow),
    SORT("picky",     "takes u32 only",    takes_u32, needs_keys,     slow),
    SORT("backwards", "wrong",             takes_all, needs_keys,     backwards),
    SORT("lossy",     "wrong",             takes_all, needs_keys,     lossy),
    SORT("failing",   "fails",             takes_all, needs_keys,     failing),
    SORT("greedy",    "gets no workspace", takes_all, needs_too_much, slow),
    SORT("instant",   "takes no time",     takes_all, needs_keys,     instant),
    SORT("eternal",   "takes for ever",    takes_all, needs_keys,     eternal),
    SORT(ODD_NAME,    "</td>&lt;",         takes_all, needs_keys,     slow),
    WORK("tree",   "right", takes_all, KIT_MERGE,    merge),
    WORK("untied", "wrong", takes_all, KIT_MERGE,    merge_each),
    WORK("top",    "right", takes_u32, KIT_SELECT,   top),
    WORK("last",   "wrong", takes_u32, KIT_SELECT,   last),
    WORK("each",   "right", takes_all, KIT_SEGMENTS, merge_each),
    WORK("whole",  "wrong", takes_all, KIT_SEGMENTS, merge),
};
/* clang-format on */

static int open_it(const char *device, void **stream)
{
    *stream = NULL;
    if (getenv("FAKE_RIVALS_OPEN"))
        return fail_with("this plugin does not open");
    return strncmp(device, "cpu", 3) == 0 ? 0 : fail_with("the CPU's memory only");
}

static void close_it(void)
{
}

static int describe(char *text, size_t bytes)
{
    snprintf(text, bytes, "as many as you like");
    return 0;
}

/* Two milliseconds, unless a rival says otherwise. */
static int start(void *stream)
{
    (void)stream;
    elapsed = 2;
    return 0;
}

static int stop(void *stream, double *milliseconds)
{
    (void)stream;
    *milliseconds = elapsed;
    return 0;
}

static int copy(void *to, const void *from, uint64_t bytes, void *stream)
{
    (void)stream;
    if (getenv("FAKE_RIVALS_COPY"))
        return fail_with("no copies today");
    memcpy(to, from, bytes);
    return 0;
}

static int check(const struct rival_case *what, const void *keys, void *stream,
                 struct rival_verdict *verdict)
{
    const size_t size = mw_type_size(what->type);
    struct kit_fingerprint print = {0, 0};
    const char *key = keys;

    (void)stream;
    kit_fingerprint_add(&print, what->type, keys, what->count);
    *verdict = (struct rival_verdict){0, print.sum};
    for (uint64_t i = 1; i < what->count; i++, key += size)
        verdict->descents += !getenv("FAKE_RIVALS_BLIND") &&
                             kit_compare(what->type, MW_ASCENDING, key, key + size) > 0;
    return 0;
}

static const char *error(void)
{
    return words;
}

/* clang-format off */
static const struct rivals table = {
    .version = RIVALS_VERSION, .built = "fake 1.0", .clock = "a made-up clock",
    .list = list, .count = sizeof list / sizeof *list,
    .open = open_it, .close = close_it, .describe = describe,
    .start = start, .stop = stop, .copy = copy, .check = check, .error = error};
/* clang-format on */

__attribute__((visibility("default"))) const struct rivals *multiway_rivals(void);

const struct rivals *multiway_rivals(void)
{
    static struct rivals other;

    other = table;
    other.version += getenv("FAKE_RIVALS_OLD") != NULL;
    return &other;
}
