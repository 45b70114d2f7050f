/*
 * ledger.c - the table of counts by kernel and site, and its lines.
 */
#include "ledger.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/kernel_files.h"

int ledger_launch(struct ledger *ledger, const struct simt_kernel *kernel)
{
    struct ledger_launches *launches;

    ledger->told = 0;
    for (size_t i = 0; i < ledger->kernels; i++) {
        if (ledger->launches[i].kernel == kernel) {
            ledger->launches[i].count++;
            return 0;
        }
    }
    launches = realloc(ledger->launches, (ledger->kernels + 1) * sizeof *launches);
    if (!launches)
        return -1;
    launches[ledger->kernels].kernel = kernel;
    launches[ledger->kernels].count = 1;
    ledger->launches = launches;
    ledger->kernels++;
    return 0;
}

static uint32_t slot_of(const struct ledger *ledger, const struct simt_kernel *kernel,
                        const struct simt_site *site)
{
    const uint64_t mixed =
        ((uintptr_t)site ^ (uintptr_t)kernel << 7) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t slot = (uint32_t)(mixed >> 32) & (ledger->slot_count - 1);

    while (ledger->slots[slot]) {
        const struct ledger_entry *const e = &ledger->entries[ledger->slots[slot]];

        if (e->site == site && e->kernel == kernel)
            break;
        slot = (slot + 1) & (ledger->slot_count - 1);
    }
    return slot;
}

/* Make room for one more entry; the hash table stays at most half full. */
static int grow(struct ledger *ledger)
{
    const uint32_t capacity = ledger->capacity ? 2 * ledger->capacity : 256;
    struct ledger_entry *entries;
    uint32_t *slots;

    if (ledger->count < ledger->capacity)
        return 0;
    entries = realloc(ledger->entries, capacity * sizeof *entries);
    if (!entries)
        return -1;
    ledger->entries = entries;
    slots = calloc((size_t)2 * capacity, sizeof *slots);
    if (!slots)
        return -1;
    free(ledger->slots);
    ledger->slots = slots;
    ledger->slot_count = 2 * capacity;
    ledger->capacity = capacity;
    if (ledger->count == 0)
        ledger->count = 1;
    for (uint32_t i = 1; i < ledger->count; i++)
        slots[slot_of(ledger, entries[i].kernel, entries[i].site)] = i;
    return 0;
}

uint32_t ledger_number(struct ledger *ledger, const struct simt_kernel *kernel,
                       const struct simt_site *site)
{
    const struct ledger_entry fresh = {.kernel = kernel, .site = site};
    uint32_t slot;

    if (grow(ledger) != 0)
        return 0;
    slot = slot_of(ledger, kernel, site);
    if (!ledger->slots[slot]) {
        ledger->entries[ledger->count] = fresh;
        ledger->slots[slot] = ledger->count++;
    }
    return ledger->slots[slot];
}

void ledger_end(struct ledger *ledger)
{
    const mw_traffic nothing = {0};

    ledger->last = nothing;
    for (uint32_t i = 1; i < ledger->count; i++) {
        struct ledger_entry *const e = &ledger->entries[i];

        traffic_add(&ledger->last, &e->now);
        traffic_add(&e->traffic, &e->now);
        e->now = nothing;
    }
}

const char *base_name(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* A copy of line `line` of a kernel source, without indentation; "" if unknown. */
static char *line_text(const char *file, int line)
{
    const struct kernel_file *source = kernel_sources;
    const char *text;
    size_t length;
    char *copy;

    while (source->name && strcmp(base_name(source->name), file) != 0)
        source++;
    text = source->name ? (const char *)source->bytes : NULL;
    for (int i = 1; text && i < line; i++) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    if (!text)
        text = "";
    text += strspn(text, " \t");
    length = strcspn(text, "\r\n");
    copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

static int compare_lines(const void *left, const void *right)
{
    const mw_ledger_line *const a = left;
    const mw_ledger_line *const b = right;
    const int kernels = strcmp(a->kernel, b->kernel);
    const int files = strcmp(a->file, b->file);

    if (kernels)
        return kernels;
    if (files)
        return files;
    if (a->line != b->line)
        return a->line > b->line ? 1 : -1;
    if (a->access != b->access)
        return a->access > b->access ? 1 : -1;
    return a->stores - b->stores;
}

static int is_empty(const mw_traffic *t)
{
    return !(t->shared_requests | t->global_requests | t->shuffles | t->barriers);
}

/* Join equal neighbours: programs of two widths, or several accesses in a line. */
static size_t join(mw_ledger_line *lines, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && compare_lines(&lines[kept - 1], &lines[i]) == 0)
            traffic_add(&lines[kept - 1].traffic, &lines[i].traffic);
        else
            lines[kept++] = lines[i];
    }
    return kept;
}

static uint64_t launches_of(const struct ledger *ledger, const char *name)
{
    uint64_t count = 0;

    for (size_t i = 0; i < ledger->kernels; i++) {
        if (strcmp(ledger->launches[i].kernel->name, name) == 0)
            count += ledger->launches[i].count;
    }
    return count;
}

static void forget_lines(struct ledger *ledger)
{
    for (size_t i = 0; ledger->texts && i < ledger->line_count; i++)
        free(ledger->texts[i]);
    free(ledger->texts);
    free(ledger->lines);
    ledger->texts = NULL;
    ledger->lines = NULL;
    ledger->line_count = 0;
    ledger->told = 0;
}

mw_status ledger_lines(struct ledger *ledger, struct error *error,
                       const mw_ledger_line **lines, size_t *count)
{
    size_t used = 0;

    if (ledger->told) {
        *lines = ledger->lines;
        *count = ledger->line_count;
        return MW_OK;
    }
    forget_lines(ledger);
    *lines = NULL;
    *count = 0;
    ledger->lines = calloc((size_t)ledger->count + 1, sizeof *ledger->lines);
    ledger->texts = calloc((size_t)ledger->count + 1, sizeof *ledger->texts);
    if (!ledger->lines || !ledger->texts)
        return fail(error, MW_NO_MEMORY, "no memory for the ledger's lines");

    for (uint32_t i = 1; i < ledger->count; i++) {
        const struct ledger_entry *const e = &ledger->entries[i];
        const mw_ledger_line line = {
            .kernel = e->kernel->name,
            .file = base_name(e->site->file),
            .line = e->site->line,
            .access = (mw_access)e->site->access,
            .stores = e->site->word == SIMT_STORE || e->site->word == SIMT_ADD,
            .launches = launches_of(ledger, e->kernel->name),
            .traffic = e->traffic,
        };

        if (!is_empty(&e->traffic))
            ledger->lines[used++] = line;
    }
    qsort(ledger->lines, used, sizeof *ledger->lines, compare_lines);
    ledger->line_count = join(ledger->lines, used);
    for (size_t i = 0; i < ledger->line_count; i++) {
        ledger->texts[i] = line_text(ledger->lines[i].file, ledger->lines[i].line);
        if (!ledger->texts[i])
            return fail(error, MW_NO_MEMORY, "no memory for the ledger's lines");
        ledger->lines[i].text = ledger->texts[i];
    }
    ledger->told = 1;
    *lines = ledger->lines;
    *count = ledger->line_count;
    return MW_OK;
}

void ledger_reset(struct ledger *ledger)
{
    const struct ledger nothing = {0};

    forget_lines(ledger);
    free(ledger->entries);
    free(ledger->slots);
    free(ledger->launches);
    *ledger = nothing;
}
