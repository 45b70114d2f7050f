/*
 * nvrtc_compile.c - compile the library's kernels as the library would:
 *
 *   nvrtc_compile BITS ARCHITECTURE      such as 32 90
 *
 * prints NVRTC's log, with what each kernel uses. Exits with 77 if the machine
 * has no NVRTC, with 1 if the kernels do not compile.
 */
#include "cuda/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>

enum { NO_NVRTC = 77 };

int main(int count, char **arguments)
{
    struct nvrtc nvrtc;
    struct nvrtc_code code;
    struct words words;

    if (count != 3) {
        fprintf(stderr, "usage: nvrtc_compile BITS ARCHITECTURE\n");
        return 2;
    }
    if (nvrtc_open(&nvrtc, &words) != MW_OK) {
        printf("%s\n", words.text);
        return NO_NVRTC;
    }

    const struct nvrtc_request request = {kernel_sources, atoi(arguments[1]),
                                          (unsigned)atoi(arguments[2]), 1};
    const mw_status status = nvrtc_compile(&nvrtc, &request, &code, &words);

    if (status == MW_OK)
        printf("%s%zu bytes of machine code\n", code.log, code.size);
    else
        printf("%s\n", words.text);
    nvrtc_code_free(&code);
    nvrtc_close(&nvrtc);
    return status != MW_OK;
}
