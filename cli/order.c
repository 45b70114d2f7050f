/*
 * order.c - from options to an order: a type, fields of records, or an expression.
 */
#include "order.h"

#include "cli.h"

#include <stdio.h>

enum { WORD = 32 }; /* of a field's text, at most */

static const struct {
    const char *name;
    uint32_t flag;
} flags[] = {
    {"zeros-equal", MW_ZEROS_EQUAL},
    {"nans-equal",  MW_NANS_EQUAL },
    {"nans-last",   MW_NANS_LAST  },
    {"least-last",  MW_LEAST_LAST },
};

/* The next part of a text with colons; returns 0 if there is none, or it is too long. */
static int next_word(const char **text, char word[WORD])
{
    const size_t length = strcspn(*text, ":");

    if (length == 0 || length >= WORD)
        return 0;
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length + ((*text)[length] == ':');
    return 1;
}

static int next_number(const char **text, uint32_t *number)
{
    char word[WORD];
    uint64_t count;

    if (!next_word(text, word) || kit_parse_count(word, &count) || count > ELEMENT_MOST)
        return 0;
    *number = (uint32_t)count;
    return 1;
}

/* `desc`, `asc` or a flag; returns what is wrong, or NULL. */
static const char *take_word(mw_field *field, const char *word)
{
    uint32_t flag = 0;

    if (strcmp(word, "desc") == 0 || strcmp(word, "asc") == 0) {
        field->direction = *word == 'd' ? MW_DESCENDING : MW_ASCENDING;
        return NULL;
    }
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (strcmp(word, flags[i].name) == 0)
            flag = flags[i].flag;
    }
    if (!flag)
        return "expected asc, desc, zeros-equal, nans-equal, nans-last or least-last "
               "after the type";
    field->flags |= flag;
    return flag & kit_field_flags(field->type) ? NULL
           : flag == MW_LEAST_LAST             ? "least-last needs a signed integer"
                                               : "this flag needs a float";
}

/* `OFFSET:TYPE...`; returns what is wrong, or NULL. */
static const char *read_field(mw_field *field, const char *text, uint32_t record)
{
    const char *trouble = NULL;
    char word[WORD];
    uint32_t bytes;

    if (!next_number(&text, &field->offset) || !next_word(&text, word))
        return "expected OFFSET:TYPE, as in 16:f32";
    if (strcmp(word, "bytes") == 0)
        field->type = MW_BYTES;
    else if (mw_type_parse(word, &field->type) != MW_OK)
        return "unknown type (expected bytes or one that multiway sort --help lists)";
    if (field->type == MW_BYTES &&
        (!next_number(&text, &field->bytes) || field->bytes == 0))
        return "expected OFFSET:bytes:LENGTH, as in 0:bytes:10";
    bytes = field->type == MW_BYTES ? field->bytes : (uint32_t)mw_type_size(field->type);
    if (field->offset > record || bytes > record - field->offset)
        return "ends outside the record (see --record)";
    while (!trouble && *text)
        trouble = next_word(&text, word) ? take_word(field, word) : "unexpected colon";
    return trouble;
}

static int make_record(struct order_choice *choice, const char *command)
{
    mw_order *const own = &choice->own;

    if (choice->record > ELEMENT_MOST)
        return complain(command, "--record %u: expected 1 to %d bytes", choice->record,
                        ELEMENT_MOST);
    if (choice->descending)
        return complain(command, "--desc goes with --type (write a key's direction after "
                                 "it, as in --key 0:u32:desc)");
    if (choice->less && choice->keys.count)
        return complain(command, "--key and --order: expected one of them");
    if (!choice->less != !choice->declarations)
        return complain(command, "--order needs --declare 'typedef struct { ... } "
                                 "mw_element;', and --declare needs --order");
    for (uint32_t i = 0; i < choice->keys.count; i++) {
        const char *const text = choice->keys.text[i];
        const char *const trouble = read_field(&choice->fields[i], text, choice->record);

        if (trouble)
            return complain(command, "--key %s: %s", text, trouble);
    }
    own->element_bytes = choice->record;
    own->fields = choice->keys.count ? choice->fields : NULL;
    own->field_count = choice->keys.count;
    own->less = choice->less;
    own->declarations = choice->declarations;
    choice->order = own;
    snprintf(choice->what, sizeof choice->what, "%u-byte records", choice->record);
    return 0;
}

int order_make(struct order_choice *choice, const char *command)
{
    const mw_direction direction = choice->descending ? MW_DESCENDING : MW_ASCENDING;

    if ((choice->type == MW_BYTES) == !choice->record)
        return complain(command, choice->record
                                     ? "--type and --record: expected one of them"
                                     : "--type TYPE or --record BYTES is missing");
    if (choice->record)
        return make_record(choice, command);
    if (choice->keys.count || choice->less || choice->declarations)
        return complain(command, "--key, --order and --declare go with --record BYTES");
    choice->order = mw_order_of(choice->type, direction);
    choice->fields[0] = choice->order->fields[0];
    snprintf(choice->what, sizeof choice->what, "%s keys", mw_type_name(choice->type));
    return 0;
}

void order_json(const struct order_choice *choice, struct json *json)
{
    if (choice->record) {
        json_count(json, "record_bytes", choice->record);
        return;
    }
    json_text(json, "type", mw_type_name(choice->type));
    json_text(json, "direction", choice->descending ? "descending" : "ascending");
}

int order_compare(const struct order_choice *choice, const void *a, const void *b,
                  uint32_t *field)
{
    int result = 0;

    for (*field = 0; *field < choice->order->field_count; ++*field) {
        result = kit_compare_field(&choice->fields[*field], a, b);
        if (result)
            break;
    }
    return result;
}

void order_field_text(const mw_field *field, const char *element, char text[KIT_KEY_TEXT])
{
    const char *const at = element + field->offset;
    uint64_t key = 0;

    memcpy(&key, at, field->type == MW_BYTES ? 0 : mw_type_size(field->type));
    if (field->type != MW_BYTES)
        kit_key_text(field->type, &key, text);
    for (uint32_t i = 0; i < field->bytes && 2 * i + 3 < KIT_KEY_TEXT; i++)
        snprintf(text + 2 * i, 3, "%02x", (unsigned char)at[i]);
}
