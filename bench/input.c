/*
 * input.c - fill an input's keys, with one thread per processor.
 */
#define _DEFAULT_SOURCE /* _SC_NPROCESSORS_ONLN */

#include "bench.h"

#include <pthread.h>
#include <unistd.h>

enum { MOST_THREADS = 64 };

/* The part that one thread fills. */
struct share {
    const struct kit_input *input;
    uint64_t first, count;
    char *keys;
    pthread_t thread;
    int started;
};

static void *fill_share(void *argument)
{
    const struct share *const share = argument;

    kit_input_fill(share->input, share->first, share->count, share->keys);
    return NULL;
}

/* The caller fills the first share, and those for which no thread could be started. */
static void fill(const struct kit_input *input, char *keys, int threads)
{
    const size_t size = mw_type_size(input->type);
    const uint64_t each = input->count / (uint64_t)threads;
    struct share shares[MOST_THREADS];

    for (int i = 0; i < threads; i++) {
        const uint64_t first = each * (uint64_t)i;
        struct share *const share = &shares[i];

        *share =
            (struct share){.input = input, .first = first, .keys = keys + first * size};
        share->count = i + 1 == threads ? input->count - first : each;
        share->started =
            i > 0 && pthread_create(&share->thread, NULL, fill_share, share) == 0;
    }
    for (int i = 0; i < threads; i++) {
        if (shares[i].started)
            pthread_join(shares[i].thread, NULL);
        else
            fill_share(&shares[i]);
    }
}

int input_fill(const struct one_case *what, uint64_t seed, void *keys)
{
    const long processors = what->count < 1 << 16 ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
    struct kit_input input;
    mw_status status;

    status = kit_input_open(&input, what->type, what->count, what->shape->shape, seed);
    if (status == MW_OK)
        fill(&input, keys,
             processors < 1              ? 1
             : processors > MOST_THREADS ? MOST_THREADS
                                         : (int)processors);
    kit_input_close(&input);
    if (status == MW_OK)
        return 0;
    return complain("bench", "cannot make an input of shape %s: %s", what->shape->name,
                    mw_status_text(status));
}
