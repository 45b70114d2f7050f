/*
 * micro.cu - one access, repeated, at places that the host chose. Compiled for cells of
 * KEY_BITS bits (8, 16, 32, 64, 128), by nvcc and as C for the simulator.
 */
#include "simt.h"

#include "micro.h"

#if KEY_BITS == 8
typedef unsigned char key;
#elif KEY_BITS == 16
typedef unsigned short key;
#elif KEY_BITS == 32
typedef unsigned int key;
#elif KEY_BITS == 64
typedef unsigned long long key;
#else
/* Aligned, or a GPU would move it in parts. */
typedef struct {
    ALIGNED(16) unsigned words[4];
} key;
#endif

CELL(key_cell, key);
CELL(int_cell, int);

enum {
    shared_load_blocks = 1,
    shared_store_blocks = 1,
    global_load_blocks = 1,
    global_store_blocks = 1
};

/* A key of which every bit depends on `seed`. */
DEVICE key make_key(int seed)
{
    const unsigned bits = (unsigned)seed * 2654435761u;
#if KEY_BITS == 128
    key k;

    k.words[0] = bits;
    k.words[1] = ~bits;
    k.words[2] = bits + 1;
    k.words[3] = ~bits + 1;
    return k;
#else
    return (key)(((unsigned long long)bits << 32 | bits) >> (64 - KEY_BITS));
#endif
}

/* Both keys into one, so that the compiler keeps the load. */
DEVICE key mix(key a, key b)
{
#if KEY_BITS == 128
    for (int i = 0; i < 4; i++)
        a.words[i] += b.words[i];
    return a;
#else
    return (key)(a + b);
#endif
}

DEVICE int my_place(const struct micro_args *args)
{
    return LOAD((const int_cell *)args->places + LANE);
}

DEVICE int my_warp(void)
{
    return (int)(BLOCK * (THREADS / WARP) + THREAD / WARP);
}

/* The loads are compared. Stores fill the cells before. */
KERNEL(shared_load, struct micro_args)
{
    SHARED(key_cell, all);
    const int place = my_place(&args);
    const key_cell *const cells = all + THREAD / WARP * args.cells;
    key sum = make_key(0);

    for (int i = THREAD; i < THREADS / WARP * args.cells; i += THREADS)
        STORE(&all[i], make_key(i));
    BARRIER();
    for (int turn = 0; turn < args.turns; turn++) {
        if (place >= 0)
            sum = mix(sum, LOAD(&cells[place]));
        WARP_BARRIER(); /* keeps the loads of all turns apart */
    }
    STORE((key_cell *)args.out + BLOCK * THREADS + THREAD, sum);
}

/* Nothing is loaded from shared memory here. */
KERNEL(shared_store, struct micro_args)
{
    SHARED(key_cell, all);
    const int place = my_place(&args);
    key_cell *const cells = all + THREAD / WARP * args.cells;

    for (int turn = 0; turn < args.turns; turn++) {
        if (place >= 0)
            STORE(&cells[place], make_key(turn + THREAD));
        WARP_BARRIER();
    }
}

/* Besides the loads counted there is one, of places: 4 sectors a warp. */
KERNEL(global_load, struct micro_args)
{
    const int place = my_place(&args);
    const key_cell *const cells = (const key_cell *)args.in + my_warp() * args.cells;
    key sum = make_key(0);

    for (int turn = 0; turn < args.turns; turn++) {
        if (place >= 0)
            sum = mix(sum, LOAD(&cells[place]));
        WARP_BARRIER();
    }
    STORE((key_cell *)args.out + BLOCK * THREADS + THREAD, sum);
}

KERNEL(global_store, struct micro_args)
{
    const int place = my_place(&args);
    key_cell *const cells = (key_cell *)args.out + my_warp() * args.cells;

    for (int turn = 0; turn < args.turns; turn++) {
        if (place >= 0)
            STORE(&cells[place], make_key(turn + THREAD));
        WARP_BARRIER();
    }
}

#ifdef __CUDACC__ /* the simulator starts any KERNEL */
ENTRY(shared_load, struct micro_args)
ENTRY(shared_store, struct micro_args)
ENTRY(global_load, struct micro_args)
ENTRY(global_store, struct micro_args)
#endif
