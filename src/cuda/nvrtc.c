/*
 * nvrtc.c - one kernel through NVRTC: options, sources, machine code, log.
 */
#include "nvrtc.h"

#include "library.h"
#include "text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct library_function functions[] = {
#define NVRTC_ROW(result, name, symbol, parameters) {symbol, offsetof(struct nvrtc, name)},
    NVRTC_FUNCTIONS(NVRTC_ROW)
#undef NVRTC_ROW
};

static const char program_name[] = "program.cu";

enum { MOST_OPTIONS = 12, OPTION_BYTES = 96 };

/* The command line of one request. */
struct options {
    int count;
    int overflow; /* 1: one more, or a longer one, was to be added */
    char text[MOST_OPTIONS][OPTION_BYTES];
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
add(struct options *options, const char *format, ...)
{
    va_list values;
    int length;

    if (options->count == MOST_OPTIONS) {
        options->overflow = 1;
        return;
    }
    va_start(values, format);
    length = vsnprintf(options->text[options->count++], OPTION_BYTES, format, values);
    va_end(values);
    options->overflow |= length < 0 || length >= OPTION_BYTES;
}

static mw_status make_options(struct options *options, const struct nvrtc_request *request,
                              struct error *error)
{
    const struct tile_geometry *const tile = &request->program.tile;

    *options = (struct options){.count = 0};
    add(options, "--gpu-architecture=sm_%u", request->architecture);
    add(options, "--std=c++17");
    if (request->verbose)
        add(options, "--ptxas-options=-v");
    if (request->program.engine == PROGRAM_LESS) { /* macros are in its text */
        add(options, "--device-as-default-execution-space");
        add(options, "--fmad=false");
        add(options, "--disable-warnings");
        return MW_OK;
    }
    add(options, "--define-macro=ENTRIES=ENTRY(%s, %s)", request->kernel, request->args);
    add(options, "--define-macro=KEY_BITS=%d", request->program.bits);
    if (request->program.engine == PROGRAM_ROWS)
        add(options, "--define-macro=ROWS_PROGRAM=1");
    if (request->program.engine == MW_ENGINE_PAIR)
        add(options, "--define-macro=PAIR_PROGRAM=1");
    if (request->program.engine == MW_ENGINE_TALLY)
        add(options, "--define-macro=TALLY_PROGRAM=1");
    if (request->program.engine == PROGRAM_LISTS)
        add(options, "--define-macro=TILE_LISTS=1");
    if (request->program.engine == MW_ENGINE_TILE ||
        request->program.engine == PROGRAM_LISTS) {
        add(options, "--define-macro=TILE_ROWS=%u", tile->rows);
        add(options, "--define-macro=TILE_ITEMS=%u", tile->items);
        add(options, "--define-macro=TILE_SORT_BLOCKS=%u", tile->sort_blocks);
        add(options, "--define-macro=TILE_MERGE_BLOCKS=%u", tile->merge_blocks);
        if (tile->places)
            add(options, "--define-macro=TILE_PLACES=1");
        if (tile->large)
            add(options, "--define-macro=TILE_LARGE=1");
    }
    if (options->overflow)
        return fail(error, MW_COMPILE_FAILED,
                    "more than %d options to compile kernel %s with, or one of more than "
                    "%d characters",
                    MOST_OPTIONS, request->kernel, OPTION_BYTES - 1);
    return MW_OK;
}

mw_status nvrtc_open(struct nvrtc *nvrtc, struct error *error)
{
    static const char *const names[] = {"libnvrtc.so.13",
                                        "libnvrtc.so.12",
                                        "libnvrtc.so.11.2",
                                        "libnvrtc.so",
                                        "/usr/local/cuda/lib64/libnvrtc.so.13",
                                        "/usr/local/cuda/lib64/libnvrtc.so.12",
                                        "/usr/local/cuda/lib64/libnvrtc.so.11.2",
                                        "/usr/local/cuda/lib64/libnvrtc.so",
                                        NULL};
    const char *missing = NULL;

    nvrtc->library = library_open(names, functions, sizeof functions / sizeof *functions,
                                  nvrtc, &missing);
    if (!nvrtc->library && missing)
        return fail(error, MW_COMPILE_FAILED, "NVRTC is too old: it has no %s", missing);
    if (!nvrtc->library)
        return fail(error, MW_COMPILE_FAILED,
                    "no NVRTC (libnvrtc.so) on this machine to compile kernels with");
    if (nvrtc->Version(&nvrtc->major, &nvrtc->minor) == NVRTC_SUCCESS)
        return MW_OK;
    nvrtc_close(nvrtc);
    return fail(error, MW_COMPILE_FAILED, "NVRTC does not tell its version");
}

void nvrtc_close(struct nvrtc *nvrtc)
{
    library_close(nvrtc->library);
    nvrtc->library = NULL;
}

/* The log as one line, as much of it as fits, and dots if that is not all. */
static void flatten(const char *log, char *line, size_t room)
{
    size_t used = 0;

    while (isspace((unsigned char)*log))
        log++;
    for (; *log && used + 4 < room; log++) {
        const int blank = isspace((unsigned char)*log);

        if (!blank || !isspace((unsigned char)log[1]))
            line[used++] = (char)(blank ? ' ' : *log);
    }
    strcpy(line + used, *log ? "..." : "");
}

/* Our status for NVRTC's `code`; `what` was tried, `log` is what it said of it. */
static mw_status check(const struct nvrtc *nvrtc, struct error *error, nvrtcResult code,
                       const char *what, const char *log)
{
    char line[400];

    if (code == NVRTC_SUCCESS)
        return MW_OK;
    flatten(log, line, sizeof line);
    return fail(error, code == NVRTC_ERROR_OUT_OF_MEMORY ? MW_NO_MEMORY : MW_COMPILE_FAILED,
                "NVRTC %d.%d cannot %s: %s%s%s", nvrtc->major, nvrtc->minor, what,
                nvrtc->GetErrorString(code), *line ? ": " : "", line);
}

/* The text of an order, with all it needs, to be freed; NULL for other programs. */
static mw_status order_text(const struct nvrtc_request *request, char **text,
                            struct error *error)
{
    *text = NULL;
    if (request->program.engine != PROGRAM_LESS)
        return MW_OK;
    *text = text_unit(&request->program, request->kernel, request->args);
    return *text ? MW_OK : fail(error, MW_NO_MEMORY, "no memory for the text of an order");
}

/* Compile `text`, which includes program.cu, or if it is NULL program.cu itself. */
static mw_status create(const struct nvrtc *nvrtc, const struct nvrtc_request *request,
                        const char *text, nvrtcProgram *program, struct error *error)
{
    /* What a user's text may include is there already. */
    static const char *const usual[] = {"stdint.h", "stddef.h", "string.h", "stdbool.h"};
    const char *source = text;
    size_t most = sizeof usual / sizeof *usual;
    const char **texts;
    const char **names;
    int count = 0;
    mw_status status;

    for (const struct kernel_file *file = request->sources; file->name; file++)
        most++;
    texts = calloc(2 * most, sizeof *texts);
    if (!texts)
        return fail(error, MW_NO_MEMORY, "no memory for the names of %zu files", most);
    names = texts + most;
    for (; count < (int)(sizeof usual / sizeof *usual); count++) {
        texts[count] = "";
        names[count] = usual[count];
    }
    for (const struct kernel_file *file = request->sources; file->name; file++) {
        if (!text && strcmp(file->name, program_name) == 0) {
            source = (const char *)file->bytes;
        } else {
            texts[count] = (const char *)file->bytes;
            names[count++] = file->name;
        }
    }
    status =
        source ? check(nvrtc, error,
                       nvrtc->CreateProgram(program, source, text ? "order" : program_name,
                                            count, texts, names),
                       "begin to compile", "")
               : fail(error, MW_COMPILE_FAILED, "there is no %s to compile", program_name);
    free(texts);
    return status;
}

/* The log of the last compilation. */
static mw_status read_log(const struct nvrtc *nvrtc, nvrtcProgram program,
                          struct nvrtc_code *code, struct error *error)
{
    static const char what[] = "hand out its log";
    size_t bytes = 0;
    mw_status status;

    TRY(check(nvrtc, error, nvrtc->GetProgramLogSize(program, &bytes), what, ""));
    code->log = calloc(bytes + 1, 1);
    if (!code->log)
        return fail(error, MW_NO_MEMORY, "no memory for a log of %zu bytes", bytes);
    TRY(check(nvrtc, error, nvrtc->GetProgramLog(program, code->log), what, ""));
done:
    return status;
}

static mw_status read_code(const struct nvrtc *nvrtc, nvrtcProgram program,
                           struct nvrtc_code *code, struct error *error)
{
    static const char what[] = "hand out the machine code";
    mw_status status;

    TRY(check(nvrtc, error, nvrtc->GetCUBINSize(program, &code->size), what, ""));
    code->bytes = malloc(code->size + 1);
    if (!code->bytes)
        return fail(error, MW_NO_MEMORY, "no memory for %zu bytes of machine code",
                    code->size);
    TRY(check(nvrtc, error, nvrtc->GetCUBIN(program, code->bytes), what, ""));
done:
    return status;
}

/* The compiler's message about a user's text. */
static mw_status bad_order(struct error *error, const char *log)
{
    char line[sizeof error->text - 64];

    flatten(log, line, sizeof line);
    return fail(error, MW_BAD_ORDER, "the order does not compile: %s", line);
}

mw_status nvrtc_compile(const struct nvrtc *nvrtc, const struct nvrtc_request *request,
                        struct nvrtc_code *code, struct error *error)
{
    struct options options;
    const char *list[MOST_OPTIONS];
    char what[96];
    nvrtcProgram program = NULL;
    char *text = NULL;
    mw_status status;

    *code = (struct nvrtc_code){NULL, 0, NULL};
    TRY(make_options(&options, request, error));
    for (int i = 0; i < options.count; i++)
        list[i] = options.text[i];
    snprintf(what, sizeof what, "compile kernel %s for %d-bit keys and sm_%u",
             request->kernel, request->program.bits, request->architecture);

    TRY(order_text(request, &text, error));
    TRY(create(nvrtc, request, text, &program, error));

    const nvrtcResult result = nvrtc->CompileProgram(program, options.count, list);
    const mw_status logged = read_log(nvrtc, program, code, error);

    if (result == NVRTC_ERROR_COMPILATION && text && code->log)
        TRY(bad_order(error, code->log));
    TRY(check(nvrtc, error, result, what, code->log ? code->log : ""));
    TRY(logged);
    TRY(read_code(nvrtc, program, code, error));
done:
    if (program)
        nvrtc->DestroyProgram(&program);
    free(text);
    if (status != MW_OK)
        nvrtc_code_free(code);
    return status;
}

void nvrtc_code_free(struct nvrtc_code *code)
{
    free(code->bytes);
    free(code->log);
    *code = (struct nvrtc_code){NULL, 0, NULL};
}

mw_status nvrtc_key(const struct nvrtc *nvrtc, const struct nvrtc_request *request,
                    char **key, size_t *size, struct error *error)
{
    struct options options;
    char *text = NULL;
    mw_status status;
    size_t room;
    size_t used;

    *key = NULL;
    TRY(make_options(&options, request, error));
    TRY(order_text(request, &text, error));
    room = 64 + strlen(request->digest) + sizeof options.text;
    room += text ? strlen(text) : 0;
    *key = malloc(room);
    if (!*key)
        return fail(error, MW_NO_MEMORY, "no memory for the key of a compiled kernel");
    used = (size_t)snprintf(*key, room, "NVRTC %d.%d\n%s\n", nvrtc->major, nvrtc->minor,
                            request->digest);
    for (int i = 0; i < options.count; i++)
        used += (size_t)snprintf(*key + used, room - used, "%s\n", options.text[i]);
    used += (size_t)snprintf(*key + used, room - used, "%s", text ? text : "");
    *size = used;
done:
    free(text);
    return status;
}
