/*
 * main.c - the library's kernels, one by one, on the simulator.
 *
 *   kernels [NAME]     all sections, or the one named
 */
#include "fixture.h"

/* clang-format off */
#define SECTIONS(S)                                           \
    S(heap_base) S(heap_cut) S(heap_merge)                    \
    S(tile_sort) S(tile_cut) S(tile_ahead) S(tile_parts)      \
    S(tile_rounds) S(tile_carry) S(gather_rows) S(less)       \
    S(select_parts)
#define DECLARE(name) kernel_test test_##name;
#define ROW(name) {#name, test_##name},

SECTIONS(DECLARE)

static const struct {
    const char *name;
    kernel_test *test;
} sections[] = {SECTIONS(ROW)};
/* clang-format on */

int main(int argc, char **argv)
{
    struct tap tap = {0, 0};
    struct fixture f;

    tap_ok(&tap, fixture_open(&f), "the simulator opens", f.error.text);
    for (size_t i = 0; f.device && i < COUNT_OF(sections); i++) {
        if (argc < 2 || strcmp(argv[1], sections[i].name) == 0)
            sections[i].test(&tap, &f);
        fixture_clear(&f);
    }
    fixture_close(&f);
    return tap_end(&tap);
}
