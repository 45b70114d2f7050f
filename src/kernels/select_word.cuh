/*
 * select_word.cuh - the kernels that select rows by rank, for codes of one width: included
 * once for each SELECT_CODE, as select_code.cuh.
 */

#define SELECT_JOIN(code, name) code##_##name
#define SELECT_JOIN_OF(code, name) SELECT_JOIN(code, name)
#define SELECT_NAME(name) SELECT_JOIN_OF(SELECT_CODE, name)

#include "select_word_alone.cuh"

#include "select_word_guess.cuh"

#include "select_word_stage.cuh"

#include "select_word_tied.cuh"

#include "select_word_count.cuh"

#include "select_word_filter.cuh"

#undef SELECT_CODE
#undef SELECT_BITS
#undef SELECT_NAME
#undef SELECT_JOIN_OF
#undef SELECT_JOIN
