/*
 * field_bits.cuh - the bytes of a field as a number, and codes that are made of fields.
 */

/* The bytes of a word in reverse. */
DEVICE unsigned turn_bytes(unsigned word)
{
    return word << 24 | (word & 0xff00) << 8 | (word >> 8 & 0xff00) | word >> 24;
}

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

            bits |=
                is_string ? (wide)turn_bytes(word) << (shift - 24) : (wide)word << shift;
            i += 4;
        } else {
            bits |= (wide)LOAD_AS(BULK, (const byte_cell *)(from + i)) << shift;
            i++;
        }
    }
    return bits;
}

/* The bits of a part in the code, from those of its field. */
DEVICE wide part_code(const struct code_part *part, wide bits)
{
    return field_code_of(bits, &part->code) >> part->drop & ~(wide)0 >> (64 - part->bits);
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

        code = part->bits < 64 ? code << part->bits : 0;
        code |= part_code(part, load_bits(at, part->bytes, part->is_string));
    }
    return code;
}
