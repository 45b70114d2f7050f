/*
 * context.h - the handle: a backend and the last error message.
 */
#ifndef MW_CONTEXT_H
#define MW_CONTEXT_H

#include "backend.h"

struct mw_context {
    struct backend *backend; /* NULL if the handle failed to open */
    struct error error;
};

/* MW_OK if the handle was opened; otherwise it can only report its error. */
mw_status context_ready(mw_context *context);

#endif
