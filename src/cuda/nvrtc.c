#define _POSIX_C_SOURCE 200809L /* open_memstream */

#include "nvrtc.h"

#include "library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct library_function functions[] = {
#define NVRTC_ROW(result, name, symbol, parameters) {symbol, offsetof(struct nvrtc, name)},
    NVRTC_FUNCTIONS(NVRTC_ROW)
#undef NVRTC_ROW
};

static const char program_name[] = "program.cu";

enum { MOST_OPTIONS = 9, OPTION_BYTES = 40, MOST_SOURCES = 32 };

/* The command line of one request. */
struct options {
    int count;
    char text[MOST_OPTIONS][OPTION_BYTES];
};

static void define(struct options *options, const char *name, unsigned value)
{
    snprintf(options->text[options->count++], OPTION_BYTES, "--define-macro=%s=%u", name,
             value);
}

static struct options options_of(const struct nvrtc_request *request)
{
    const struct tile_geometry *const tile = &request->tile;
    struct options options = {.count = 2};

    snprintf(options.text[0], OPTION_BYTES, "--gpu-architecture=sm_%u",
             request->architecture);
    snprintf(options.text[1], OPTION_BYTES, "--std=c++17");
    define(&options, "KEY_BITS", (unsigned)request->bits);
    if (request->engine == MW_ENGINE_PAIR)
        define(&options, "PAIR_PROGRAM", 1);
    if (request->engine == MW_ENGINE_TILE) {
        define(&options, "TILE_ROWS", tile->rows);
        define(&options, "TILE_ITEMS", tile->items);
        define(&options, "TILE_SORT_BLOCKS", tile->sort_blocks);
        define(&options, "TILE_MERGE_BLOCKS", tile->merge_blocks);
        if (request->places)
            define(&options, "TILE_PLACES", 1);
    }
    if (request->verbose)
        snprintf(options.text[options.count++], OPTION_BYTES, "--ptxas-options=-v");
    return options;
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

/* Our status for NVRTC's `code`; `what` was tried, `log` is what it said of it. */
static mw_status check(const struct nvrtc *nvrtc, struct error *error, nvrtcResult code,
                       const char *what, const char *log)
{
    char line[400]; /* the log's beginning: a message is one line */

    if (code == NVRTC_SUCCESS)
        return MW_OK;
    snprintf(line, sizeof line, "%s%.*s", *log ? ": " : "", (int)strlen(log) - (*log != 0),
             log);
    for (char *end = line; (end = strchr(end, '\n'));)
        *end = ' ';
    return fail(error, code == NVRTC_ERROR_OUT_OF_MEMORY ? MW_NO_MEMORY : MW_COMPILE_FAILED,
                "NVRTC %d.%d cannot %s: %s%s", nvrtc->major, nvrtc->minor, what,
                nvrtc->GetErrorString(code), line);
}

static mw_status create(const struct nvrtc *nvrtc, const struct nvrtc_request *request,
                        nvrtcProgram *program, struct error *error)
{
    const char *texts[MOST_SOURCES];
    const char *names[MOST_SOURCES];
    const char *source = NULL;
    int count = 0;

    for (const struct kernel_file *file = request->sources; file->name; file++) {
        if (strcmp(file->name, program_name) == 0) {
            source = (const char *)file->bytes;
        } else if (count == MOST_SOURCES) {
            return fail(error, MW_COMPILE_FAILED, "more than %d files to compile from",
                        MOST_SOURCES);
        } else {
            texts[count] = (const char *)file->bytes;
            names[count++] = file->name;
        }
    }
    if (!source)
        return fail(error, MW_COMPILE_FAILED, "there is no %s to compile", program_name);
    return check(nvrtc, error,
                 nvrtc->CreateProgram(program, source, program_name, count, texts, names),
                 "begin to compile", "");
}

/* The log of the last compilation, to be freed; NULL if it cannot be had. */
static char *read_log(const struct nvrtc *nvrtc, nvrtcProgram program)
{
    size_t bytes = 0;

    if (nvrtc->GetProgramLogSize(program, &bytes) != NVRTC_SUCCESS)
        return NULL;

    char *const log = calloc(bytes + 1, 1);

    if (log && nvrtc->GetProgramLog(program, log) == NVRTC_SUCCESS)
        return log;
    free(log);
    return NULL;
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

mw_status nvrtc_compile(const struct nvrtc *nvrtc, const struct nvrtc_request *request,
                        struct nvrtc_code *code, struct error *error)
{
    const struct options options = options_of(request);
    const char *list[MOST_OPTIONS];
    char what[64];
    nvrtcProgram program = NULL;
    mw_status status;

    *code = (struct nvrtc_code){NULL, 0, NULL};
    for (int i = 0; i < options.count; i++)
        list[i] = options.text[i];
    snprintf(what, sizeof what, "compile %s for %d-bit keys and sm_%u", program_name,
             request->bits, request->architecture);

    TRY(create(nvrtc, request, &program, error));

    const nvrtcResult result = nvrtc->CompileProgram(program, options.count, list);

    code->log = read_log(nvrtc, program);
    TRY(check(nvrtc, error, result, what, code->log ? code->log : ""));
    if (!code->log)
        TRY(fail(error, MW_COMPILE_FAILED, "NVRTC does not hand out its log"));
    TRY(read_code(nvrtc, program, code, error));
done:
    if (program)
        nvrtc->DestroyProgram(&program);
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

char *nvrtc_key(const struct nvrtc *nvrtc, const struct nvrtc_request *request,
                size_t *size)
{
    const struct options options = options_of(request);
    char version[64];
    char *text = NULL;
    FILE *const stream = open_memstream(&text, size);

    if (!stream)
        return NULL;
    snprintf(version, sizeof version, "NVRTC %d.%d\n", nvrtc->major, nvrtc->minor);
    fputs(version, stream);
    for (int i = 0; i < options.count; i++) {
        fputs(options.text[i], stream);
        fputc('\n', stream);
    }
    for (const struct kernel_file *file = request->sources; file->name; file++) {
        fputs(file->name, stream);
        fputc('\n', stream);
        fwrite(file->bytes, 1, file->size, stream);
    }

    const int bad = ferror(stream);

    if (fclose(stream) == 0 && !bad)
        return text;
    free(text);
    return NULL;
}
