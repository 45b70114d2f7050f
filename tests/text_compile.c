/*
 * text_compile.c - orders by an expression through NVRTC: texts that compile, whatever
 * names they use, and the message about texts that do not.
 *
 *   text_compile [verbose]     verbose: with registers and time of each kernel
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "cuda/nvrtc.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define RECORD "typedef struct { uint64_t key; uint32_t a, b; } mw_element;"

/* Every name that a kernel is likely to use, as a macro, a type or a function. */
#define HOSTILE                                                       \
    "#define item 1 +\n"                                              \
    "#  define KEY_BITS 7\n"                                          \
    "#define LOAD(p) nonsense\n"                                      \
    "#define ENTRY ENTRIES\n"                                         \
    "#define less_sort less_cut\n"                                    \
    "struct less_order { int row; };\n"                               \
    "enum { THREAD = 3, BARRIER, WARP, half, wide, comes_before };\n" \
    "static int fetch(int x) { return x + 1; }\n"                     \
    "int less_merge = 5; // a global variable, and a comment \\\n" RECORD "\n" RECORD

static const struct text {
    const char *name;
    const char *declarations;
    const char *less;
    int bits;
    unsigned bytes;
    const char *complaint; /* in the message; NULL: it compiles */
} texts[] = {
  /* clang-format off */
    {"a record of 16 bytes", RECORD, "a->key < b->key", 128, 16, NULL},
    {"a record of 12 bytes", "typedef struct { float x; int16_t y[4]; } mw_element;",
     "a->x > b->x || (a->x == b->x && a->y[1] < b->y[1])", 128, 12, NULL},
    {"4 bytes", "typedef float mw_element;", "*a < *b", 32, 4, NULL},
    {"3 bytes", "typedef struct { uint8_t c[3]; } mw_element;", "memcmp(a, b, 3) < 0",
     32, 3, NULL},
    {"8 bytes", "typedef double mw_element;", "*a < *b // fast", 64, 8, NULL},
    {"positions of rows of 100 bytes",
     "#include <stdint.h>\n#include <string.h>\n"
     "typedef struct { uint8_t key[10], rest[90]; } mw_element;\n"
     "static int before(const mw_element *a, const mw_element *b)\n"
     "{ return memcmp(a->key, b->key, 10) < 0; }",
     "before(a, b)", 0, 100, NULL},
    {"names of ours", HOSTILE, "fetch((int)a->a) < fetch((int)b->a)", 128, 16, NULL},
    {"words of C",
     "typedef struct { _Alignas(8) uint32_t x; _Bool y; } mw_element;\n"
     "_Static_assert(sizeof(mw_element) == 8, \"8\");\n"
     "static int of(const mw_element *restrict e) { return e->y; }",
     "of(a) < of(b)", 64, 8, NULL},
    {"a mistake in less", RECORD, "a->key <\n b->kee", 128, 16, "less(2): error"},
    {"a mistake in declarations", "typedef int mw_element;\n\nint x = ;", "*a < *b",
     32, 4, "declarations(3): error"},
    {"another size", RECORD, "a->key < b->key", 128, 12,
     "element_bytes(1): error: static assertion failed"},
    {"no type", "", "a->key < b->key", 128, 16, "mw_element"},
    {"an open comment", RECORD, "a->key < b->key /*", 128, 16, "error"},
  /* clang-format on */
};

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Do all lines of a log that tell of stack and spills say 0? */
static int spills_nothing(const char *log)
{
    const char *at = log;

    while ((at = strstr(at, " bytes stack frame"))) {
        if (at < log + 2 || at[-1] != '0' || at[-2] != ' ')
            return 0;
        at++;
    }
    return 1;
}

/* Compile the kernels of a text; `error` has the message of the first that fails. */
static mw_status compile(const struct nvrtc *nvrtc, const struct text *text, int verbose,
                         struct error *error)
{
    static const char *const kernels[][2] = {
        {"less_sort",      "struct less_sort_args" },
        {"less_cut",       "struct less_cut_args"  },
        {"less_cut_block", "struct less_cut_args"  },
        {"less_check",     "struct less_check_args"},
        {"less_merge",     "struct less_merge_args"}
    };
    struct nvrtc_request request = {
        .sources = kernel_sources,
        .digest = kernel_sources_digest,
        .program = {.engine = PROGRAM_LESS,
                    .bits = text->bits,
                    .tile = {128, 27, 2, 2},
                    .less = text->less,
                    .declarations = text->declarations,
                    .element_bytes = text->bytes},
        .architecture = 90,
        .verbose = 1
    };
    mw_status status = MW_OK;

    for (int i = 0; i < 5 && status == MW_OK; i++) {
        const double begin = seconds();
        struct nvrtc_code code;

        request.kernel = kernels[i][0];
        request.args = kernels[i][1];
        status = nvrtc_compile(nvrtc, &request, &code, error);
        if (verbose && status == MW_OK)
            printf("%s%s: %.0f ms\n", code.log, request.kernel, 1e3 * (seconds() - begin));
        if (status == MW_OK && !spills_nothing(code.log))
            status = fail(error, MW_COMPILE_FAILED, "%s spills registers", request.kernel);
        nvrtc_code_free(&code);
    }
    return status;
}

int main(int count, char **arguments)
{
    const int verbose = count > 1 && strcmp(arguments[1], "verbose") == 0;
    struct tap tap = {0, 0};
    struct nvrtc nvrtc;
    struct error error;

    if (nvrtc_open(&nvrtc, &error) != MW_OK) {
        printf("1..0 # SKIP %s\n", error.text);
        return 0;
    }
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        const struct text *const text = &texts[i];
        mw_status status;

        error.text[0] = '\0';
        status = compile(&nvrtc, text, verbose, &error);
        if (text->complaint)
            tap_case(&tap, status == MW_BAD_ORDER && strstr(error.text, text->complaint),
                     "MW_BAD_ORDER: %s", text->name);
        else
            tap_case(&tap, status == MW_OK, "compiles: %s", text->name);
        if (verbose || (status != MW_OK && !text->complaint))
            tap_note("%s", error.text);
    }
    nvrtc_close(&nvrtc);
    return tap_end(&tap);
}
