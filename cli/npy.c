/*
 * npy.c - the order of a .npy file, from its header.
 */
#include "npy.h"

#include "cli.h"
#include "input.h"
#include "output.h"

#include <stdio.h>

/* `OFFSET:TYPE` of a field, then what follows the name. */
static void field_text(const mw_npy_field *field, const char *rest, char text[KEY_TEXT])
{
    if (field->type == MW_BYTES)
        snprintf(text, KEY_TEXT, "%u:bytes:%u%s", field->offset, field->bytes, rest);
    else
        snprintf(text, KEY_TEXT, "%u:%s%s", field->offset, mw_type_name(field->type), rest);
}

static const mw_npy_field *find_field(const mw_npy *npy, const char *key, size_t length)
{
    for (uint32_t i = 0; i < npy->field_count; i++) {
        if (strlen(npy->fields[i].name) == length &&
            memcmp(npy->fields[i].name, key, length) == 0)
            return &npy->fields[i];
    }
    return NULL;
}

/* Replace names of fields in --key by what they stand for. */
static int name_keys(struct order_choice *choice, const char *command, const mw_npy *npy)
{
    if (!choice->keys.count) {
        for (uint32_t i = 0; i < npy->field_count && i < TEXTS_MOST; i++) {
            field_text(&npy->fields[i], "", choice->key_text[i]);
            choice->keys.text[i] = choice->key_text[i];
            choice->keys.count++;
        }
        return 0;
    }
    for (uint32_t i = 0; i < choice->keys.count; i++) {
        const char *const key = choice->keys.text[i];
        const size_t length = strcspn(key, ":");
        const mw_npy_field *const field = find_field(npy, key, length);

        if (!field && (*key < '0' || *key > '9'))
            return complain(command, "--key %s: the file has no field of this name", key);
        if (field) {
            field_text(field, key + length, choice->key_text[i]);
            choice->keys.text[i] = choice->key_text[i];
        }
    }
    return 0;
}

int order_from_npy(struct order_choice *choice, const char *command, const char *path,
                   mw_file_format format)
{
    mw_npy npy = {.size = sizeof npy};
    char message[512];

    if (choice->type != MW_BYTES || choice->record || is_standard(path) ||
        format == MW_FILE_RAW || (format != MW_FILE_NPY && !path_is_npy(path)))
        return 0;
    if (mw_read_npy(path, &npy, message) != MW_OK)
        return complain(command, "%s", message);
    if (npy.type != MW_BYTES) {
        choice->type = npy.type;
        return 0;
    }
    choice->record = npy.row_bytes;
    if (npy.field_count == 0) { /* a string: its bytes are the key */
        npy.fields[0] = (mw_npy_field){.type = MW_BYTES, .bytes = npy.row_bytes};
        npy.field_count = 1;
    }
    return choice->less ? 0 : name_keys(choice, command, &npy);
}
