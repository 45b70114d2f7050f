/*
 * key.cuh - the key of a program, an unsigned number of KEY_BITS bits, and its order.
 *
 * Every built-in type is sorted as unsigned codes of its width. The first pass makes
 * them by enter(), the last pass undoes that by leave().
 */
#if KEY_BITS == 8
typedef unsigned char key;
#elif KEY_BITS == 16
typedef unsigned short key;
#elif KEY_BITS == 32
typedef unsigned int key;
#elif KEY_BITS == 64
typedef unsigned long long key;
#else
#error "KEY_BITS must be 8, 16, 32 or 64"
#endif

/* A key in a register: at least a 32-bit word, since narrower ones save nothing. */
#if KEY_BITS == 64
typedef key bare;
#else
typedef unsigned int bare;
#endif

CELL(key_cell, key);
CELL(int_cell, int);
CELL(unsigned_cell, unsigned);
CELL(wide_cell, wide);
CELL(place_cell, unsigned short);

DEVICE int less(bare a, bare b)
{
    return a < b;
}

#define CODE_FUNCTION DEVICE
#include "code.inl"

DEVICE key enter(key bits, const struct key_code *code)
{
    return code_enter(bits, code->is_float, (key)code->flip);
}

DEVICE key leave(key rank, const struct key_code *code)
{
    return code_leave(rank, code->is_float, (key)code->flip);
}
