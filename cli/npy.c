/*
 * npy.c - the order of a .npy file, from its header.
 */
#include "npy.h"

#include "cli.h"
#include "input.h"
#include "output.h"

#include <stdio.h>

/* Another key: `OFFSET:TYPE` and what follows the name of the field, for each number. */
static int add_field(struct order_choice *choice, const char *command,
                     const mw_npy_field *field, const char *rest)
{
    const int is_text = field->type == MW_BYTES;
    const uint32_t step = is_text ? field->bytes : (uint32_t)mw_type_size(field->type);

    for (uint32_t at = 0; at < field->bytes; at += step) {
        const uint32_t n = choice->keys.count;

        if (n == TEXTS_MOST)
            return complain(command,
                            "field %s: the keys would have more than %d numbers and "
                            "strings (expected fewer, named by --key)",
                            field->name, TEXTS_MOST);
        if (is_text)
            snprintf(choice->key_text[n], KEY_TEXT, "%u:bytes:%u%s", field->offset, step,
                     rest);
        else
            snprintf(choice->key_text[n], KEY_TEXT, "%u:%s%s", field->offset + at,
                     mw_type_name(field->type), rest);
        choice->keys.text[n] = choice->key_text[n];
        choice->keys.count++;
    }
    return 0;
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

/* Replace names of fields in --key by what they stand for; none: all fields. */
static int name_keys(struct order_choice *choice, const char *command, const mw_npy *npy)
{
    const struct texts given = choice->keys;
    int status = 0;

    choice->keys.count = 0;
    for (uint32_t i = 0; !given.count && !status && i < npy->field_count; i++)
        status = add_field(choice, command, &npy->fields[i], "");
    for (uint32_t i = 0; !status && i < given.count; i++) {
        char *const key = given.text[i];
        const size_t length = strcspn(key, ":");
        const mw_npy_field *const field = find_field(npy, key, length);

        if (field)
            status = add_field(choice, command, field, key + length);
        else if (*key < '0' || *key > '9')
            status = complain(command, "--key %s: the file has no field of this name", key);
        else if (choice->keys.count == TEXTS_MOST)
            status = complain(command, "--key %s: more than %d numbers and strings", key,
                              TEXTS_MOST);
        else
            choice->keys.text[choice->keys.count++] = key;
    }
    return status;
}

int is_npy(const char *path, mw_file_format format)
{
    return !is_standard(path) &&
           (format == MW_FILE_NPY || (format == MW_FILE_BY_NAME && path_is_npy(path)));
}

static int read_header(const char *command, const char *path, mw_npy *npy)
{
    char message[512];

    npy->size = sizeof *npy;
    return mw_read_npy(path, npy, message) == MW_OK ? 0 : complain(command, "%s", message);
}

/* Rows of another dtype would be compared, and written, as if they were of the first. */
static int same_dtypes(const char *command, const char *const *paths, uint32_t count,
                       mw_file_format format, const mw_npy *first)
{
    int status = 0;

    for (uint32_t i = 1; !status && i < count; i++) {
        mw_npy other;

        if (!is_npy(paths[i], format))
            continue;
        status = read_header(command, paths[i], &other);
        if (!status && strcmp(other.descr, first->descr) != 0)
            status = complain(command, "%s has dtype %s (expected %s, as %s has)", paths[i],
                              other.descr, first->descr, paths[0]);
    }
    return status;
}

int order_from_npy(struct order_choice *choice, const char *command,
                   const char *const *paths, uint32_t count, mw_file_format format)
{
    mw_npy npy;

    if (choice->type != MW_BYTES || choice->record || !is_npy(paths[0], format))
        return 0;
    if (read_header(command, paths[0], &npy) ||
        same_dtypes(command, paths, count, format, &npy))
        return -1;
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
