/*
 * main.c - the library's kernels, one by one, on the simulator.
 *
 *   kernels [NAME]     all sections, or the one named
 */
#include "fixture.h"

kernel_test test_heap_base, test_heap_cut, test_heap_merge, test_tile_sort, test_tile_cut,
    test_tile_ahead, test_tile_parts, test_tile_rounds, test_tile_places;

static const struct {
    const char *name;
    kernel_test *test;
} sections[] = {
    {"heap_base",   test_heap_base  },
    {"heap_cut",    test_heap_cut   },
    {"heap_merge",  test_heap_merge },
    {"tile_sort",   test_tile_sort  },
    {"tile_cut",    test_tile_cut   },
    {"tile_ahead",  test_tile_ahead },
    {"tile_parts",  test_tile_parts },
    {"tile_rounds", test_tile_rounds},
    {"tile_places", test_tile_places},
};

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
