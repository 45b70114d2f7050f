/*
 * nvrtc_compile.c - compile the library's kernels as the library would:
 *
 *   nvrtc_compile BITS ARCHITECTURE heap|pair|rows      such as 32 90 heap or 0 90 rows
 *   nvrtc_compile BITS ARCHITECTURE tile|lists ROWS ITEMS SORT MERGE [places]
 *   nvrtc_compile kernels ...    the names of the kernels of a program, named as above
 *   nvrtc_compile tiles ARCHITECTURE BITS     ROWS ITEMS SORT MERGE [places] of its
 *                                             rows of tune.def
 *   nvrtc_compile lists ARCHITECTURE BITS     the same of those that merge lists
 *
 * Each kernel of the engine by itself; prints NVRTC's logs, with what each kernel uses.
 * Exits with 77 if the machine has no NVRTC, with 1 if a kernel does not
 * compile.
 */
#include "cuda/nvrtc.h"
#include "tile_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_NVRTC = 77 };

static const struct kernel {
    const char *name;
    const char *args;
    unsigned engine;
} kernels[KERNEL_COUNT] = {
#define KERNEL_ROW(id, name, args, program, memory) {#name, #args, PROGRAM_##program},
#include "kernels/kernels.def"
#undef KERNEL_ROW
};

/* clang-format off */
static const struct list_row {
    unsigned arch, size;
    struct tile_geometry tile;
} list_rows[] = {
#define TUNE_LISTS(arch, kib, size, rows, items, merge_blocks) \
    {arch, size, {rows, items, 0, merge_blocks, 0, 0}},
#define TUNE_LISTS_PLACES(arch, kib, size, rows, items, merge_blocks) \
    {arch, size, {rows, items, 0, merge_blocks, 1, 0}},
#include "tune.def"
};
/* clang-format on */

static unsigned engine_of(const char *name)
{
    return strcmp(name, "heap") == 0    ? MW_ENGINE_HEAP
           : strcmp(name, "tile") == 0  ? MW_ENGINE_TILE
           : strcmp(name, "lists") == 0 ? PROGRAM_LISTS
           : strcmp(name, "pair") == 0  ? MW_ENGINE_PAIR
           : strcmp(name, "tally") == 0 ? MW_ENGINE_TALLY
           : strcmp(name, "rows") == 0  ? PROGRAM_ROWS
                                        : MW_ENGINE_AUTO;
}

static int print_kernels(const struct program_name *name)
{
    const kernel_set set = program_kernels(name);

    for (int i = 0; i < KERNEL_COUNT; i++) {
        if (set & KERNEL_SET(i))
            printf("%s\n", kernels[i].name);
    }
    return 0;
}

static void print_tile(const struct tile_geometry *tile)
{
    printf("%u %u %u %u%s\n", tile->rows, tile->items, tile->sort_blocks,
           tile->merge_blocks, tile->places ? " places" : "");
}

static int print_tiles(unsigned architecture, unsigned bits)
{
    for (int i = 0; i < TILE_ROW_COUNT; i++) {
        if (tile_rows[i].arch == architecture && 8 * tile_rows[i].size == bits)
            print_tile(&tile_rows[i].tile);
    }
    return 0;
}

static int print_lists(unsigned architecture, unsigned bits)
{
    for (size_t i = 0; i < sizeof list_rows / sizeof *list_rows; i++) {
        if (list_rows[i].arch == architecture && 8 * list_rows[i].size == bits)
            print_tile(&list_rows[i].tile);
    }
    return 0;
}

static int compile_all(struct nvrtc_request *request)
{
    struct nvrtc nvrtc;
    struct error error;
    int passed = 1;

    if (nvrtc_open(&nvrtc, &error) != MW_OK) {
        printf("%s\n", error.text);
        return NO_NVRTC;
    }
    for (int i = 0; i < KERNEL_COUNT; i++) {
        struct nvrtc_code code;

        if (kernels[i].engine == PROGRAM_PLACES ||
            !(program_kernels(&request->program) & KERNEL_SET(i)))
            continue;
        request->kernel = kernels[i].name;
        request->args = kernels[i].args;
        if (nvrtc_compile(&nvrtc, request, &code, &error) != MW_OK) {
            printf("%s\n", error.text);
            passed = 0;
        } else {
            printf("%s%s: %zu bytes of machine code\n", code.log, kernels[i].name,
                   code.size);
        }
        nvrtc_code_free(&code);
    }
    nvrtc_close(&nvrtc);
    return !passed;
}

int main(int count, char **arguments)
{
    const int only_names = count > 1 && strcmp(arguments[1], "kernels") == 0;
    unsigned numbers[9] = {0};
    struct nvrtc_request request = {
        .sources = kernel_sources, .digest = kernel_sources_digest, .verbose = 1};

    arguments += only_names; /* the others are where they would be without the word */
    count -= only_names;
    for (int i = 0; i < count && i < 9; i++)
        numbers[i] = (unsigned)atoi(arguments[i]);
    if (count == 4 && strcmp(arguments[1], "tiles") == 0)
        return print_tiles(numbers[2], numbers[3]);
    if (count == 4 && strcmp(arguments[1], "lists") == 0)
        return print_lists(numbers[2], numbers[3]);

    const unsigned places = count == 9 && strcmp(arguments[8], "places") == 0;

    request.program.engine = count > 3 ? engine_of(arguments[3]) : MW_ENGINE_AUTO;

    const int has_tiles = request.program.engine == MW_ENGINE_TILE ||
                          request.program.engine == PROGRAM_LISTS;

    request.program.bits = (int)numbers[1];
    request.architecture = numbers[2];
    if (has_tiles)
        request.program.tile =
            (struct tile_geometry){.rows = numbers[4],
                                   .items = numbers[5],
                                   .sort_blocks = numbers[6],
                                   .merge_blocks = numbers[7],
                                   .places = places};
    if (has_tiles ? count != 8 && !places : count != 4) {
        fprintf(stderr,
                "nvrtc_compile: wrong arguments; its source says which are right\n");
        return 2;
    }
    return only_names ? print_kernels(&request.program) : compile_all(&request);
}
