/*
 * fake_nvrtc.c - a fake NVRTC: its machine code is the text of its options.
 */
#include "fake_cuda.h"

#include "cuda/nvrtc.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPILATION = 6, INTERNAL = 11 };

struct _nvrtcProgram {
    char cubin[800];
    char log[128];
    int broken;
};

static int programs, compiles;

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

/* Threads may call at the same time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static nvrtcResult begin(const char *name)
{
    nvrtcResult code = NVRTC_SUCCESS;

    pthread_mutex_lock(&lock);
    compiles += strcmp(name, "nvrtcCompileProgram") == 0;
    if (++calls.count == calls.fail_at) {
        snprintf(calls.failed, sizeof calls.failed, "%s", name);
        code = calls.error ? calls.error : INTERNAL;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static void count_program(int by)
{
    pthread_mutex_lock(&lock);
    programs += by;
    pthread_mutex_unlock(&lock);
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
    int broken = strcmp(name, "program.cu") != 0 || strstr(source, "error") != NULL;

    if (code != NVRTC_SUCCESS)
        return code;
    for (int i = 0; i < header_count; i++)
        broken |= !headers[i] || strcmp(header_names[i], "program.cu") == 0;
    *program = calloc(1, sizeof **program);
    (*program)->broken = broken;
    count_program(1);
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    count_program(-1);
    free(*program);
    *program = NULL;
    return begin(__func__);
}

EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count,
                                       const char *const *options)
{
    const nvrtcResult code = begin(__func__);

    if (code != NVRTC_SUCCESS)
        return code;
    if (program->broken) {
        snprintf(program->log, sizeof program->log, "program.cu(1): error: not a kernel\n");
        return COMPILATION;
    }
    snprintf(program->cubin, sizeof program->cubin, "cubin");
    for (int i = 0; i < option_count; i++) {
        const size_t used = strlen(program->cubin);

        snprintf(program->cubin + used, sizeof program->cubin - used, " %s", options[i]);
    }
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes)
{
    *bytes = strlen(program->cubin) + 1;
    return begin(__func__);
}

EXPORT nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin)
{
    strcpy(cubin, program->cubin);
    return begin(__func__);
}

EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes)
{
    *bytes = strlen(program->log) + 1;
    return begin(__func__);
}

EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
    strcpy(log, program->log);
    return begin(__func__);
}
