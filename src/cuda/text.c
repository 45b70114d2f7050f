/*
 * text.c - put an order's texts and our kernels together.
 *
 * The user's texts come first, in a namespace of their own, before any macro of ours:
 * no name of theirs can be one of ours. Macros that they define are undefined after
 * them. NVRTC has no headers, so the types of stdint.h and memcmp are defined here; and it
 * compiles C++, so words that only C has are, too.
 */
#include "text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char prelude[] = "#line 1 \"multiway\"\n"
                              "typedef signed char int8_t;\n"
                              "typedef short int16_t;\n"
                              "typedef int int32_t;\n"
                              "typedef long int64_t;\n"
                              "typedef unsigned char uint8_t;\n"
                              "typedef unsigned short uint16_t;\n"
                              "typedef unsigned int uint32_t;\n"
                              "typedef unsigned long uint64_t;\n"
                              "typedef long intptr_t;\n"
                              "typedef unsigned long uintptr_t;\n"
                              "#define _Bool bool\n"
                              "#define _Alignas alignas\n"
                              "#define _Alignof alignof\n"
                              "#define _Static_assert static_assert\n"
                              "#define restrict __restrict__\n"
                              "namespace mw_text {\n"
                              "static __device__ inline int memcmp(const void *a, "
                              "const void *b, size_t bytes)\n"
                              "{\n"
                              "    const unsigned char *x = (const unsigned char *)a;\n"
                              "    const unsigned char *y = (const unsigned char *)b;\n"
                              "    for (; bytes; bytes--, x++, y++)\n"
                              "        if (*x != *y)\n"
                              "            return *x < *y ? -1 : 1;\n"
                              "    return 0;\n"
                              "}\n";

/* A text that grows; `bytes` is NULL once memory ran out. */
struct text {
    char *bytes;
    size_t used;
    size_t room;
};

static void add_bytes(struct text *text, const char *bytes, size_t size)
{
    if (text->bytes && text->room - text->used <= size) {
        const size_t room = 2 * text->room + size + 1;
        char *const more = realloc(text->bytes, room);

        if (!more)
            free(text->bytes);
        text->bytes = more;
        text->room = room;
    }
    if (!text->bytes)
        return;
    memcpy(text->bytes + text->used, bytes, size);
    text->used += size;
    text->bytes[text->used] = '\0';
}

static void add(struct text *text, const char *bytes)
{
    add_bytes(text, bytes, strlen(bytes));
}

/* One line, printf-style; none of ours has more than 200 characters. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
add_line(struct text *text, const char *format, ...)
{
    char line[256];
    va_list values;

    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    add(text, line);
    add(text, "\n");
}

/* The user's text under a file name. It may end with a backslash or a // comment. */
static void add_theirs(struct text *text, const char *name, const char *theirs)
{
    add_line(text, "#line 1 \"%s\"", name);
    add(text, theirs ? theirs : "");
    add(text, "\n\n#line 1 \"multiway\"\n");
}

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

static int in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/*
 * Undefine the macros that a text defines, so that they leave our kernels alone. Names
 * with two underscores in front are the compiler's, and ours to rely on.
 */
static void undefine(struct text *text, const char *theirs)
{
    static const char word[] = "define";

    for (const char *at = theirs; at && (at = strchr(at, '#'));) {
        at = skip_blanks(at + 1);
        if (strncmp(at, word, sizeof word - 1) != 0 || in_name(at[sizeof word - 1]))
            continue;
        at = skip_blanks(at + sizeof word - 1);

        const char *const name = at;

        while (in_name(*at))
            at++;
        if (at > name && strncmp(name, "__", 2) != 0) {
            add(text, "#undef ");
            add_bytes(text, name, (size_t)(at - name));
            add(text, "\n");
        }
    }
}

char *text_unit(const struct program_name *program, const char *kernel, const char *args)
{
    const struct tile_geometry *const tile = &program->tile;
    struct text text = {.bytes = malloc(1), .room = 1};

    add(&text, prelude);
    add_theirs(&text, "declarations", program->declarations);
    add_line(&text, "#line 1 \"element_bytes\"");
    add_line(&text,
             "static_assert(sizeof(mw_element) == %u, \"the order's element_bytes are %u, "
             "but sizeof(mw_element) is not\");",
             program->element_bytes, program->element_bytes);
    add_line(&text, "static __device__ __forceinline__ bool "
                    "mw_less_of_text(const mw_element *a, const mw_element *b)");
    add_line(&text, "{ return (");
    add_theirs(&text, "less", program->less);
    add_line(&text, ") ? true : false; }");
    add_line(&text, "}");
    undefine(&text, program->declarations);
    undefine(&text, program->less);
    add_line(&text, "#define KEY_BITS %d", program->bits);
    add_line(&text, "#define LESS_THREADS %u", tile->rows);
    add_line(&text, "#define LESS_ITEMS %u", tile->items);
    add_line(&text, "#define LESS_SORT_BLOCKS %u", tile->sort_blocks);
    add_line(&text, "#define LESS_MERGE_BLOCKS %u", tile->merge_blocks);
    add_line(&text, "#define ENTRIES ENTRY(%s, %s)", kernel, args);
    add_line(&text, "#include \"program.cu\"");
    return text.bytes;
}
