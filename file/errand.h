/*
 * errand.h - the state of one mw_sort_file or mw_merge_files, which the files of this
 * folder share: handles, memory, runs, progress.
 */
#ifndef MW_FILE_ERRAND_H
#define MW_FILE_ERRAND_H

#include "input.h"
#include "outfile.h"

enum { ROW_MOST = 4096 }; /* bytes */

/* A temporary file: sorted runs are appended to it. */
struct temporary {
    struct disk_file file;
    char *name;   /* for messages */
    uint64_t end; /* a multiple of DISK_ALIGN */
};

/* Sorted rows, in memory or in a file. */
struct run {
    uint64_t rows;
    unsigned char *memory;       /* NULL: in a file, ... */
    struct temporary *temporary; /* ... a temporary one, which is given back, ... */
    struct input *input;         /* ... or an input */
    uint64_t at;                 /* where the rows begin in the file */
};

struct runs {
    struct run *run;
    uint32_t count;
    uint32_t room;
};

/* Of the output: see allocate.h. */
struct allocation {
    struct task base;
    struct tally tally;
    struct errand *errand;
    uint64_t bytes;
    int is_done; /* all of them have room */
};

/* All rows in the memory of a device, sorted: see aboard.h. */
struct aboard {
    char *memory; /* the device's; NULL: they are not there */
    uint64_t rows;
    uint64_t taken; /* of them, by the output */
    uint64_t block; /* bytes of a buffer of the output: large copies are faster */
};

struct errand {
    const mw_file_job *job;
    mw_file_report *report;
    mw_context *context; /* sorts */
    mw_context *merger;  /* cuts and merges */
    int context_is_cpu;
    int merger_is_cpu;
    int merger_is_own;
    const mw_order *order;
    uint32_t row_bytes;
    uint64_t chunk_most;  /* bytes that the device can sort at once */
    uint64_t aboard_most; /* bytes of the device's memory that a job may take */
    int is_wide; /* runs are sorted as positions, and rows gathered when they are moved */
    struct fault fault;
    struct disk disk;
    struct crew *crew;
    struct inputs inputs;
    struct outfile output;
    struct temporary *temporaries;
    uint32_t temporary_count;
    uint32_t temporary_turn;
    struct runs runs;
    struct allocation allocation;
    struct aboard aboard;

    uint64_t budget;       /* bytes that may be reserved */
    unsigned char *memory; /* reserved, ... */
    uint64_t memory_bytes; /* ... this much, ... */
    uint64_t memory_used;  /* ... and this much of it is handed out */

    const char *phase;
    uint64_t done, total;
    double started, told;
};

double now_seconds(void);

/* Open what every job needs, and close it. errand_close in any case. */
mw_status errand_open(struct errand *errand, mw_context *context, const mw_file_job *job,
                      mw_file_report *report);
void errand_close(struct errand *errand, mw_status status);

/* After a failure: wait until the crew has ended, and nothing of a caller is in use. */
void errand_stop(struct errand *errand);

/* ---- Memory: one mapping, handed out from its beginning on ------------------------ */

/*
 * Reserve memory. The first `sequential` bytes are read and written in order: huge pages
 * would gain nothing there, and take longer to get where memory comes from a hypervisor.
 */
mw_status errand_reserve(struct errand *errand, uint64_t bytes, uint64_t sequential);

/* Aligned to DISK_ALIGN; what was reserved is enough for it. */
void *errand_take(struct errand *errand, uint64_t bytes);

/* ---- Jobs ------------------------------------------------------------------------- */

/* The status of a call on a handle; a failure is noted. */
mw_status errand_note(struct errand *errand, mw_context *context, mw_status status);

/* Scratch memory of a job; 0 where the device has its own. */
mw_status errand_scratch(struct errand *errand, mw_context *context, const mw_job *job,
                         uint64_t *bytes);

/* Run a job with that scratch memory. */
mw_status errand_run(struct errand *errand, mw_context *context, const mw_job *job,
                     void *scratch, uint64_t bytes);

/* ---- Progress, waiting ------------------------------------------------------------ */

/* Call `progress`, a few times a second; MW_CANCELLED if it asks for that. */
mw_status errand_tell(struct errand *errand, uint64_t done);

/* Wait until at most `left` tasks of a tally are left; the first failure ends it. */
mw_status errand_wait(struct errand *errand, const struct tally *tally, uint32_t left);

/* ---- Runs ------------------------------------------------------------------------- */

/* Add a run, and take room in a temporary file for it if it is not in memory. */
mw_status runs_add(struct errand *errand, struct run run);
mw_status errand_place(struct errand *errand, struct run *run);

/* Replace `count` runs from `first` on by one. */
void runs_replace(struct runs *runs, uint32_t first, uint32_t count, struct run by);

#endif
