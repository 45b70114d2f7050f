/*
 * json.c - write one JSON value, piece by piece, to a stream.
 */
#include "json.h"

#include "options.h"

#include <inttypes.h>
#include <math.h>

/*
 * The bytes of the UTF-8 character at `text`, or 0 if it is none: a file name may be any
 * bytes, but JSON is UTF-8.
 */
static int character_length(const unsigned char *text)
{
    const int more = text[0] < 0x80                      ? 0
                     : text[0] >= 0xc2 && text[0] < 0xe0 ? 1
                     : (text[0] & 0xf0) == 0xe0          ? 2
                     : text[0] >= 0xf0 && text[0] < 0xf5 ? 3
                                                         : -1;

    for (int i = 1; i <= more; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    }
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90) ||
        (text[0] == 0xed && text[1] >= 0xa0) || (text[0] == 0xf4 && text[1] >= 0x90))
        return 0; /* overlong, a surrogate, or beyond U+10FFFF */
    return more + 1;
}

static void write_text(FILE *to, const char *text)
{
    const unsigned char *c = (const unsigned char *)text;

    putc('"', to);
    while (*c) {
        const int length = character_length(c);

        if (length == 0)
            fputs("\\ufffd", to);
        else if (*c == '"' || *c == '\\')
            fprintf(to, "\\%c", *c);
        else if (*c < ' ')
            fprintf(to, "\\u%04x", *c);
        else
            fwrite(c, 1, (size_t)length, to);
        c += length ? length : 1;
    }
    putc('"', to);
}

/* What comes before every value: a comma, a new line, its name. */
static void begin(struct json *json, const char *name)
{
    if (json->some)
        putc(',', json->to);
    if (json->depth)
        fprintf(json->to, "\n%*s", 2 * json->depth, "");
    if (name) {
        write_text(json->to, name);
        fputs(": ", json->to);
    }
    json->some = 1;
}

void json_open(struct json *json, const char *name, char bracket)
{
    begin(json, name);
    putc(bracket, json->to);
    json->depth++;
    json->some = 0;
}

void json_close(struct json *json, char bracket)
{
    json->depth--;
    if (json->some)
        fprintf(json->to, "\n%*s", 2 * json->depth, "");
    putc(bracket == '{' ? '}' : ']', json->to);
    json->some = 1;
    if (json->depth == 0)
        putc('\n', json->to);
}

void json_text(struct json *json, const char *name, const char *text)
{
    begin(json, name);
    write_text(json->to, text);
}

void json_count(struct json *json, const char *name, uint64_t value)
{
    begin(json, name);
    fprintf(json->to, "%" PRIu64, value);
}

void json_real(struct json *json, const char *name, double value)
{
    begin(json, name);
    fprintf(json->to, "%.9g", isfinite(value) ? value : 0);
}

void json_truth(struct json *json, const char *name, int value)
{
    begin(json, name);
    fputs(value ? "true" : "false", json->to);
}

void json_key(struct json *json, const char *name, mw_type type, const char *text)
{
    const char *const digits = text + (*text == '-');

    if (type == MW_BYTES || *digits < '0' || *digits > '9') {
        json_text(json, name, text);
        return;
    }
    begin(json, name);
    fputs(text, json->to);
}

void json_tuning(struct json *json, const char *name, const mw_tuning *tuning)
{
    json_open(json, name, '{');
    json_text(json, "engine", engine_name(tuning->engine));
    json_count(json, "ways", tuning->ways);
    json_count(json, "warps", tuning->warps);
    json_count(json, "threads", tuning->threads);
    json_count(json, "items", tuning->items);
    json_count(json, "base", tuning->base);
    json_close(json, '{');
}

void json_traffic(struct json *json, const char *name, const mw_traffic *traffic)
{
    json_open(json, name, '{');
    json_count(json, "shared_requests", traffic->shared_requests);
    json_count(json, "shared_wavefronts", traffic->shared_wavefronts);
    json_count(json, "shared_conflicts",
               traffic->shared_wavefronts - traffic->shared_ideal);
    json_count(json, "shared_worst", traffic->shared_worst);
    json_count(json, "global_requests", traffic->global_requests);
    json_count(json, "global_sectors", traffic->global_sectors);
    json_count(json, "global_distinct", traffic->global_distinct);
    json_count(json, "global_ideal_sectors", traffic->global_ideal);
    json_count(json, "shuffles", traffic->shuffles);
    json_count(json, "barriers", traffic->barriers);
    json_close(json, '{');
}
