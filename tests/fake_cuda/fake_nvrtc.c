/*
 * fake_nvrtc.c - a fake NVRTC: its machine code is the text of its options.
 */
#include "fake_cuda.h"

#include "cuda/nvrtc.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPILATION = 6, INTERNAL = 11 };

struct _nvrtcProgram {
    char cubin[800];
    char log[128];
    int broken;
};

/* Threads may call at the same time. */
static atomic_int programs, compiles;

static int live(void)
{
    return programs;
}

static int called(const char *name)
{
    return strcmp(name, "nvrtcCompileProgram") == 0 ? compiles : 0;
}

static struct fake_calls calls = {.called = called, .live = live};

EXPORT struct fake_calls *fake_nvrtc(void)
{
    return &calls;
}

static nvrtcResult begin(const char *name)
{
    if (++calls.count != calls.fail_at)
        return NVRTC_SUCCESS;
    snprintf(calls.failed, sizeof calls.failed, "%s", name);
    return calls.error ? calls.error : INTERNAL;
}

EXPORT const char *nvrtcGetErrorString(nvrtcResult code)
{
    return code == COMPILATION ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_FAKE";
}

EXPORT nvrtcResult nvrtcVersion(int *major, int *minor)
{
    *major = 12;
    *minor = 8;
    return begin(__func__);
}

EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source,
                                      const char *name, int header_count,
                                      const char *const *headers,
                                      const char *const *header_names)
{
    const nvrtcResult code = begin(__func__);
    /* An order's text includes program.cu. */
    const int order = strcmp(name, "order") == 0;
    int broken = (!order && strcmp(name, "program.cu") != 0) || strstr(source, "error");
    int has_program = 0;

    if (code != NVRTC_SUCCESS)
        return code;
    for (int i = 0; i < header_count; i++) {
        broken |= !headers[i];
        has_program |= strcmp(header_names[i], "program.cu") == 0;
    }
    broken |= has_program != order;
    *program = calloc(1, sizeof **program);
    (*program)->broken = broken;
    programs++;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    programs--;
    free(*program);
    *program = NULL;
    return begin(__func__);
}

EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count,
                                       const char *const *options)
{
    const nvrtcResult code = begin(__func__);

    compiles++;
    if (code != NVRTC_SUCCESS)
        return code;
    if (program->broken) {
        snprintf(program->log, sizeof program->log,
                 "program.cu(1): error: not\na kernel\n");
        return COMPILATION;
    }
    snprintf(program->cubin, sizeof program->cubin, "cubin");
    for (int i = 0; i < option_count; i++) {
        const size_t used = strlen(program->cubin);

        snprintf(program->cubin + used, sizeof program->cubin - used, " %s", options[i]);
    }
    return NVRTC_SUCCESS;
}

/* A text of the program: its size, and itself. */
#define TEXT(function, text)                                               \
    EXPORT nvrtcResult function##Size(nvrtcProgram program, size_t *bytes) \
    {                                                                      \
        *bytes = strlen(program->text) + 1;                                \
        return begin(__func__);                                            \
    }                                                                      \
    EXPORT nvrtcResult function(nvrtcProgram program, char *text)          \
    {                                                                      \
        strcpy(text, program->text);                                       \
        return begin(__func__);                                            \
    }
TEXT(nvrtcGetCUBIN, cubin)
TEXT(nvrtcGetProgramLog, log)
