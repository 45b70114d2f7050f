/*
 * gather_rows.c - rows of every size and alignment come in the order of the positions,
 * and nothing beside them is written.
 */
#include "fixture.h"

enum { MOST_ROWS = 3000, GUARD = 32 };

/* Gather `count` of MOST_ROWS rows; `shift` bytes make the arrays less aligned. */
static int gathers(struct fixture *f, uint32_t bytes, uint64_t count, uint32_t shift,
                   int copies)
{
    const uint64_t size = count * bytes;
    unsigned char *const in = (unsigned char *)fixture_array(f, MOST_ROWS * bytes + 16);
    unsigned char *const out = (unsigned char *)fixture_array(f, size + 2 * GUARD + 16);
    unsigned *const positions = fixture_array(f, (count + 1) * sizeof *positions);
    const struct gather_rows_args args = {.in = in + shift,
                                          .out = out + GUARD + shift,
                                          .positions = copies ? NULL : positions,
                                          .count = count,
                                          .bytes = bytes};
    const struct program_name name = {.engine = PROGRAM_ROWS};
    const uint64_t rows = GATHER_ROWS(bytes);
    struct launch launch = {.kernel = KERNEL_GATHER_ROWS,
                            .blocks = (count + rows - 1) / rows,
                            .threads = gather_rows_threads,
                            .args = &args,
                            .args_bytes = sizeof args};
    mw_status status;
    int right = 1;

    for (uint64_t i = 0; i < MOST_ROWS * bytes + 16; i++)
        in[i] = (unsigned char)fixture_random(f, 256);
    memset(out, 0xa5, size + 2 * GUARD + 16);
    for (uint64_t i = 0; i < count; i++)
        positions[i] = copies ? (unsigned)i : (unsigned)fixture_random(f, MOST_ROWS);
    TRY(f->device->verbs->load(f->device, &name, 1u << launch.kernel, &launch.program));
    TRY(f->device->verbs->launch(f->device, &launch));
    for (uint64_t i = 0; i < count; i++)
        right &= memcmp(out + GUARD + shift + i * bytes,
                        in + shift + (uint64_t)positions[i] * bytes, bytes) == 0;
    for (uint64_t i = 0; i < GUARD + shift; i++)
        right &= out[i] == 0xa5;
    for (uint64_t i = GUARD + shift + size; i < size + 2 * GUARD + 16; i++)
        right &= out[i] == 0xa5;
done:
    if (status != MW_OK)
        tap_note("%s", f->error.text);
    fixture_clear(f);
    return status == MW_OK && right;
}

void test_gather_rows(struct tap *tap, struct fixture *f)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 24, 32, 100, 1000, 4095, 4096};
    static const uint64_t counts[] = {1, 7, 300, MOST_ROWS};

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        int right = 1;

        for (size_t j = 0; j < COUNT_OF(counts); j++) {
            if (counts[j] * sizes[i] > 400000)
                continue;
            for (uint32_t shift = 0; shift <= 8; shift = shift ? 2 * shift : 1)
                right &= gathers(f, sizes[i], counts[j], shift, 0);
            right &= gathers(f, sizes[i], counts[j], 0, 1);
        }
        tap_case(tap, right, "rows of %u bytes, any alignment, by position and copied",
                 sizes[i]);
    }
}
