/*
 * json.h - write one JSON value, piece by piece, to a stream.
 *
 * Inside an object every piece has a name, inside an array the name is NULL.
 */
#ifndef MW_CLI_JSON_H
#define MW_CLI_JSON_H

#include "kit.h"

#include <stdio.h>

struct json {
    FILE *to;
    int depth;
    int some; /* a value was written at this depth */
};

/* `bracket` is '{' or '['; the closing one follows from it. */
void json_open(struct json *json, const char *name, char bracket);
void json_close(struct json *json, char bracket);

void json_text(struct json *json, const char *name, const char *text);
void json_count(struct json *json, const char *name, uint64_t value);
void json_real(struct json *json, const char *name, double value);
void json_truth(struct json *json, const char *name, int value);

/* A key, of which this is the text: a number, or a text (NaN, infinities, bytes). */
void json_key(struct json *json, const char *name, mw_type type, const char *text);

/* All fields of a tuning, or of some traffic, as an object. */
void json_tuning(struct json *json, const char *name, const mw_tuning *tuning);
void json_traffic(struct json *json, const char *name, const mw_traffic *traffic);

#endif
