/*
 * lists.c - from texts with commas to types, shapes, counts and contestants.
 */
#include "bench.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* Our own contestants. */
#define ABOUT(where) "mw_enqueue " where ", workspace allocated before"
static const struct contestant engines[] = {
    {.name = "tile", .about = ABOUT("with engine tile"), .engine = MW_ENGINE_TILE},
    {.name = "heap", .about = ABOUT("with engine heap"), .engine = MW_ENGINE_HEAP},
    {.name = "pair", .about = ABOUT("with engine pair"), .engine = MW_ENGINE_PAIR},
    {.name = "deal", .about = ABOUT("with engine deal"), .engine = MW_ENGINE_DEAL},
    {.name = "tally", .about = ABOUT("with engine tally"), .engine = MW_ENGINE_TALLY},
    {.name = "auto", .about = ABOUT("with any engine"), .engine = MW_ENGINE_AUTO},
};
static const struct contestant cpu = {.name = "cpu", .about = ABOUT("on the CPU")};
static const struct contestant plain = {
    .name = "plain", .about = ABOUT("of all rows, for one segment"), .plain = 1};

/* The counts measured by default, by the beginning of the device's name. */
static const struct {
    const char *device;
    const char *counts;
} usual[] = {
    {"cuda", "2^16,2^20,2^24,2^26"},
    {"cpu",  "2^16,2^20,2^22"     },
    {"sim",  "2^12,2^14"          },
};

static int begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

int cases_total(const struct cases *cases)
{
    return cases->type_count * cases->shape_count * cases->count_count * cases->task_count;
}

struct one_case cases_at(const struct cases *cases, int i)
{
    const int shapes = cases->shape_count;
    const int counts = cases->count_count;
    const int input = i / cases->task_count;

    return (struct one_case){
        cases->types[input / counts / shapes], &cases->shapes[input / counts % shapes],
        cases->counts[input % counts], &cases->tasks[i % cases->task_count]};
}

const char *count_text(uint64_t count, char text[COUNT_TEXT])
{
    int bits = 0;

    while (bits < 63 && UINT64_C(1) << bits < count)
        bits++;
    if (bits >= 10 && UINT64_C(1) << bits == count)
        snprintf(text, COUNT_TEXT, "2^%d", bits);
    else
        snprintf(text, COUNT_TEXT, "%llu", (unsigned long long)count);
    return text;
}

const char *job_text(const struct kit_task *task, char text[JOB_TEXT])
{
    snprintf(text, JOB_TEXT, "%s%s%s", kit_operation_name(task->operation),
             *task->text ? " " : "", task->text);
    return text;
}

const char *case_text(const struct one_case *what, char text[CASE_TEXT])
{
    char count[COUNT_TEXT];
    char job[JOB_TEXT];

    snprintf(text, CASE_TEXT, "%s %s %s%s%s", mw_type_name(what->type), what->shape->name,
             count_text(what->count, count), *what->task->text ? " " : "",
             *what->task->text ? job_text(what->task, job) : "");
    return text;
}

/* Up to the next comma. */
static size_t item_span(const char *text)
{
    return strcspn(text, ",");
}

/* Give every item of an option's list to `take`. 0, or not 0 after an error message. */
static int each_item(const char *option, const char *text, int most,
                     size_t (*span)(const char *text),
                     int (*take)(void *to, const char *item), void *to)
{
    const char *rest = text;
    int number = 0;

    for (;;) {
        const size_t length = span(rest);
        char item[MOST_NAME];

        if (length == 0 || length >= sizeof item)
            return complain("bench", "--%s %s: not a list, such as a,b,c", option, text);
        if (++number > most)
            return complain("bench", "--%s: at most %d items", option, most);
        memcpy(item, rest, length);
        item[length] = '\0';
        if (take(to, item))
            return -1;
        if (rest[length] == '\0')
            return 0;
        rest += length + 1;
    }
}

static int named_twice(const char *option, const char *item)
{
    return complain("bench", "--%s: %s is named twice", option, item);
}

static int take_type(void *to, const char *item)
{
    struct cases *const cases = to;
    mw_type type;

    if (mw_type_parse(item, &type) != MW_OK)
        return complain("bench", "--types: unknown type %s", item);
    for (int i = 0; i < cases->type_count; i++) {
        if (cases->types[i] == type)
            return named_twice("types", item);
    }
    cases->types[cases->type_count++] = type;
    return 0;
}

static int take_count(void *to, const char *item)
{
    struct cases *const cases = to;
    uint64_t *const count = &cases->counts[cases->count_count];

    if (kit_parse_count(item, count) || *count == 0)
        return complain("bench", "--counts: %s is not a count, such as 1000, 5M or 2^20",
                        item);
    cases->count_count++;
    return 0;
}

static int take_shape(void *to, const char *item)
{
    struct cases *const cases = to;
    struct shape *const shape = &cases->shapes[cases->shape_count];
    const char *const trouble = kit_shape_parse(item, &shape->shape);

    if (trouble)
        return complain("bench", "--shapes: %s: %s (see multiway gen --help)", item,
                        trouble);
    strcpy(shape->name, item);
    cases->shape_count++;
    return 0;
}

static int take_task(void *to, const char *item)
{
    struct cases *const cases = to;
    struct kit_task *const task = &cases->tasks[cases->task_count];
    const char *const wrong = kit_task_parse(task->operation, item, task);

    if (wrong)
        return complain("bench", "--jobs: %s: %s", item, wrong);
    cases->task_count++;
    return 0;
}

/* The operation, and its jobs. */
static int read_tasks(const struct wish *wish, struct cases *cases)
{
    const enum kit_operation operation = kit_operation_of(wish->operation);

    if (operation == KIT_OPERATIONS)
        return complain("bench",
                        "--operation %s: expected sort, merge, split, select or segments",
                        wish->operation);
    for (int i = 0; i < MOST_ITEMS; i++)
        cases->tasks[i].operation = operation;
    if (operation != KIT_SORT)
        return each_item("jobs", wish->jobs ? wish->jobs : kit_task_usual(operation),
                         MOST_ITEMS, item_span, take_task, cases);
    cases->task_count = 1;
    return wish->jobs ? complain("bench", "--jobs: a sort has none") : 0;
}

/* A shape that needs one number gets 1000; `conflict` gets CUB's for 4-byte keys. */
static int all_shapes(struct cases *cases)
{
    for (int i = 0; kit_shape_text(i) && i < MOST_ITEMS; i++) {
        const char *const usage = kit_shape_text(i)->usage;
        const int length = (int)strcspn(usage, "[:");
        char name[MOST_NAME];

        snprintf(name, sizeof name, "%.*s%s", length, usage,
                 usage[length] != ':' ? ""
                 : strchr(usage, ',') ? ":17,256"
                                      : ":1000");
        if (take_shape(cases, name))
            return -1;
    }
    return 0;
}

int lists_read_cases(const struct wish *wish, const mw_info *info, struct cases *cases)
{
    static const char *const types[KIT_OPERATIONS] = {"i32,i64", "u32", "u32",
                                                      "u32,f32,u64", "i32,i64"};
    const char *how_many = wish->counts;

    *cases = (struct cases){.type_count = 0};
    if (read_tasks(wish, cases))
        return -1;
    for (size_t i = 0; !how_many && i < sizeof usual / sizeof *usual; i++) {
        if (begins(info->device, usual[i].device))
            how_many = usual[i].counts;
    }
    if (wish->types && strcmp(wish->types, "all") == 0) {
        for (int i = 0; i < MW_TYPE_COUNT; i++)
            cases->types[cases->type_count++] = (mw_type)i;
    } else if (each_item("types",
                         wish->types ? wish->types : types[cases->tasks[0].operation],
                         MW_TYPE_COUNT, item_span, take_type, cases)) {
        return -1;
    }
    if (each_item("counts", how_many, MOST_ITEMS, item_span, take_count, cases))
        return -1;
    if (wish->shapes && strcmp(wish->shapes, "all") == 0)
        return all_shapes(cases);
    return each_item("shapes", wish->shapes ? wish->shapes : "random", MOST_ITEMS,
                     kit_shape_span, take_shape, cases);
}

/* A list of contestants being read: from `all`, to `field`. */
struct choice {
    const struct field *all;
    struct field *field;
    const char *why_none;
};

/* `:NUMBER` at the beginning of `*text`, which is moved past it. */
static int read_number(const char **text, uint32_t *number)
{
    char *end;
    const unsigned long value = strtoul(*text + 1, &end, 10);

    if (!isdigit((unsigned char)(*text)[1]) || value == 0 || value > UINT32_MAX)
        return -1;
    *number = (uint32_t)value;
    *text = end;
    return 0;
}

/* Is `item` this contestant, or this engine followed by :WAYS or :WAYS:WARPS? */
static int matches(const struct contestant *one, const char *item, struct contestant *found)
{
    const size_t length = strlen(one->name);
    const char *rest = item + length;

    if (strncmp(item, one->name, length) != 0)
        return 0;
    *found = *one;
    if (*rest == '\0')
        return 1;
    if (*rest != ':' || one->engine == MW_ENGINE_AUTO)
        return 0;
    strcpy(found->name, item);
    return read_number(&rest, &found->ways) == 0 &&
           (*rest != ':' || read_number(&rest, &found->warps) == 0) && *rest == '\0';
}

static int take_contestant(void *to, const char *item)
{
    const struct choice *const choice = to;
    struct field *const field = choice->field;
    char names[512] = "";
    size_t used = 0;

    for (int i = 0; i < field->count; i++) {
        if (strcmp(field->list[i].name, item) == 0)
            return named_twice("with", item);
    }
    for (int i = 0; i < choice->all->count; i++) {
        if (matches(&choice->all->list[i], item, &field->list[field->count])) {
            field->count++;
            return 0;
        }
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, " %s",
                                     choice->all->list[i].name);
    }
    return complain("bench", "--with: unknown contestant %s (expected one of:%s%s%s)", item,
                    names, *choice->why_none ? "; no rivals: " : "", choice->why_none);
}

/* Move the contestant that ratios refer to to the front. */
static int put_first(struct field *field, const char *ours)
{
    int at = 0;

    while (at < field->count && strcmp(field->list[at].name, ours) != 0)
        at++;
    if (at == field->count)
        return complain("bench", "--ours: %s is not one of the contestants", ours);

    const struct contestant first = field->list[at];

    memmove(&field->list[1], &field->list[0], (size_t)at * sizeof first);
    field->list[0] = first;
    return 0;
}

/* Is it measured if none is named? Tally and deal are for some types and counts only. */
static int is_usual(const struct contestant *one)
{
    return one->engine != MW_ENGINE_TALLY && one->engine != MW_ENGINE_DEAL &&
           strcmp(one->name, "auto") != 0;
}

int lists_read_field(const struct wish *wish, const struct stage *stage,
                     struct field *field)
{
    const struct rivals *const plugin = stage->plugin;
    const int on_cpu = begins(stage->info.device, "cpu");
    const enum kit_operation operation = kit_operation_of(wish->operation);
    const size_t own = operation == KIT_SORT ? sizeof engines / sizeof *engines : 1;
    struct field all = {.count = 0};
    struct choice choice = {&all, field, stage->no_rivals};

    if (on_cpu)
        all.list[all.count++] = cpu;
    for (size_t i = 0; !on_cpu && i < own; i++)
        all.list[all.count++] = engines[i];
    if (operation == KIT_SEGMENTS)
        all.list[all.count++] = plain;
    for (size_t i = 0; plugin && i < plugin->count && all.count < MOST_ITEMS; i++) {
        const struct rival *const rival = &plugin->list[i];
        struct contestant *const one = &all.list[all.count];

        if (rival->operation != operation)
            continue;
        all.count++;
        *one = (struct contestant){.about = rival->about, .rival = rival};
        snprintf(one->name, sizeof one->name, "%s", rival->name);
    }
    *field = (struct field){.count = 0};
    if (!wish->with || strcmp(wish->with, "all") == 0) {
        for (int i = 0; i < all.count; i++)
            if (is_usual(&all.list[i]))
                field->list[field->count++] = all.list[i];
    } else if (each_item("with", wish->with, MOST_ITEMS, item_span, take_contestant,
                         &choice))
        return -1;
    return wish->ours ? put_first(field, wish->ours) : 0;
}
