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
    if (strcmp(run->wish.report, "-") == 0) {
        complain("bench", "--report needs the name of a file");
        return -1;
    }
    return output_aim(&run->report, "bench", run->wish.report);
}

/* A `<` could end the script element. JSON has it in texts only, where it may be \u003c. */
static void write_escaped(FILE *to, const char *json)
{
    for (; *json; json++) {
        if (*json == '<')
            fputs("\\u003c", to);
        else
            putc(*json, to);
    }
}

static void write_page(const struct run *run, FILE *to)
{
    const char *const page = (const char *)report_page;
    const char *const at = strstr(page, mark);
    char *json = NULL;
    size_t bytes = 0;
    FILE *const memory = open_memstream(&json, &bytes);

    if (memory)
        run_json(run, memory);
    if (memory && fclose(memory) == 0) {
        fwrite(page, 1, (size_t)(at - page), to);
        write_escaped(to, json);
        fputs(at + strlen(mark), to);
    }
    free(json);
}

/* In memory first, so that a file is complete or not there. */
int page_write(struct run *run)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory;
    int failed;

    if (!run->wish.report)
        return 0;
    memory = open_memstream(&text, &bytes);
    if (memory)
        write_page(run, memory);
    failed = !memory || fclose(memory) != 0 || bytes == 0;
    if (failed)
        complain("bench", "no memory for the report");
    else
        failed = output_open(&run->report) || output_write(&run->report, text, bytes) ||
                 output_finish(&run->report);
    free(text);
    return failed ? -1 : 0;
}

void page_drop(struct run *run)
{
    if (run->wish.report)
        output_drop(&run->report);
}
