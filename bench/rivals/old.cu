/*
 * old.cu - another build of libmultiway as a rival, to see what a change costs: the
 * library that MULTIWAY_OLD names in the environment, of version 0.1 or later.
 */
#include "inside.cuh"

#include <cstdlib>
#include <dlfcn.h>

namespace
{

/* The calls of that library, and a handle; `open` is NULL until it was looked for. */
struct {
    mw_status (*open)(mw_context **, const char *, const mw_options *);
    const char *(*error)(const mw_context *);
    const mw_order *(*order_of)(mw_type, mw_direction); /* these three: from 0.2 on ... */
    mw_status (*prepare)(mw_context *, const mw_job *, uint64_t *);
    mw_status (*enqueue)(mw_context *, const mw_job *, void *, uint64_t, void *);
    mw_status (*sort_workspace)(mw_context *, mw_type, uint64_t, uint64_t *); /* 0.1 */
    mw_status (*sort_device)(mw_context *, mw_type, mw_direction, void *, uint64_t, void *,
                             uint64_t, void *);
    mw_context *context;
} old;

template <typename function> void find(void *library, const char *name, function &found)
{
    found = reinterpret_cast<function>(dlsym(library, name));
}

int open_old()
{
    const char *const path = getenv("MULTIWAY_OLD");

    if (old.context)
        return 0;
    /* It binds to its own symbols, though multiway-bench has the same names. */
    void *const library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;

    if (!library)
        return rival_fail("MULTIWAY_OLD", path ? dlerror() : "not set");
    find(library, "mw_open", old.open);
    find(library, "mw_error", old.error);
    find(library, "mw_order_of", old.order_of);
    find(library, "mw_prepare", old.prepare);
    find(library, "mw_enqueue", old.enqueue);
    find(library, "mw_sort_workspace", old.sort_workspace);
    find(library, "mw_sort_device", old.sort_device);
    if (!old.open || !old.error || (!old.sort_device && !old.enqueue))
        return rival_fail(path, "not a libmultiway");
    if (old.open(&old.context, "cuda", NULL) != MW_OK)
        return rival_fail(path, old.error(old.context));
    return 0;
}

/* By the total order, which serves `<` as well where there are no NaNs. */
int takes(const rival_case *)
{
    return open_old() == 0;
}

mw_job job_of(const mw_table *table, mw_type type)
{
    mw_job job = MW_JOB_INIT;

    job.order = old.order_of(type, MW_ASCENDING);
    job.in = table;
    return job;
}

int check(mw_status status)
{
    return status == MW_OK ? 0 : rival_fail("the older build", old.error(old.context));
}

int workspace(const rival_case *what, uint64_t *bytes)
{
    const mw_table table = {NULL, what->count, NULL, 0};

    if (!old.prepare)
        return check(old.sort_workspace(old.context, what->type, what->count, bytes));

    const mw_job job = job_of(&table, what->type);

    return check(old.prepare(old.context, &job, bytes));
}

int sort(const rival_case *what, void *keys, void *space, uint64_t bytes, void *stream,
         void **sorted)
{
    const mw_table table = {keys, what->count, NULL, 0};

    *sorted = keys;
    if (!old.enqueue)
        return check(old.sort_device(old.context, what->type, MW_ASCENDING, keys,
                                     what->count, space, bytes, stream));

    const mw_job job = job_of(&table, what->type);

    return check(old.enqueue(old.context, &job, space, bytes, stream));
}

} // namespace

const rival rival_old = {
    "old", "mw_enqueue (0.1: mw_sort_device) of the library that MULTIWAY_OLD names",
    takes, workspace,
    sort,
};
