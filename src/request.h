/*
 * request.h - a job after it was checked: what the backends get.
 */
#ifndef MW_REQUEST_H
#define MW_REQUEST_H

#include "base/base.h"

struct request {
    const struct type_row *type; /* of the keys */
    struct code code;            /* makes them unsigned numbers of the same order */
    void *keys;                  /* sorted in place */
    uint64_t count;
};

/* The type and code of `order`; MW_UNSUPPORTED for orders of no built-in type. */
mw_status order_read(const mw_order *order, struct request *request, struct error *error);

/*
 * Check everything about a job that needs no device. Without `with_data` its data
 * pointers are ignored: they may not exist yet.
 */
mw_status job_read(const mw_job *job, int with_data, struct request *request,
                   struct error *error);

#endif
