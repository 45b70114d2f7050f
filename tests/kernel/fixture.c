/*
 * fixture.c - one kernel on the simulator: arrays, a launch, its ledger.
 */
#include "fixture.h"

int fixture_open(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    return sim_open(&f->device, &f->error) == MW_OK;
}

void fixture_close(struct fixture *f)
{
    if (!f->device)
        return;
    fixture_clear(f);
    f->device->verbs->close(f->device);
}

void *fixture_array(struct fixture *f, uint64_t bytes)
{
    void *memory = NULL;

    if (f->array_count == FIXTURE_MOST_ARRAYS ||
        f->device->verbs->alloc(f->device, bytes, &memory) != MW_OK) {
        printf("Bail out! %llu bytes: %s\n", (unsigned long long)bytes, f->error.text);
        exit(1);
    }
    f->arrays[f->array_count++] = memory;
    return memory;
}

void fixture_clear(struct fixture *f)
{
    while (f->array_count > 0)
        f->device->verbs->free(f->device, f->arrays[--f->array_count]);
    f->device->verbs->ledger_reset(f->device);
}

uint64_t fixture_random(struct fixture *f, uint64_t limit)
{
    return kit_mix(++f->seed) % limit;
}

int fixture_launch(struct fixture *f, const struct work *work, const void *args,
                   size_t args_bytes)
{
    struct launch launch = {.kernel = work->kernel,
                            .blocks = work->blocks,
                            .threads = work->threads,
                            .shared_bytes = (uint32_t)work->shared,
                            .args = args,
                            .args_bytes = args_bytes};
    struct program_name name = {.engine = work->tile ? MW_ENGINE_TILE : MW_ENGINE_HEAP,
                                .bits = work->bits};
    mw_status status;

    if (work->tile)
        name.tile = *work->tile;
    TRY(f->device->verbs->load(f->device, &name, 1u << work->kernel, &launch.program));
    f->device->verbs->ledger_reset(f->device);
    TRY(f->device->verbs->launch(f->device, &launch));
    TRY(f->device->verbs->wait(f->device, NULL));
done:
    if (status != MW_OK)
        tap_note("%s: %s", mw_status_text(status), f->error.text);
    return status == MW_OK;
}

mw_status fixture_run(struct fixture *f, const struct simt_kernel *kernel, uint64_t blocks,
                      uint32_t threads, uint64_t shared, const void *args,
                      size_t args_bytes)
{
    const struct machine_launch launch = {kernel,           blocks, threads,
                                          (uint32_t)shared, args,   args_bytes};

    return sim_launch_function(f->device, &launch);
}

const mw_ledger_line *fixture_ledger(struct fixture *f, size_t *count)
{
    const mw_ledger_line *lines = NULL;

    *count = 0;
    f->device->verbs->ledger(f->device, &lines, count);
    return lines;
}

mw_traffic fixture_line(struct fixture *f, size_t n)
{
    const mw_traffic nothing = {0};
    size_t count;
    const mw_ledger_line *const lines = fixture_ledger(f, &count);

    return n < count ? lines[n].traffic : nothing;
}

mw_traffic ledger_total(const mw_ledger_line *lines, size_t count)
{
    mw_traffic sum = {0};

    for (size_t i = 0; i < count; i++)
        traffic_add(&sum, &lines[i].traffic);
    return sum;
}

mw_traffic ledger_sum(const mw_ledger_line *lines, size_t count, mw_access access,
                      int stores)
{
    mw_traffic sum = {0};

    for (size_t i = 0; i < count; i++) {
        if (lines[i].access == access && lines[i].stores == stores)
            traffic_add(&sum, &lines[i].traffic);
    }
    return sum;
}
