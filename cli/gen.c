/*
 * gen.c - `multiway gen`: keys of some shape, to a file or a pipe.
 */
#include "cli.h"
#include "options.h"
#include "output.h"

#include <inttypes.h>

enum { CHUNK_BYTES = 4 << 20 };

struct gen {
    mw_type type;
    uint64_t count;
    uint64_t seed;
    struct kit_shape shape;
    const char *output;
};

static int write_keys(const struct kit_input *input, struct output *output)
{
    static char chunk[CHUNK_BYTES];
    const size_t size = mw_type_size(input->type);
    const uint64_t most = CHUNK_BYTES / size;

    if (output_open(output) || output_room(output, input->count * size))
        return -1;
    for (uint64_t first = 0; first < input->count; first += most) {
        const uint64_t left = input->count - first;
        const uint64_t count = left < most ? left : most;

        kit_input_fill(input, first, count, chunk);
        if (output_write(output, chunk, count * size))
            return -1;
    }
    return output_finish(output);
}

static int gen(const struct gen *gen)
{
    struct output output = {0};
    struct kit_input input = {0};
    int failed = output_aim(&output, "gen", gen->output);

    if (!failed && gen->count > (UINT64_C(1) << 62) / mw_type_size(gen->type))
        failed = complain("gen", "--count %" PRIu64 ": a file holds less than 2^62 bytes",
                          gen->count);
    if (!failed &&
        kit_input_open(&input, gen->type, gen->count, gen->shape, gen->seed) != MW_OK)
        failed = complain("gen", "no memory for the tables of this shape");
    failed = failed || write_keys(&input, &output);
    output_drop(&output);
    kit_input_close(&input);
    return failed ? EXIT_TROUBLE : EXIT_FINE;
}

int command_gen(int argc, char **argv)
{
    struct gen c = {0};
    const struct option options[] = {
        TYPE_OPTION(c.type), COUNT_OPTION(c.count),   SHAPE_OPTION(c.shape),
        SEED_OPTION(c.seed), OUTPUT_OPTION(c.output), {0},
    };
    const struct command command = {
        .name = "gen",
        .usage = "--type TYPE --count N [--shape SHAPE] [--seed N] [-o FILE]",
        .about = "Write keys of some shape. The same type, count, shape and seed give the\n"
                 "same bytes on every machine.",
        .options = options,
        .shapes = 1,
        .more =
            "Where a type has fewer values than there are keys, neighbours share values.\n"
            "Shape conflict is at its hardest for 32 * E * 2^m keys.\n"
            "\n"
            "  multiway gen --type u64 --count 1M --shape random --seed 7 -o keys.bin\n"
            "  multiway gen --type f32 --count 2^24 --shape swaps:100 >almost.bin\n"
            "  multiway gen --type i32 --count 2228224 --shape conflict:17,256 "
            ">hard.bin\n",
    };
    const int parsed = options_parse(&command, argc, argv, NULL);

    return parsed == OPTIONS_RUN ? gen(&c) : parsed;
}
