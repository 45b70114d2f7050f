/*
 * tell.c - a launch as a line of text, with the ledger's figures if there are any.
 */
#include "calibrate.h"

#include "sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void tell_head(int simulator)
{
    printf("number\tkernel\ttype\tinput\tcount\tblocks\tthreads\tshared");
    for (int i = 0; simulator && i < 2; i++) {
        const char *const word = i ? "store" : "load";

        printf("\tshared_%s_requests\tshared_%s_wavefronts\tshared_%s_conflicts"
               "\tglobal_%s_requests\tglobal_%s_sectors\tmemory_%s_bytes",
               word, word, word, word, word, word);
    }
    printf("\n");
}

/* Loads or stores of all lines together. */
static mw_traffic total(const struct ledger *ledger, enum simt_word word)
{
    mw_traffic sum = {0};

    for (uint32_t i = 1; i < ledger->count; i++) {
        if (ledger->entries[i].site->word == word)
            traffic_add(&sum, &ledger->entries[i].traffic);
    }
    return sum;
}

static void tell_traffic(mw_traffic t)
{
    printf("\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
           t.shared_requests, t.shared_wavefronts, t.shared_wavefronts - t.shared_ideal,
           t.global_requests, t.global_sectors, 32 * t.global_distinct);
}

void tell_launch(struct device *device, const struct launch_line *line)
{
    static int number;

    printf("%d\t%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu32, number++,
           line->kernel, line->type, line->input, line->count, line->blocks, line->threads,
           line->shared_bytes);
    if (strcmp(device->info.device, "sim") == 0) {
        const struct ledger *const ledger = &sim_machine(device)->ledger;

        tell_traffic(total(ledger, SIMT_LOAD));
        tell_traffic(total(ledger, SIMT_STORE));
        device->verbs->ledger_reset(device);
    }
    printf("\n");
}
