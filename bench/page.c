/*
 * page.c - the report: report.html with the results in it, as JSON.
 */
#define _POSIX_C_SOURCE 200809L

#include "report.h"

#include <stdlib.h>

extern const unsigned char report_page[]; /* report.html, ending with a 0 */

static const char mark[] = "@RESULTS@";

int page_aim(struct run *run)
{
    if (!run->wish.report)
        return 0;
    if (strcmp(run->wish.report, "-") == 0)
        return complain("bench", "--report needs the name of a file");
    return output_aim(&run->report, "bench", run->wish.report);
}

/* A `<` could end the script element. JSON has it in texts only, where it may be \u003c. */
static int write_escaped(struct output *to, const char *json)
{
    for (;;) {
        const size_t length = strcspn(json, "<");

        if (output_write(to, json, length))
            return -1;
        json += length;
        if (*json++ == '\0')
            return 0;
        if (output_write(to, "\\u003c", 6))
            return -1;
    }
}

int page_write(struct run *run)
{
    const char *const page = (const char *)report_page;
    const char *const at = strstr(page, mark);
    const char *const rest = at + strlen(mark);
    struct output *const to = &run->report;
    char *json = NULL;
    size_t bytes;
    FILE *memory;
    int failed;

    if (!run->wish.report)
        return 0;
    memory = open_memstream(&json, &bytes);
    if (memory)
        run_json(run, memory);
    if (!memory || fclose(memory) != 0)
        failed = complain("bench", "no memory for the report");
    else
        failed = output_open(to) || output_write(to, page, (size_t)(at - page)) ||
                 write_escaped(to, json) || output_write(to, rest, strlen(rest)) ||
                 output_finish(to);
    free(json);
    return failed;
}

void page_drop(struct run *run)
{
    if (run->wish.report)
        output_drop(&run->report);
}
