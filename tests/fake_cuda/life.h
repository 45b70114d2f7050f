/*
 * life.h - one whole life of a CUDA device on the fake driver: open, allocate, upload,
 * load, launch, wait, download, close.
 */
#ifndef MW_FAKE_LIFE_H
#define MW_FAKE_LIFE_H

#include "fake_cuda.h"

#include "cuda/copy.h"
#include "device.h"

/* Key widths by the way their program is loaded; see kernel_images in life.c. */
enum { ACCEPTED_BITS = 32, REJECTED_BITS = 8, ABSENT_BITS = 64 };

enum { MOST_BYTES = 2 * COPY_STAGED_FROM + 3 * FERRY_PIECE };

struct fakes {
    struct fake_cuda *cuda;
    struct fake_calls *nvrtc;
    struct driver driver; /* the fake one, as the library opens it */
};

extern struct fakes fakes;

/* Find the fakes; 0 if libcuda.so.1 is not the fake. */
int life_begin(void);
void life_end(void);

/* Count calls from 0; number `number` (0: none) fails with `code` (0: unknown). */
void fail_call(struct fake_calls *calls, int number, int code);

/* Programs compiled so far, and objects of both fakes not freed. */
int compiles(void);
int leaks(void);

/* Replace the beginning of program.cu: a text with "error" in it does not compile. */
void rewrite_program(const char *text);

/* Load all kernels of engine heap or pair. */
mw_status load_all(struct device *device, mw_engine engine, int bits,
                   struct program **program);

/* Result of one life. */
struct outcome {
    mw_status status;
    struct error error;
    int same;            /* what was downloaded is what was uploaded */
    double milliseconds; /* of its one launch */
    int close_calls;     /* calls of the driver before freeing began */
};

/* A life with keys of `bits` bits, `bytes` of them (at most MOST_BYTES). */
struct outcome life(int bits, uint64_t bytes);

#endif
