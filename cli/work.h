/*
 * work.h - one job on files: what sort, merge, top and split have in common.
 *
 * work_begin, then work_run, then work_write, then work_end, which is called in any case.
 * The calls but the last return 0, or not 0 after a complaint.
 */
#ifndef MW_CLI_WORK_H
#define MW_CLI_WORK_H

#include "device.h"
#include "input.h"
#include "order.h"
#include "output.h"

/* A file that is read as a whole. */
struct source {
    const char *path; /* NULL or "-": standard input */
    uint32_t bytes;   /* of an element, value or offset */
    const char *what;
    struct input input;
    void *data;
    uint64_t count;
};

/* A file that is written as a whole. */
struct result {
    const char *path; /* NULL or "-": standard output */
    struct output output;
    const void *data; /* of the command */
    uint64_t bytes;
};

struct work {
    const char *command;
    struct order_choice order; /* these are set by options ... */
    const char *device;
    mw_tuning tuning;
    struct cache_choice cache;
    const char *positions;
    int stats;
    int json;

    mw_type position_type;  /* ... and this by work_begin */
    struct source *sources; /* set by the command */
    uint32_t source_count;
    struct result *results;
    uint32_t result_count;
    const char *parts; /* what a report counts besides keys, such as "columns" */
    uint32_t part_count;

    mw_job job; /* set by `prepare` of work_run, but for the order */
    mw_info info;
    mw_counts counts;
    double seconds;
};

#define WORK_INIT(name)                                                     \
    {                                                                       \
        .command = (name), .order = ORDER_CHOICE_INIT, .device = "auto",    \
        .tuning = MW_TUNING_INIT, .job = MW_JOB_INIT, .info = MW_INFO_INIT, \
        .counts = MW_COUNTS_INIT,                                           \
    }

/* clang-format off */
#define WORK_ORDER_OPTIONS(w, desc_help)                                                 \
    TYPE_OPTION_IF((w).order.type, 0),                                                   \
    {"desc",      0, NULL,    OPTION_FLAG, &(w).order.descending,   0, desc_help},       \
    RECORD_OPTIONS((w).order),                                                           \
    {"order",     0, "TEXT",  OPTION_TEXT, &(w).order.less,         0,                   \
     "must *a precede *b? A C expression, for a GPU"},                                   \
    {"declare",   0, "TEXT",  OPTION_TEXT, &(w).order.declarations, 0,                   \
     "C that defines mw_element, the type of *a"}
#define WORK_POSITIONS_OPTION(w)                                                         \
    {"positions", 0, "TYPE",  OPTION_TEXT, &(w).positions,          0,                   \
     "write u32, i32, u64 or i64 positions instead"}
#define WORK_DEVICE_OPTIONS(w)                                                           \
    {"device",    0, "NAME",  OPTION_TEXT, &(w).device,             0,                   \
     "auto, cuda[:N], cpu[:N] or sim (auto)"},                                           \
    {"stats",    'v', NULL,   OPTION_FLAG, &(w).stats,              0,                   \
     "time on standard error"},                                                          \
    JSON_OPTION((w).json)
/* clang-format on */

/* Make the order; check what the options say about records and positions. */
int work_begin(struct work *work);

/* Can the device compile the text of the order, if it is one? */
int work_check_device(const struct work *work);

/* Begin a report: what every job has. The caller adds to it and closes the object. */
void work_json_begin(const struct work *work, struct json *json);

/* `text` as a type of positions or offsets, for `--option`. */
int work_index_type(const struct work *work, const char *option, const char *text,
                    mw_type *type);

/* Aim all results, open all sources and the device, which is closed in any case. */
int work_start(struct work *work, mw_context **context);

/* Run the job once; figures add up. */
int work_job(struct work *work, mw_context *context);

/*
 * Start, read the sources, let `prepare`
 * fill in work->job, and run it. The handle is closed before this returns: its memory may
 * be needed for writing. `prepare` may run jobs of its own.
 */
int work_run(struct work *work, int (*prepare)(struct work *, mw_context *, void *),
             void *command);

/* Write all results, then let all appear, then print figures if they are wanted. */
int work_write(struct work *work);

/* Free and close everything but what results have as data. */
void work_end(struct work *work);

#endif
