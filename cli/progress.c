/*
 * progress.c - how far a job on files is, and signals that end it.
 */
#define _XOPEN_SOURCE 700

#include "progress.h"

#include "kit.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { BAR = 20 };

static volatile sig_atomic_t came; /* the signal, or 0 */

static const int watched[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/* The first signal asks; SA_RESETHAND lets the second one kill. */
static void on_signal(int number)
{
    came = number;
}

/* An ignored signal (nohup, a background job) stays ignored. */
static void watch_signals(void)
{
    struct sigaction watch = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++) {
        struct sigaction old;

        if (sigaction(watched[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(watched[i], &watch, NULL);
    }
}

void progress_open(struct progress *progress, const char *command, const char *how,
                   int is_quiet)
{
    *progress = (struct progress){.command = command, .started = kit_seconds()};
    if (how)
        progress->kind = PROGRESS_JSON;
    else if (!is_quiet)
        progress->kind = isatty(STDERR_FILENO) ? PROGRESS_TERMINAL : PROGRESS_SUMMARY;
    watch_signals();
}

/* "merge  [=====>    ]  2.1 GB of 4.0 GB, 1.2 GB/s, 2 s left"; seconds 0: no rate yet. */
static void show_line(struct progress *progress, const mw_file_progress *at, double seconds)
{
    const double rate = seconds > 0 ? (double)at->done / seconds : 0;
    const double share = at->total ? (double)at->done / (double)at->total : 0;
    char bar[BAR + 1] = "";

    for (int i = 0; i < BAR; i++)
        bar[i] = (double)i < share * BAR ? '=' : ' ';
    fprintf(stderr, "\r%-6s [%s] %.2f", at->phase, bar, 1e-9 * (double)at->done);
    if (at->total)
        fprintf(stderr, " of %.2f", 1e-9 * (double)at->total);
    fprintf(stderr, " GB, %.2f GB/s", 1e-9 * rate);
    if (at->total && rate > 0)
        fprintf(stderr, ", %.0f s left", (double)(at->total - at->done) / rate);
    fprintf(stderr, "\033[K");
    fflush(stderr);
    progress->is_open = 1;
}

int progress_show(void *arg, const mw_file_progress *at)
{
    struct progress *const progress = arg;
    const double now = kit_seconds();
    const double seconds = now - progress->started;

    if (progress->kind == PROGRESS_TERMINAL && seconds > 0.5 &&
        now - progress->shown > 0.2) {
        show_line(progress, at, seconds);
        progress->shown = now;
    } else if (progress->kind == PROGRESS_JSON) {
        fprintf(stderr,
                "{\"phase\": \"%s\", \"done\": %" PRIu64 ", \"total\": %" PRIu64
                ", \"seconds\": %.3f}\n",
                at->phase, at->done, at->total, seconds);
    }
    return came != 0;
}

int progress_close(struct progress *progress)
{
    const int was_shown = progress->is_open;

    if (was_shown)
        fprintf(stderr, "\r\033[K");
    progress->is_open = 0;
    if (came)
        raise(came); /* whose handler is the default one again */
    return was_shown || progress->kind == PROGRESS_SUMMARY;
}
