/*
 * gen.c - `multiway gen`: keys of some shape, or records with them, to a file or a pipe.
 */
#include "cli.h"
#include "order.h"
#include "output.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CHUNK_BYTES = 4 << 20 };

struct gen {
    struct order_choice order;
    uint64_t count;
    uint64_t seed;
    struct kit_shape shape;
    const char *output;
};

/* What a file is made of: the keys of each field, and bytes between them. */
struct parts {
    struct kit_input bytes; /* of records */
    struct kit_input field[TEXTS_MOST];
    uint32_t field_count;
};

/* The type of numbers that make a byte string: its first bytes, the greatest first. */
static mw_type number_of(const mw_field *field)
{
    return field->type != MW_BYTES ? field->type
           : field->bytes >= 8     ? MW_U64
           : field->bytes >= 4     ? MW_U32
           : field->bytes >= 2     ? MW_U16
                                   : MW_U8;
}

/* Put the numbers of a field into its places; the rest of a byte string is 0. */
static void place_field(const mw_field *field, const char *numbers, uint32_t number_bytes,
                        char *records, uint32_t record_bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++, numbers += number_bytes) {
        char *const to = records + i * record_bytes + field->offset;

        if (field->type != MW_BYTES) {
            memcpy(to, numbers, number_bytes);
            continue;
        }
        memset(to, 0, field->bytes);
        for (uint32_t j = 0; j < number_bytes; j++)
            to[j] = numbers[number_bytes - 1 - j];
    }
}

/* Elements from position `first` on. The most significant field is placed last. */
static void fill(const struct gen *gen, const struct parts *parts, uint64_t first,
                 uint64_t count, char *chunk, char *numbers)
{
    const uint32_t bytes = gen->order.record;
    const size_t filler = mw_type_size(parts->bytes.type);

    if (!bytes) {
        kit_input_fill(&parts->field[0], first, count, chunk);
        return;
    }
    kit_input_fill(&parts->bytes, first * bytes / filler, count * bytes / filler, chunk);
    for (uint32_t i = parts->field_count; i-- > 0;) {
        const mw_field *const field = &gen->order.fields[i];

        kit_input_fill(&parts->field[i], first, count, numbers);
        place_field(field, numbers, (uint32_t)mw_type_size(number_of(field)), chunk, bytes,
                    count);
    }
}

static int write_all(const struct gen *gen, const struct parts *parts,
                     struct output *output)
{
    char *const chunk = memory_for("gen", 2, CHUNK_BYTES);
    const uint32_t size = gen->order.order->element_bytes;
    const uint64_t most = CHUNK_BYTES / (size < 8 ? 8 : size); /* `numbers` have up to 8 */
    int bad = !chunk || output_room(output, gen->count * size);

    for (uint64_t first = 0; !bad && first < gen->count; first += most) {
        const uint64_t left = gen->count - first;
        const uint64_t count = left < most ? left : most;

        fill(gen, parts, first, count, chunk, chunk + CHUNK_BYTES);
        bad = output_write(output, chunk, count * size);
    }
    free(chunk);
    return bad ? bad : output_finish(output);
}

static mw_status open_parts(const struct gen *gen, struct parts *parts)
{
    const struct kit_shape random = {0};
    const mw_type filler = gen->order.record % 4 ? MW_U8 : MW_U32;
    mw_status status = MW_OK;

    parts->field_count = gen->order.order->field_count;
    for (uint32_t i = 0; i < parts->field_count && status == MW_OK; i++)
        status = kit_input_open(&parts->field[i], number_of(&gen->order.fields[i]),
                                gen->count, gen->shape, gen->seed + i);
    if (status == MW_OK)
        status = kit_input_open(&parts->bytes, filler,
                                gen->count * gen->order.record / mw_type_size(filler),
                                random, gen->seed + TEXTS_MOST);
    return status;
}

static int gen(struct gen *gen)
{
    static struct parts parts;
    struct output output = {0};
    int failed = order_make(&gen->order, "gen") || output_open(&output, "gen", gen->output);

    if (!failed && gen->count > (UINT64_C(1) << 62) / gen->order.order->element_bytes)
        failed = complain("gen", "--count %" PRIu64 ": a file holds less than 2^62 bytes",
                          gen->count);
    if (!failed && open_parts(gen, &parts) != MW_OK)
        failed = complain("gen", "no memory for the tables of this shape");
    failed = failed || write_all(gen, &parts, &output);
    output_drop(&output);
    for (uint32_t i = 0; i < TEXTS_MOST; i++)
        kit_input_close(&parts.field[i]);
    kit_input_close(&parts.bytes);
    return failed ? EXIT_TROUBLE : EXIT_FINE;
}

int command_gen(int argc, char **argv)
{
    struct gen c = {.order = ORDER_CHOICE_INIT};
    /* clang-format off */
    const struct option options[] = {
        TYPE_OPTION_IF(c.order.type, 0), RECORD_OPTIONS(c.order), COUNT_OPTION(c.count),
        SHAPE_OPTION(c.shape), SEED_OPTION(c.seed), OUTPUT_OPTION(c.output),
        {0},
    };
    /* clang-format on */
    const struct command command = {
        .name = "gen",
        .usage = "--type TYPE --count N [--shape SHAPE] [--seed N] [-o FILE]\n"
                 "       multiway gen --record BYTES [--key FIELD ...] --count N [-o FILE]",
        .about =
            "Write keys of some shape, or records whose keys have that shape and whose\n"
            "other bytes are random. The same options give the same bytes on every\n"
            "machine.",
        .options = options,
        .shapes = 1,
        .more = KEY_HELP
        "\n"
        "Where a type has fewer values than there are keys, neighbours share values.\n"
        "Shape conflict is at its hardest for 32 * E * 2^m keys.\n"
        "\n"
        "  multiway gen --type u64 --count 1M --shape random --seed 7 -o keys.bin\n"
        "  multiway gen --type f32 --count 2^24 --shape swaps:100 >almost.bin\n"
        "  multiway gen --type i32 --count 2228224 --shape conflict:17,256 "
        ">hard.bin\n"
        "  multiway gen --record 100 --key 0:bytes:10 --count 1M -o records.bin\n",
    };
    const int parsed = options_parse(&command, argc, argv, NULL);

    return parsed == OPTIONS_RUN ? gen(&c) : parsed;
}
