/*
 * life.h - one whole life of a CUDA device on the fake driver: open, allocate,
 * upload, load, launch, wait, download, close.
 */
#ifndef MW_FAKE_LIFE_H
#define MW_FAKE_LIFE_H

#include "fake_cuda.h"

#include "cuda/copy.h"
#include "device.h"

/* Key widths by the way their program is loaded; see kernel_images in life.c. */
enum { ACCEPTED_BITS = 32, REJECTED_BITS = 8, ABSENT_BITS = 64 };

enum { MOST_BYTES = 2 * COPY_STAGED_FROM + 3 * COPY_CHUNK };

/* The two fakes' own functions, and the fake driver's. */
struct fakes {
    fake_restart_fn *restart, *nvrtc_restart;
    fake_number_fn *calls, *live, *depth, *nvrtc_live, *nvrtc_compiles;
    fake_name_fn *failed, *nvrtc_failed;
    fake_launched_fn *launched;
    struct driver driver;
};

extern struct fakes fake;

/* Find them; 0 if libcuda.so.1 is not the fake. life_end gives them back. */
int life_begin(void);
void life_end(void);

/* Set a variable of the environment to a number; 0 removes it. */
void set(const char *name, int value);

/* Replace the beginning of program.cu: a text with "error" in it does not compile. */
void rewrite_program(const char *text);

/* Load all kernels of a program; `tile` is NULL but for engine tile's. */
mw_status load_all(struct device *device, mw_engine engine, int bits,
                   const struct tile_geometry *tile, struct program **program);

/* What one life came to. */
struct outcome {
    mw_status status;
    struct error error;
    int same;            /* what was downloaded is what was uploaded */
    double milliseconds; /* of its one launch */
    int close_calls;     /* calls of the driver before the giving back began */
};

/* A life with keys of `bits` bits, `bytes` of them (at most MOST_BYTES). */
struct outcome life(int bits, uint64_t bytes, const mw_options *options);

#endif
