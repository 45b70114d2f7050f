/*
 * flags.c - floats by every combination of flags, in rows of a matrix: the first of each
 * row, sorts and positions on one device, against an oracle that sorts positions stably.
 *
 *   flags DEVICE
 *
 * Elements must be those of the positions bit by bit: zeros of both signs and NaNs of
 * several patterns tie.
 */
#include "kit.h"
#include "trial.h"

#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 80000 }; /* of all matrices */

/* What is done with a matrix of `rows` x `columns`. */
struct matrix {
    const char *shape;
    uint64_t rows, columns;
    uint64_t first, last; /* SELECT; last 0: SORT */
};

/* One row; tiny ones; those of a warp, sorted in registers or not; of a block; in parts. */
static const struct matrix matrices[] = {
    {"specials", 1,    70000, 0,   64  },
    {"specials", 1,    70000, 300, 310 },
    {"specials", 1,    50000, 0,   64  },
    {"specials", 1,    70000, 0,   6000},
    {"specials", 1,    3000,  0,   10  },
    {"specials", 1000, 16,    0,   16  },
    {"specials", 301,  5,     1,   3   },
    {"specials", 40,   256,   0,   64  },
    {"random",   11,   333,   0,   100 },
    {"few:9",    3,    4099,  0,   128 },
    {"specials", 2,    30001, 0,   64  },
    {"few:300",  2,    30001, 5,   70  },
    {"specials", 3,    5000,  0,   500 },
    {"specials", 2,    30000, 10,  600 },
    {"specials", 40,   256,   0,   0   },
    {"specials", 500,  16,    0,   0   },
    {"few:300",  2,    9000,  0,   0   },
};

/* What a job needs: keys in, elements and positions out, offsets and workspace. */
struct arrays {
    void *in, *out, *positions, *offsets, *workspace;
};

static uint64_t results_of(const struct matrix *m)
{
    return m->rows * (m->last ? m->last - m->first : m->columns);
}

/* Run the job with its arrays on the device, and fetch what it wrote. */
static mw_status run(mw_context *context, const struct matrix *m, const mw_field *field,
                     struct arrays *a, const char *keys, char *out, uint32_t *positions)
{
    static uint64_t offsets[MOST_ROWS + 1];
    const size_t bytes = mw_type_size(field->type);
    const uint64_t count = m->rows * m->columns, results = results_of(m);
    const mw_order order = {.size = sizeof order,
                            .element_bytes = (uint32_t)bytes,
                            .field_size = sizeof *field,
                            .fields = field,
                            .field_count = 1};
    mw_table in = {.count = count}, to = {.count = results};
    mw_job job = MW_JOB_INIT;
    uint64_t room;
    mw_status status;

    for (uint64_t i = 0; i <= m->rows; i++)
        offsets[i] = i * m->columns;
    if ((status = mw_alloc(context, count * bytes, &a->in)) ||
        (status = mw_alloc(context, results * bytes, &a->out)) ||
        (status = mw_alloc(context, results * 4, &a->positions)) ||
        (status = mw_alloc(context, (m->rows + 1) * 8, &a->offsets)) ||
        (status = mw_upload(context, a->in, keys, count * bytes)) ||
        (status = mw_upload(context, a->offsets, offsets, (m->rows + 1) * 8)))
        return status;
    in.elements = a->in;
    to.elements = a->out;
    job.operation = m->last ? MW_SELECT : MW_SORT;
    job.order = &order;
    job.in = &in;
    job.out = &to;
    job.positions = a->positions;
    job.position_type = MW_U32;
    job.first = m->first;
    job.last = m->last;
    if (m->rows > 1) {
        job.segment_begins = a->offsets;
        job.segment_ends = (char *)a->offsets + 8;
        job.segment_type = MW_U64;
        job.segment_count = m->rows;
    }
    if ((status = mw_prepare(context, &job, &room)) ||
        (status = mw_alloc(context, room, &a->workspace)) ||
        (status = mw_enqueue(context, &job, a->workspace, room, NULL)) ||
        (status = mw_wait(context)) ||
        (status = mw_download(context, out, a->out, results * bytes)))
        return status;
    return mw_download(context, positions, a->positions, results * 4);
}

static const mw_field *sorting; /* qsort passes nothing on */
static const char *sorted_keys;

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const size_t bytes = mw_type_size(sorting->type);
    const int order =
        kit_compare_field(sorting, sorted_keys + x * bytes, sorted_keys + y * bytes);

    return order ? order : x < y ? -1 : 1;
}

/* Does each row have what the oracle finds there? */
static int judge(const struct matrix *m, const mw_field *field, const char *keys,
                 const char *out, const uint32_t *positions)
{
    static uint32_t order[MOST_ROWS];
    const size_t bytes = mw_type_size(field->type);
    const uint64_t wanted = results_of(m) / m->rows;

    sorting = field;
    for (uint64_t row = 0; row < m->rows; row++) {
        sorted_keys = keys + row * m->columns * bytes;
        for (uint32_t i = 0; i < m->columns; i++)
            order[i] = i;
        qsort(order, (size_t)m->columns, sizeof *order, compare);
        for (uint64_t i = 0; i < wanted; i++) {
            const uint64_t at = row * wanted + i;
            const uint32_t right = order[m->first + i];

            if (positions[at] != right ||
                memcmp(out + at * bytes, sorted_keys + right * bytes, bytes) != 0) {
                tap_note("row %llu, rank %llu: position %u, expected %u",
                         (unsigned long long)row, (unsigned long long)(m->first + i),
                         positions[at], right);
                return 0;
            }
        }
    }
    return 1;
}

static int try_matrix(mw_context *context, const struct matrix *m, const mw_field *field)
{
    static uint64_t keys[MOST_ROWS], out[MOST_ROWS];
    static uint32_t positions[MOST_ROWS];
    struct arrays a = {0};
    mw_status status;

    kit_fill(field->type, m->shape, 1 + field->flags, keys, m->rows * m->columns);
    status = run(context, m, field, &a, (char *)keys, (char *)out, positions);
    mw_free(context, a.workspace);
    mw_free(context, a.offsets);
    mw_free(context, a.positions);
    mw_free(context, a.out);
    mw_free(context, a.in);
    if (status)
        tap_note("%s", mw_error(context));
    return status == MW_OK && judge(m, field, (char *)keys, (char *)out, positions);
}

int main(int count, char **words)
{
    static const mw_type types[] = {MW_F32, MW_F64, MW_I32, MW_F16};
    const char *const device = count > 1 ? words[1] : "sim";
    struct tap tap = {0, 0};
    mw_context *const context = trial_open(&tap, device);

    for (size_t i = 0; context && i < COUNT_OF(matrices) * COUNT_OF(types); i++) {
        const struct matrix *const m = &matrices[i / COUNT_OF(types)];
        mw_field field = {.type = types[i % COUNT_OF(types)]};
        const uint32_t step = m->columns < 20000 ? 1 : 5; /* 15 is NumPy's, descending */
        int right = 1;

        for (uint32_t j = 0; j < 32 && right; j += step) {
            field.direction = (mw_direction)(j % 2);
            field.flags = j / 2;
            if (!(field.flags & ~kit_field_flags(field.type)))
                right = try_matrix(context, m, &field);
            if (!right)
                tap_note("%s, flags %x", j % 2 ? "descending" : "ascending", field.flags);
        }
        tap_case(&tap, right, "%s: %s, %llu x %llu of %s, ranks %llu to %llu", device,
                 mw_type_name(field.type), (unsigned long long)m->rows,
                 (unsigned long long)m->columns, m->shape, (unsigned long long)m->first,
                 (unsigned long long)(m->last ? m->last : m->columns));
    }
    mw_close(context);
    return tap_end(&tap);
}
