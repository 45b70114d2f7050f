#include "fake_cuda.h"

#include "cuda/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { COMPILATION = 6, INTERNAL = 11 };

struct _nvrtcProgram {
    char cubin[400];
    char log[128];
    int broken;
};

static int calls, live, compiles, fail_at, fail_code = INTERNAL;
static char failed[64];

EXPORT void fake_nvrtc_restart(void)
{
    const char *const at = getenv("FAKE_NVRTC_FAIL");
    const char *const code = getenv("FAKE_NVRTC_ERROR");

    calls = 0;
    failed[0] = '\0';
    fail_at = at ? atoi(at) : 0;
    fail_code = code ? atoi(code) : INTERNAL;
}

EXPORT int fake_nvrtc_calls(void)
{
    return calls;
}

EXPORT int fake_nvrtc_live(void)
{
    return live;
}

EXPORT int fake_nvrtc_compiles(void)
{
    return compiles;
}

EXPORT const char *fake_nvrtc_failed(void)
{
    return failed;
}

static nvrtcResult begin(const char *name)
{
    if (++calls != fail_at)
        return NVRTC_SUCCESS;
    snprintf(failed, sizeof failed, "%s", name);
    return fail_code;
}

EXPORT const char *nvrtcGetErrorString(nvrtcResult code)
{
    return code == COMPILATION ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_FAKE";
}

EXPORT nvrtcResult nvrtcVersion(int *major, int *minor)
{
    *major = 12;
    *minor = 8;
    return begin("nvrtcVersion");
}

EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source,
                                      const char *name, int header_count,
                                      const char *const *headers,
                                      const char *const *header_names)
{
    const nvrtcResult code = begin("nvrtcCreateProgram");
    int broken = strcmp(name, "program.cu") != 0 || strstr(source, "error") != NULL;

    if (code != NVRTC_SUCCESS)
        return code;
    for (int i = 0; i < header_count; i++)
        broken |= !headers[i] || strcmp(header_names[i], "program.cu") == 0;
    *program = calloc(1, sizeof **program);
    (*program)->broken = broken;
    live++;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    live--;
    free(*program);
    *program = NULL;
    return begin("nvrtcDestroyProgram");
}

EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count,
                                       const char *const *options)
{
    const nvrtcResult code = begin("nvrtcCompileProgram");

    if (code != NVRTC_SUCCESS)
        return code;
    compiles++;
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
    return begin("nvrtcGetCUBINSize");
}

EXPORT nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin)
{
    strcpy(cubin, program->cubin);
    return begin("nvrtcGetCUBIN");
}

EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes)
{
    *bytes = strlen(program->log) + 1;
    return begin("nvrtcGetProgramLogSize");
}

EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
    strcpy(log, program->log);
    return begin("nvrtcGetProgramLog");
}
