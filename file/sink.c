/*
 * sink.c - a stream of bytes to a file, in large aligned blocks.
 */
#include "sink.h"

#include <string.h>
#include <sys/mman.h>

uint64_t sink_memory(uint64_t bytes)
{
    return SINK_BUFFERS * disk_round_up(bytes);
}

void sink_open(struct sink *sink, struct errand *errand, struct disk_file *file,
               int is_pipe, uint64_t at, uint64_t bytes)
{
    *sink = (struct sink){
        .errand = errand, .file = file, .is_pipe = is_pipe, .at = at, .bytes = bytes};
    for (int i = 0; i < SINK_BUFFERS && !file->mapped_bytes; i++)
        sink->buffer[i] = errand_take(errand, bytes);
}

/* ---- Through maps ----------------------------------------------------------------- */

static mw_status map_window(struct sink *sink)
{
    const uint64_t left = sink->file->mapped_bytes - sink->at;
    const uint64_t bytes = left < sink->bytes ? left : sink->bytes;
    void *const window = bytes ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                                      sink->file->fd, (off_t)sink->at)
                               : NULL;

    if (window == MAP_FAILED)
        return fault_note(&sink->errand->fault, MW_NO_MEMORY, "no memory for a map of %s",
                          sink->file->name);
    sink->window = window;
    sink->window_bytes = bytes;
    return MW_OK;
}

/* The next window begins with what is used of the last page. */
static void leave_window(struct sink *sink)
{
    const uint64_t aligned = disk_round_down(sink->used);

    if (sink->window)
        munmap(sink->window, sink->window_bytes);
    sink->window = NULL;
    sink->at += aligned;
    sink->used -= aligned;
}

void sink_close(struct sink *sink)
{
    leave_window(sink);
}

/* ---- Through buffers -------------------------------------------------------------- */

static int is_ending(void *crew)
{
    return crew_is_ending(crew);
}

static void write_block(struct task *task, void *block)
{
    const struct sink_write *const write = (struct sink_write *)task;
    struct errand *const errand = write->sink->errand;

    (void)block;
    if (write->sink->is_pipe)
        disk_write_pipe(&errand->disk, write->sink->file, write->from, write->bytes,
                        is_ending, errand->crew);
    else
        disk_write(&errand->disk, write->sink->file, write->from, write->bytes, write->at);
}

/* Have the first `bytes` bytes of the present buffer written. */
static mw_status begin_write(struct sink *sink, uint64_t bytes)
{
    struct sink_write *const write = &sink->write[sink->turn];
    mw_status status = MW_OK;

    if (sink->is_pipe) { /* in order */
        for (int i = 0; i < SINK_BUFFERS; i++)
            TRY(errand_wait(sink->errand, &sink->tally[i], 0));
    }
    *write = (struct sink_write){
        .base = {write_block, &sink->tally[sink->turn], NULL},
        .sink = sink,
        .from = sink->buffer[sink->turn],
        .bytes = bytes,
        .at = sink->at
    };
    crew_add(sink->errand->crew, &write->base);
    sink->at += bytes;
done:
    return status;
}

mw_status sink_room(struct sink *sink, unsigned char **to, uint64_t *room)
{
    mw_status status = MW_OK;

    if (sink->file->mapped_bytes) {
        if (!sink->window)
            TRY(map_window(sink));
        *to = sink->window + sink->used;
        *room = sink->window_bytes - sink->used;
        goto done;
    }
    TRY(errand_wait(sink->errand, &sink->tally[sink->turn], 0));
    *to = sink->buffer[sink->turn] + sink->used;
    *room = sink->bytes - sink->used;
done:
    return status;
}

mw_status sink_commit(struct sink *sink, uint64_t bytes)
{
    const uint32_t next = (sink->turn + 1) % SINK_BUFFERS;
    uint64_t aligned;
    mw_status status = MW_OK;

    sink->used += bytes;
    if (sink->file->mapped_bytes)
        sink->errand->disk.bytes_written += bytes;
    if (sink->used < sink->bytes / 2)
        return MW_OK;
    if (sink->file->mapped_bytes) {
        leave_window(sink);
        return MW_OK;
    }
    aligned = disk_round_down(sink->used);
    TRY(errand_wait(sink->errand, &sink->tally[next], 0));
    memcpy(sink->buffer[next], sink->buffer[sink->turn] + aligned, sink->used - aligned);
    TRY(begin_write(sink, aligned));
    sink->used -= aligned;
    sink->turn = next;
done:
    return status;
}

mw_status sink_finish(struct sink *sink, int is_padded)
{
    const uint64_t rest = is_padded ? disk_round_up(sink->used) : sink->used;
    unsigned char *const buffer = sink->buffer[sink->turn];
    mw_status status = MW_OK;

    if (sink->file->mapped_bytes) {
        leave_window(sink);
        return MW_OK;
    }
    for (int i = 0; i < SINK_BUFFERS; i++)
        TRY(errand_wait(sink->errand, &sink->tally[i], 0));
    memset(buffer + sink->used, 0, rest - sink->used);
    if (rest)
        TRY(begin_write(sink, rest));
    TRY(errand_wait(sink->errand, &sink->tally[sink->turn], 0));
    sink->used = 0;
done:
    return status;
}
