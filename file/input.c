/*
 * input.c - the rows of all inputs as one stream of bytes.
 */
#define _GNU_SOURCE /* O_DIRECT is Linux's own */

#include "input.h"

#include "npy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 20, NEVER = 0 };

static int is_ending(void *crew)
{
    return crew ? crew_is_ending(crew) : NEVER;
}

/* ---- Opening ---------------------------------------------------------------------- */

/* A second descriptor with O_DIRECT, if the file is worth it and still the same. */
static void open_direct(struct input *input, const char *path, const struct stat *about)
{
    struct stat again;
    int fd;

    if (about->st_size < 2 * PIECE)
        return;
    fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &again) != 0 || again.st_ino != about->st_ino ||
        again.st_dev != about->st_dev) {
        close(fd);
        return;
    }
    input->file.direct = fd;
    input->file.may_be_cached = 1;
    posix_fadvise(input->file.fd, 0, 0, POSIX_FADV_RANDOM); /* no pages read ahead */
}

/*
 * Files in /proc have a length of 0, whatever they hold: they are read as pipes are. So is
 * an empty file that cannot be read, for the error.
 */
static int hides_length(int fd, const struct stat *about)
{
    char byte;

    return about->st_size == 0 && pread(fd, &byte, 1, 0) != 0;
}

static mw_status open_input(struct inputs *inputs, struct input *input, const char *path)
{
    struct fault *const fault = inputs->disk->fault;
    struct stat about;

    *input = (struct input){.file = DISK_FILE_INIT, .bytes = UINT64_MAX};
    if (strcmp(path, "-") == 0) {
        input->file.name = "standard input";
        input->file.fd = STDIN_FILENO;
        if (isatty(STDIN_FILENO))
            return fault_note(fault, MW_FILE_FAILED,
                              "standard input is a terminal (expected a file or a pipe of "
                              "keys)");
    } else {
        input->file.name = path;
        input->file.fd = open(path, O_RDONLY | O_CLOEXEC);
        if (input->file.fd < 0)
            return fault_file(fault, "open", path, errno);
    }
    if (fstat(input->file.fd, &about) != 0)
        return fault_file(fault, "read", input->file.name, errno);
    if (S_ISDIR(about.st_mode))
        return fault_file(fault, "read", input->file.name, EISDIR);
    if (!S_ISREG(about.st_mode) || hides_length(input->file.fd, &about))
        return MW_OK;
    input->is_regular = 1;
    input->file_bytes = (uint64_t)about.st_size;
    input->changed = about.st_mtim;
    if (input->file.fd == STDIN_FILENO) { /* which may have been read in part */
        const off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);

        input->start = at > 0 ? (uint64_t)at : 0;
    } else {
        open_direct(input, path, &about);
    }
    input->bytes = input->start < input->file_bytes ? input->file_bytes - input->start : 0;
    return MW_OK;
}

/* ---- Headers ---------------------------------------------------------------------- */

/* The first bytes of an input: from a pipe they are taken. */
static int read_head(struct inputs *inputs, struct input *input, unsigned char *to,
                     uint64_t bytes, uint64_t at)
{
    uint64_t got = 0;

    if (input->is_regular)
        return input->bytes < at + bytes ||
               disk_read(inputs->disk, &input->file, to, bytes, input->start + at);
    return disk_read_pipe(inputs->disk, &input->file, to, bytes, &got, is_ending, NULL) ||
           got < bytes;
}

static mw_status read_header(struct inputs *inputs, struct input *input,
                             unsigned char *header)
{
    struct fault *const fault = inputs->disk->fault;
    const char *trouble = "is no .npy file";
    uint64_t bytes = 0;
    mw_npy npy = {0};

    memset(header, 0, NPY_HEADER_MOST + 1);
    if (!read_head(inputs, input, header, NPY_PREFIX, 0))
        bytes = npy_header_bytes(header);
    if (bytes && bytes <= NPY_HEADER_MOST &&
        !read_head(inputs, input, header + NPY_PREFIX, bytes - NPY_PREFIX, NPY_PREFIX))
        trouble = npy_parse(header, bytes, &npy);
    if (trouble)
        return fault_note(fault, MW_FILE_FAILED, "%s %s", input->file.name, trouble);
    if (npy.row_bytes != inputs->row_bytes)
        return fault_note(fault, MW_FILE_FAILED,
                          "%s has elements of %u bytes (expected %u, as the order has)",
                          input->file.name, npy.row_bytes, inputs->row_bytes);
    if (input->is_regular && input->bytes - bytes != npy.rows * npy.row_bytes)
        return fault_note(fault, MW_FILE_FAILED,
                          "%s has %" PRIu64 " bytes after its header (expected %" PRIu64
                          ", as the header says)",
                          input->file.name, input->bytes - bytes, npy.rows * npy.row_bytes);
    if (input->is_regular) {
        input->start += bytes;
        input->bytes -= bytes;
    }
    if (!inputs->descr[0]) {
        snprintf(inputs->descr, sizeof inputs->descr, "%s", npy.descr);
        inputs->is_utf8 = npy.is_utf8;
    }
    return MW_OK;
}

static mw_status wrong_length(const struct inputs *inputs, const struct input *input,
                              uint64_t bytes)
{
    return fault_note(inputs->disk->fault, MW_FILE_FAILED,
                      "%s has %" PRIu64 " bytes (expected a multiple of %u, the size of a "
                      "row)",
                      input->file.name, bytes, inputs->row_bytes);
}

mw_status inputs_open(struct inputs *inputs, struct disk *disk, const mw_file_job *job)
{
    unsigned char *header = NULL;
    mw_status status = MW_OK;

    *inputs = (struct inputs){
        .disk = disk, .row_bytes = job->order->element_bytes, .is_known = 1};
    inputs->input = calloc(job->input_count + 1, sizeof *inputs->input);
    header = malloc(NPY_HEADER_MOST + 1);
    if (!inputs->input || !header) {
        status = fault_note(disk->fault, MW_NO_MEMORY, "no memory for %u inputs",
                            job->input_count);
        goto done;
    }
    for (uint32_t i = 0; i < job->input_count; i++) {
        struct input *const input = &inputs->input[i];

        inputs->count++;
        TRY(open_input(inputs, input, job->inputs[i]));
        if (npy_is_named(job->inputs[i], job->input_format))
            TRY(read_header(inputs, input, header));
        if (input->is_regular && input->bytes % inputs->row_bytes) {
            status = wrong_length(inputs, input, input->bytes);
            goto done;
        }
        input->first = inputs->total;
        inputs->is_known &= input->is_regular;
        if (input->is_regular)
            inputs->total += input->bytes;
    }
done:
    free(header);
    return status;
}

void inputs_close(struct inputs *inputs)
{
    for (uint32_t i = 0; inputs->input && i < inputs->count; i++)
        disk_close(&inputs->input[i].file);
    free(inputs->input);
    inputs->input = NULL;
}

/* ---- Reading ---------------------------------------------------------------------- */

int inputs_have_more(const struct inputs *inputs)
{
    return inputs->is_known ? inputs->taken < inputs->total : inputs->pipe < inputs->count;
}

/* The input that has byte `at` of the stream; lengths are known. */
static uint32_t input_at(const struct inputs *inputs, uint64_t at)
{
    uint32_t low = 0, high = inputs->count;

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (inputs->input[middle].first <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t inputs_phase(const struct inputs *inputs)
{
    uint64_t at = 0;

    if (inputs->is_known && inputs->taken < inputs->total) {
        const struct input *const input = &inputs->input[input_at(inputs, inputs->taken)];

        at = (input->start + inputs->taken - input->first) % DISK_ALIGN;
    }
    return at % 16 ? 0 : at; /* elements want to be aligned, too */
}

/* A piece of the stream, which may have several files; 1 after a failure. */
static int read_piece(struct inputs *inputs, uint64_t at, uint64_t bytes, unsigned char *to)
{
    uint32_t i = input_at(inputs, at);

    while (bytes > 0) {
        struct input *const input = &inputs->input[i++];
        const uint64_t offset = at - input->first;
        const uint64_t left = input->bytes - offset;
        const uint64_t n = left < bytes ? left : bytes;

        if (n && disk_read(inputs->disk, &input->file, to, n, input->start + offset))
            return 1;
        at += n;
        to += n;
        bytes -= n;
    }
    return 0;
}

/* Pieces end where file offsets are aligned, so that each can be read directly. */
static void read_pieces(struct task *task, void *block)
{
    struct fill *const fill = ((struct fill_task *)task)->fill;
    const uint64_t phase = (uintptr_t)fill->to % DISK_ALIGN;

    (void)block;
    while (!crew_is_ending(fill->crew)) {
        const uint64_t piece = atomic_fetch_add(&fill->next, 1);
        const uint64_t begin = piece ? piece * PIECE - phase : 0;
        const uint64_t end = (piece + 1) * PIECE - phase;
        const uint64_t last = end < fill->bytes ? end : fill->bytes;

        if (begin >= fill->bytes ||
            read_piece(fill->inputs, fill->first + begin, last - begin, fill->to + begin))
            break;
    }
}

/* Read on from the present input, and from the next where it ends. */
static void read_in_turn(struct task *task, void *block)
{
    struct fill *const fill = ((struct fill_task *)task)->fill;
    struct inputs *const inputs = fill->inputs;

    (void)block;
    fill->got = 0;
    while (fill->got < fill->bytes && inputs->pipe < inputs->count) {
        struct input *const input = &inputs->input[inputs->pipe];
        const uint64_t room = fill->bytes - fill->got;
        uint64_t got =
            input->bytes - inputs->piped < room ? input->bytes - inputs->piped : room;

        if (input->is_regular
                ? disk_read(inputs->disk, &input->file, fill->to + fill->got, got,
                            input->start + inputs->piped)
                : disk_read_pipe(inputs->disk, &input->file, fill->to + fill->got, room,
                                 &got, is_ending, fill->crew))
            return;
        fill->got += got;
        inputs->piped += got;
        if (got == room)
            break;
        if (inputs->piped % inputs->row_bytes && !crew_is_ending(fill->crew)) {
            wrong_length(inputs, input, inputs->piped);
            return;
        }
        inputs->pipe++;
        inputs->piped = 0;
    }
    inputs->taken += fill->got;
}

void inputs_fill(struct inputs *inputs, struct crew *crew, struct fill *fill,
                 unsigned char *to, uint64_t bytes, uint32_t tasks)
{
    fill->tally.left = 0;
    fill->inputs = inputs;
    fill->crew = crew;
    fill->to = to;
    fill->first = inputs->taken;
    fill->bytes = bytes;
    fill->got = 0;
    atomic_store(&fill->next, 0);
    if (!inputs->is_known) {
        tasks = 1;
    } else {
        if (bytes > inputs->total - inputs->taken)
            fill->bytes = inputs->total - inputs->taken;
        fill->got = fill->bytes;
        inputs->taken += fill->bytes;
    }
    for (uint32_t i = 0; i < tasks && i < FILL_TASKS; i++) {
        fill->task[i].fill = fill;
        fill->task[i].base.run = inputs->is_known ? read_pieces : read_in_turn;
        fill->task[i].base.tally = &fill->tally;
        crew_add(crew, &fill->task[i].base);
    }
}

mw_status inputs_verify(const struct inputs *inputs)
{
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct input *const input = &inputs->input[i];
        struct stat now;

        if (!input->is_regular)
            continue;
        if (fstat(input->file.fd, &now) != 0)
            return fault_file(inputs->disk->fault, "read", input->file.name, errno);
        if ((uint64_t)now.st_size != input->file_bytes ||
            now.st_mtim.tv_sec != input->changed.tv_sec ||
            now.st_mtim.tv_nsec != input->changed.tv_nsec)
            return fault_note(inputs->disk->fault, MW_FILE_FAILED,
                              "%s changed while it was read", input->file.name);
    }
    return MW_OK;
}
