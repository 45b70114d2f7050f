/*
 * strided.cu - lanes touch every stride-th cell, in shared and in global memory.
 */
#include "simt.h"

#include "kernels.h"

#if KEY_BITS == 8
typedef unsigned char key;
#elif KEY_BITS == 16
typedef unsigned short key;
#elif KEY_BITS == 32
typedef unsigned int key;
#elif KEY_BITS == 64
typedef unsigned long long key;
#else
typedef struct {
    unsigned words[4];
} key;
#endif

CELL(key_cell, key);

/* Lines, in order: fill, barrier, strided load, barrier, strided store. */
KERNEL(strided_shared, struct test_args)
{
    SHARED(key_cell, cells);
    key k = {0};

    for (int i = THREAD; i < args.count; i += THREADS)
        STORE(&cells[i], k);
    BARRIER();
    k = LOAD(&cells[args.first + THREAD * args.stride]);
    BARRIER();
    if (args.stride != 0)
        STORE(&cells[args.first + THREAD * args.stride], k);
}

/* Lines: a bulk load, a bulk store. */
KERNEL(strided_global, struct test_args)
{
    const key_cell *const in = (const key_cell *)args.in;
    key_cell *const out = (key_cell *)args.out;
    const int i = args.first + THREAD * args.stride;
    const key k = LOAD_AS(BULK, &in[i]);

    if (args.stride != 0)
        STORE_AS(BULK, &out[i], k);
}
