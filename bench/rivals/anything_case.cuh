/*
 * anything_case.cuh - one case of multiway-anything: a kind of rows, a count, a shape.
 */
#ifndef MW_BENCH_RIVALS_ANYTHING_CASE_CUH
#define MW_BENCH_RIVALS_ANYTHING_CASE_CUH

#include "anything.cuh"
#include "memory.cuh"

#include <string>
#include <vector>

enum form { PAIRS, RECORDS, APART, ARGSORT }; /* apart: records to another array */

struct kind {
    const char *name;
    const char *about; /* one line */
    const row_calls *calls;
    form rows;
    mw_field key;
    const char *less; /* NULL: by the key */
    const char *declarations;
};

enum contestant { OURS, MERGE, RADIX, CONTESTANTS };

struct outcome {
    double ms[CONTESTANTS] = {}; /* medians; 0: did not run, or was wrong */
    double workspace = 0;        /* of ours / bytes of the rows */
    bool prepared = false;
    std::string verdict = "-"; /* of ours: ok, WRONG, unsupported, FAILED */
    std::string message;       /* what was wrong, of anyone */
    int status = 0;            /* 1: a result was wrong; 2: a call failed */
};

/* What all cases share. Throws where there is no GPU. */
struct stage {
    stage();
    ~stage();
    stage(const stage &) = delete;

    mw_context *context = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t first = nullptr, last = nullptr;
    faults *found = nullptr; /* device memory */
    int version = 0;         /* of the library that runs */
};

/* Measure and verify one case. A failure is in the outcome. */
void measure(stage *on, const kind &what, const numbers &all, int trials, bool rivals,
             outcome *got);

#endif
