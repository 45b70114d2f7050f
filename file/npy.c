/*
 * npy.c - headers of NumPy's file format: a Python dictionary after a few bytes.
 */
#define _POSIX_C_SOURCE 200809L

#include "npy.h"

#include "errand.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char magic[] = "\x93NUMPY";

enum { MAGIC = 6 };

int npy_is_named(const char *path, mw_file_format format)
{
    const size_t length = path ? strlen(path) : 0;

    return format == MW_FILE_NPY || (format == MW_FILE_BY_NAME && length > 4 &&
                                     strcmp(path + length - 4, ".npy") == 0);
}

/* Versions 2 and 3 have a length of 4 bytes; in version 1 the last two are text. */
uint64_t npy_header_bytes(const unsigned char prefix[NPY_PREFIX])
{
    const uint32_t low = prefix[8] | (uint32_t)prefix[9] << 8;
    const uint32_t high = prefix[10] | (uint32_t)prefix[11] << 8;
    uint64_t bytes;

    if (memcmp(prefix, magic, MAGIC) != 0 || prefix[6] < 1 || prefix[6] > 3)
        return 0;
    bytes = prefix[6] == 1 ? 10 + (uint64_t)low : 12 + (low | (uint64_t)high << 16);
    return bytes < NPY_PREFIX ? 0 : bytes;
}

/* ---- A text that is read from left to right --------------------------------------- */

static void skip_blanks(const char **at)
{
    *at += strspn(*at, " \t\n");
}

/* Take `c`, after blanks; 0 if something else is there. */
static int take(const char **at, char c)
{
    skip_blanks(at);
    if (**at != c)
        return 0;
    ++*at;
    return 1;
}

/* A text in quotes, without escapes. */
static int take_text(const char **at, char *text, size_t room)
{
    char quote;
    size_t length;

    skip_blanks(at);
    quote = **at;
    if (quote != '\'' && quote != '"')
        return 0;
    length = strcspn(*at + 1, quote == '"' ? "\"\\" : "'\\");
    if (length >= room || (*at)[1 + length] != quote)
        return 0;
    memcpy(text, *at + 1, length);
    text[length] = '\0';
    *at += length + 2;
    return 1;
}

/* "(3, 4)" or "(3,)" or "()": the number of dimensions, and their product. */
static int take_shape(const char **at, uint64_t *product, int *dimensions)
{
    *product = 1;
    *dimensions = 0;
    if (!take(at, '('))
        return 0;
    while (!take(at, ')')) {
        char *end;
        uint64_t n;

        skip_blanks(at);
        if (**at < '0' || **at > '9')
            return 0;
        errno = 0;
        n = strtoull(*at, &end, 10);
        if (errno || (n && *product > (UINT64_C(1) << 62) / n))
            return 0;
        *product *= n;
        ++*dimensions;
        *at = end;
        take(at, ',');
    }
    return 1;
}

/* ---- The dtype -------------------------------------------------------------------- */

static const char unsupported[] =
    "has a dtype that is not supported (expected integers, floats of 2 to 8 bytes, bool, "
    "dates, bytes, or fields of these)";

static const struct {
    const char *code;
    mw_type type;
} codes[] = {
    {"i1", MW_I8 },
    {"u1", MW_U8 },
    {"b1", MW_U8 },
    {"i2", MW_I16},
    {"u2", MW_U16},
    {"i4", MW_I32},
    {"u4", MW_U32},
    {"i8", MW_I64},
    {"u8", MW_U64},
    {"f2", MW_F16},
    {"f4", MW_F32},
    {"f8", MW_F64},
};

/* "<u8" or "|S10" or "<M8[s]": dates are integers. Returns NULL, or what is wrong. */
static const char *read_code(const char *code, mw_type *type, uint32_t *bytes)
{
    const char kind = code[0] ? code[1] : '\0';
    char *end;

    *type = MW_BYTES;
    *bytes = 0;
    if (code[0] == '>')
        return "has big-endian elements (expected little-endian ones)";
    if (kind == 'S' || kind == 'V') {
        const unsigned long n = strtoul(code + 2, &end, 10);

        *bytes = n <= ROW_MOST && !*end ? (uint32_t)n : 0;
    } else if ((kind == 'M' || kind == 'm') && code[2] == '8' &&
               (!code[3] || code[3] == '[')) {
        *type = MW_I64;
    } else {
        for (size_t i = 0; kind && i < sizeof codes / sizeof codes[0]; i++) {
            if (strcmp(codes[i].code, code + 1) == 0)
                *type = codes[i].type;
        }
    }
    if (*type != MW_BYTES)
        *bytes = (uint32_t)mw_type_size(*type);
    return *bytes ? NULL : unsupported;
}

/* "('name', '<u8')", perhaps with a shape. */
static const char *read_field(const char **at, mw_npy *npy)
{
    mw_npy_field *const field = &npy->fields[npy->field_count];
    char code[32];
    const char *trouble;
    uint64_t times;
    int dimensions;

    if (npy->field_count == MW_NPY_FIELDS)
        return "has more than 64 fields";
    if (!take(at, '(') || !take_text(at, field->name, sizeof field->name) ||
        !take(at, ',') || !take_text(at, code, sizeof code))
        return unsupported;
    trouble = read_code(code, &field->type, &field->bytes);
    if (trouble)
        return trouble;
    if (take(at, ',')) {
        if (!take_shape(at, &times, &dimensions) || times == 0 ||
            times > ROW_MOST / field->bytes)
            return unsupported;
        field->bytes *= (uint32_t)times;
        if (field->type == MW_U8) /* which are in order as memcmp compares them */
            field->type = MW_BYTES;
    }
    field->offset = npy->row_bytes;
    npy->row_bytes += field->bytes;
    npy->field_count += field->name[0] != '\0'; /* padding has no name */
    return take(at, ')') && npy->row_bytes <= ROW_MOST ? NULL
                                                       : "has rows of more than 4096 bytes";
}

static const char *read_descr(const char **at, mw_npy *npy)
{
    const char *const first = *at;
    const char *trouble = NULL;
    char code[32];
    size_t length;

    if (take_text(at, code, sizeof code)) {
        trouble = read_code(code, &npy->type, &npy->row_bytes);
    } else if (take(at, '[')) {
        npy->type = MW_BYTES;
        while (!trouble && !take(at, ']')) {
            trouble = read_field(at, npy);
            take(at, ',');
        }
    } else {
        trouble = unsupported;
    }
    length = (size_t)(*at - first);
    if (!trouble && length >= sizeof npy->descr)
        trouble = "has a dtype that is too long";
    if (!trouble) {
        memcpy(npy->descr, first, length);
        npy->descr[length] = '\0';
    }
    return trouble;
}

/* ---- The header ------------------------------------------------------------------- */

const char *npy_parse(const unsigned char *header, uint64_t bytes, mw_npy *npy)
{
    static char const broken[] = "has a header that is not NumPy's";
    const char *at = (const char *)header + (header[6] == 1 ? 10 : 12);
    const char *trouble = NULL;
    int dimensions = 0;
    char key[32];

    *npy = (mw_npy){.size = sizeof *npy, .header_bytes = (uint32_t)bytes};
    npy->is_utf8 = header[6] == 3;
    if (!take(&at, '{'))
        return broken;
    while (!trouble && !take(&at, '}')) {
        if (!take_text(&at, key, sizeof key) || !take(&at, ':'))
            return broken;
        skip_blanks(&at);
        if (strcmp(key, "descr") == 0)
            trouble = read_descr(&at, npy);
        else if (strcmp(key, "shape") == 0)
            trouble = take_shape(&at, &npy->rows, &dimensions) ? NULL : broken;
        else
            at += strcspn(at, ",}");
        take(&at, ',');
    }
    if (!trouble && dimensions != 1)
        trouble = "is no array of one dimension";
    if (!trouble && (!npy->row_bytes || npy->rows > UINT64_MAX / 2 / npy->row_bytes))
        trouble = broken;
    return trouble;
}

void npy_descr(const mw_order *order, char descr[64])
{
    const mw_field *const f = order->field_count == 1 ? order->fields : NULL;

    snprintf(descr, 64, "'|V%u'", order->element_bytes);
    for (size_t i = 0; f && i < sizeof codes / sizeof codes[0]; i++) {
        if (codes[i].type == f->type && mw_type_size(f->type) == order->element_bytes &&
            codes[i].code[0] != 'b')
            snprintf(descr, 64, "'%c%s'", order->element_bytes == 1 ? '|' : '<',
                     codes[i].code);
    }
}

uint32_t npy_write(const char *descr, int is_utf8, uint64_t rows, char *header)
{
    enum { DIGITS = 20 };
    const int prefix = is_utf8 ? NPY_PREFIX : NPY_PREFIX - 2;
    char shape[DIGITS + 1];
    int length, total;

    snprintf(shape, sizeof shape, "%" PRIu64, rows);
    length =
        snprintf(header + prefix, (size_t)(NPY_HEADER_MOST - prefix),
                 "{'descr': %s, 'fortran_order': False, 'shape': (%s,), }", descr, shape);
    total = prefix + length + DIGITS - (int)strlen(shape) + 1;
    total = (total + 63) / 64 * 64;
    if (total >= NPY_HEADER_MOST)
        return 0;
    memcpy(header, magic, MAGIC);
    header[6] = is_utf8 ? 3 : 1;
    header[7] = 0;
    for (int i = 8; i < prefix; i++)
        header[i] = (char)((uint32_t)(total - prefix) >> 8 * (i - 8) & 255);
    memset(header + prefix + length, ' ', (size_t)(total - prefix - length));
    header[total - 1] = '\n';
    return (uint32_t)total;
}

mw_status mw_read_npy(const char *path, mw_npy *npy, char *message)
{
    unsigned char *const header = calloc(1, NPY_HEADER_MOST + 1);
    const size_t size = npy->size;
    const char *trouble = NULL;
    mw_status status = MW_UNSUPPORTED;
    uint64_t bytes = 0;
    mw_npy all;
    int fd = -1;

    message[0] = '\0';
    if (size != sizeof all) {
        snprintf(message, 512, "the size of mw_npy is %zu (expected %zu)", size,
                 sizeof all);
        free(header);
        return MW_BAD_ARGUMENT;
    }
    if (header)
        fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        snprintf(message, 512, "cannot open %s: %s", path, strerror(errno));
        free(header);
        return MW_FILE_FAILED;
    }
    if (pread(fd, header, NPY_PREFIX, 0) == NPY_PREFIX)
        bytes = npy_header_bytes(header);
    if (!bytes || bytes > NPY_HEADER_MOST ||
        pread(fd, header, (size_t)bytes, 0) != (ssize_t)bytes)
        trouble = "is no .npy file";
    if (!trouble)
        trouble = npy_parse(header, bytes, &all);
    if (trouble) {
        snprintf(message, 512, "%s %s", path, trouble);
    } else {
        *npy = all;
        status = MW_OK;
    }
    close(fd);
    free(header);
    return status;
}
