/*
 * order.h - the options that say what a file holds, and in which order.
 */
#ifndef MW_CLI_ORDER_H
#define MW_CLI_ORDER_H

#include "json.h"
#include "options.h"

enum { ELEMENT_MOST = 4096, KEY_TEXT = 160 }; /* bytes of a record or value, of a key */

/* The first part is set by options, the second by order_make. */
struct order_choice {
    mw_type type; /* MW_BYTES: none was given */
    int descending;
    uint32_t record; /* its bytes; 0: none was given */
    struct texts keys;
    const char *less, *declarations;

    char key_text[TEXTS_MOST][KEY_TEXT]; /* keys that a .npy file names */
    const mw_order *order;
    mw_order own; /* `order` of records */
    mw_field fields[TEXTS_MOST];
    char what[32]; /* "u64 keys", "100-byte records" */
};

#define ORDER_CHOICE_INIT                       \
    {                                           \
        .type = MW_BYTES, .own = MW_ORDER_INIT, \
    }

/* clang-format off */
#define RECORD_OPTIONS(choice)                                                           \
    {"record", 0, "BYTES", OPTION_NUMBER, &(choice).record, 0,                           \
     "instead of a type: records of that length"},                                       \
    {"key",    0, "FIELD", OPTION_LIST,   &(choice).keys,   0,                           \
     "of a record, the most significant first; see below"}

#define KEY_HELP                                                                         \
    "A FIELD is OFFSET:TYPE or OFFSET:bytes:LENGTH (compared as memcmp does), with\n"    \
    ":desc, :zeros-equal, :nans-equal, :nans-last (floats) or :least-last (signed\n"     \
    "integers) after it: --key 0:bytes:10 --key 16:f32:desc:nans-last.\n"
/* clang-format on */

/* Check the options and make the order. Returns 0, or not 0 after a complaint. */
int order_make(struct order_choice *choice, const char *command);

/* Its fields of a report. */
void order_json(const struct order_choice *choice, struct json *json);

/* Below 0, 0 or above 0, as two elements compare by fields; `*field` decided it. */
int order_compare(const struct order_choice *choice, const void *a, const void *b,
                  uint32_t *field);

/* A field of an element for a reader; of bytes the first few, in hexadecimal. */
void order_field_text(const mw_field *field, const char *element, char text[KIT_KEY_TEXT]);

#endif
