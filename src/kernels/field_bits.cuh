/*
 * field_bits.cuh - the bytes of a field as a number, and codes that are made of fields.
 */

/* The bytes at `at` as a number; those of a string from the most significant on. */
DEVICE wide load_bits(const void *at, int bytes, int is_string)
{
    const unsigned char *const from = (const unsigned char *)at;
    const int words = ((wide)from | (unsigned)bytes) % 4 == 0;
    wide bits = 0;

    NO_UNROLL
    for (int i = 0; i < bytes;) {
        const int shift = 8 * (is_string ? bytes - 1 - i : i);

        if (words) {
            const unsigned word = LOAD_AS(BULK, (const unsigned_cell *)(from + i));
            const unsigned turned =
                word << 24 | (word & 0xff00) << 8 | (word >> 8 & 0xff00) | word >> 24;

            bits |= is_string ? (wide)turned << (shift - 24) : (wide)word << shift;
            i += 4;
        } else {
            bits |= (wide)LOAD_AS(BULK, (const byte_cell *)(from + i)) << shift;
            i++;
        }
    }
    return bits;
}

/* The code of a row that is made of parts. */
DEVICE wide bits_of_parts(const struct tile_source *source, wide number)
{
    const wide row =
        source->order ? LOAD((const unsigned_cell *)source->order + number) : number;
    wide code = 0;

    NO_UNROLL
    for (int i = 0; i < source->part_count; i++) {
        const struct code_part *const part = &source->part[i];
        const char *const at = (const char *)part->at + row * part->pitch;
        const wide field =
            field_code_of(load_bits(at, part->bytes, part->is_string), &part->code);
        const wide mask = ~(wide)0 >> (64 - part->bits);

        code = part->bits < 64 ? code << part->bits : 0;
        code |= field >> part->drop & mask;
    }
    return code;
}
