/*
 * nvrtc.h - NVIDIA's run-time compiler, libnvrtc, opened at run time.
 *
 *   struct nvrtc nvrtc;
 *   TRY(nvrtc_open(&nvrtc, error));
 *   TRY(nvrtc_compile(&nvrtc, &request, &code, error));
 *   ... code.bytes ...
 *   nvrtc_code_free(&code);
 *   nvrtc_close(&nvrtc);
 *
 * Several threads may compile at the same time.
 */
#ifndef MW_CUDA_NVRTC_H
#define MW_CUDA_NVRTC_H

#include "base/base.h"
#include "kernels/kernel_files.h"
#include "kernels/programs.h"

typedef int nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;

enum { NVRTC_SUCCESS = 0, NVRTC_ERROR_OUT_OF_MEMORY = 1, NVRTC_ERROR_COMPILATION = 6 };

/* clang-format off */

/* THE list of NVRTC functions: result, name in the table, symbol, parameters. */
#define NVRTC_FUNCTIONS(F)                                                               \
    F(nvrtcResult, Version, "nvrtcVersion", (int *major, int *minor))                    \
    F(const char *, GetErrorString, "nvrtcGetErrorString", (nvrtcResult code))           \
    F(nvrtcResult, CreateProgram, "nvrtcCreateProgram",                                  \
      (nvrtcProgram *program, const char *source, const char *name, int header_count,    \
       const char *const *headers, const char *const *header_names))                     \
    F(nvrtcResult, DestroyProgram, "nvrtcDestroyProgram", (nvrtcProgram *program))       \
    F(nvrtcResult, CompileProgram, "nvrtcCompileProgram",                                \
      (nvrtcProgram program, int option_count, const char *const *options))              \
    F(nvrtcResult, GetCUBINSize, "nvrtcGetCUBINSize",                                    \
      (nvrtcProgram program, size_t *bytes))                                             \
    F(nvrtcResult, GetCUBIN, "nvrtcGetCUBIN", (nvrtcProgram program, char *cubin))       \
    F(nvrtcResult, GetProgramLogSize, "nvrtcGetProgramLogSize",                          \
      (nvrtcProgram program, size_t *bytes))                                             \
    F(nvrtcResult, GetProgramLog, "nvrtcGetProgramLog",                                  \
      (nvrtcProgram program, char *log))

/* clang-format on */

struct nvrtc {
    void *library;
#define NVRTC_MEMBER(result, name, symbol, parameters) result(*name) parameters;
    NVRTC_FUNCTIONS(NVRTC_MEMBER)
#undef NVRTC_MEMBER
    int major, minor; /* of NVRTC's version */
};

/*
 * One kernel to compile: program.cu of `sources`, which may include the others. The texts
 * of an order (PROGRAM_LESS) come before it.
 */
struct nvrtc_request {
    const struct kernel_file *sources; /* ends with a row whose name is NULL */
    const char *digest;                /* of the sources: changes when they do */
    struct program_name program;
    const char *kernel;    /* "tile_sort" ... */
    const char *args;      /* ... and "struct tile_sort_args" */
    unsigned architecture; /* 90 for sm_90 */
    int verbose;           /* 1: the log has registers and spills */
};

/* Machine code (a cubin) and the compiler's log. */
struct nvrtc_code {
    void *bytes;
    size_t size;
    char *log; /* "" if empty */
};

/* MW_COMPILE_FAILED if this machine has no NVRTC, or one too old to serve. */
mw_status nvrtc_open(struct nvrtc *nvrtc, struct error *error);
void nvrtc_close(struct nvrtc *nvrtc);

/*
 * On failure `*code` is empty, and `error` holds the beginning of the log. MW_BAD_ORDER
 * if the text of an order does not compile, otherwise MW_COMPILE_FAILED.
 */
mw_status nvrtc_compile(const struct nvrtc *nvrtc, const struct nvrtc_request *request,
                        struct nvrtc_code *code, struct error *error);
void nvrtc_code_free(struct nvrtc_code *code);

/*
 * Everything the compiler's output depends on, as one text to be freed by the
 * caller: the version, the options, the sources' digest and the text of an order.
 */
mw_status nvrtc_key(const struct nvrtc *nvrtc, const struct nvrtc_request *request,
                    char **key, size_t *size, struct error *error);

#endif
