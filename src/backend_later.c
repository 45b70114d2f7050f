/*
 * backend_later.c - what devices do not serve yet.
 */
#include "backend_device.h"

static mw_status later(struct backend *backend, const char *what)
{
    return fail(backend->error, MW_UNSUPPORTED, "%s does not serve %s",
                backend->info.device, what);
}

mw_status lists_prepare(struct backend *backend, const struct request *request,
                        uint64_t *workspace_bytes)
{
    (void)request, (void)workspace_bytes;
    return later(backend, "MW_MERGE and MW_SPLIT");
}

mw_status lists_enqueue(struct backend *backend, const struct request *request,
                        void *workspace, uint64_t bytes, void *stream)
{
    (void)request, (void)workspace, (void)bytes, (void)stream;
    return later(backend, "MW_MERGE and MW_SPLIT");
}
