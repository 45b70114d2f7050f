/*
 * rows_word.cuh - gathering rows by words of one size: included once for each ROWS_WORD,
 * whose cell is ROWS_WORD_cell.
 */

/*
 * Gather the rows [first, last), of `words` words each. Neighbouring threads copy
 * neighbouring words; a thread goes on by as many words as the block has threads.
 */
DEVICE void ROWS_NAME(gather_as)(const struct gather_rows_args *args, wide first, wide last,
                                 int words, const int some)
{
    const ROWS_NAME(cell) *const in = (const ROWS_NAME(cell) *)args->in;
    ROWS_NAME(cell) *const out = (ROWS_NAME(cell) *)args->out + first * (wide)words;
    const unsigned_cell *const positions = (const unsigned_cell *)args->positions;
    const wide_cell *const wanted = (const wide_cell *)args->wanted;
    const int rows = THREADS / words; /* a step of THREADS words */
    const int rest = THREADS % words;
    const int count = (int)(last - first) * words;
    int row = THREAD / words;
    int word = THREAD % words;

    NO_UNROLL
    for (int begin = THREAD; begin < count; begin += ROWS_BATCH * THREADS) {
        wide from[ROWS_BATCH];
        ROWS_WORD value[ROWS_BATCH];
        int takes[ROWS_BATCH];

        UNROLL
        for (int i = 0; i < ROWS_BATCH; i++) {
            takes[i] = begin + i * THREADS < count;
            if (takes[i]) {
                wide source = first + (wide)row;

                if (some && wanted)
                    takes[i] = (int)(LOAD(&wanted[source / 64]) >> source % 64 & 1);
                if (positions) {
                    const unsigned position = LOAD_AS(BULK, &positions[source]);

                    takes[i] &= !some || position != GATHER_NONE;
                    source = position;
                }
                from[i] = source * (wide)words + (wide)word;
            }
            row += rows + (word + rest >= words);
            word += rest - (word + rest >= words ? words : 0);
        }
        UNROLL
        for (int i = 0; i < ROWS_BATCH; i++) {
            if (takes[i])
                value[i] = LOAD(&in[from[i]]);
        }
        UNROLL
        for (int i = 0; i < ROWS_BATCH; i++) {
            if (takes[i])
                STORE_AS(BULK, &out[begin + i * THREADS], value[i]);
        }
    }
}

DEVICE void ROWS_NAME(gather)(const struct gather_rows_args *args, wide first, wide last,
                              int words)
{
    if (args->some)
        ROWS_NAME(gather_as)(args, first, last, words, 1);
    else
        ROWS_NAME(gather_as)(args, first, last, words, 0);
}

#undef ROWS_WORD
