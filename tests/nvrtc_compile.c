/*
 * nvrtc_compile.c - compile the library's kernels as the library would:
 *
 *   nvrtc_compile BITS ARCHITECTURE                           such as 32 90
 *   nvrtc_compile BITS ARCHITECTURE pair                      32 90 pair
 *   nvrtc_compile BITS ARCHITECTURE ROWS ITEMS SORT MERGE     32 90 256 32 4 4
 *   nvrtc_compile BITS ARCHITECTURE ROWS ITEMS SORT MERGE places
 *
 * Engine heap's kernels, engine pair's, or engine tile's for a geometry and its
 * blocks, with items that carry their places if that is asked for; prints NVRTC's
 * log, with what each kernel uses. Exits with 77 if the machine
 * has no NVRTC, with 1 if the kernels do not compile.
 */
#include "cuda/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_NVRTC = 77 };

int main(int count, char **arguments)
{
    struct nvrtc nvrtc;
    struct nvrtc_code code;
    struct error error;

    const int pair = count == 4 && strcmp(arguments[3], "pair") == 0;
    const int places = count == 8 && strcmp(arguments[7], "places") == 0;

    if (count != 3 && !pair && count != 7 && !places) {
        fprintf(stderr, "usage: nvrtc_compile BITS ARCHITECTURE [pair]\n"
                        "       nvrtc_compile BITS ARCHITECTURE ROWS ITEMS SORT MERGE"
                        " [places]\n");
        return 2;
    }
    if (nvrtc_open(&nvrtc, &error) != MW_OK) {
        printf("%s\n", error.text);
        return NO_NVRTC;
    }

    struct nvrtc_request request = {.sources = kernel_sources,
                                    .engine = pair         ? MW_ENGINE_PAIR
                                              : count >= 7 ? MW_ENGINE_TILE
                                                           : MW_ENGINE_HEAP,
                                    .bits = atoi(arguments[1]),
                                    .architecture = (unsigned)atoi(arguments[2]),
                                    .places = places,
                                    .verbose = 1};

    if (count >= 7)
        request.tile = (struct tile_geometry){
            (unsigned)atoi(arguments[3]), (unsigned)atoi(arguments[4]),
            (unsigned)atoi(arguments[5]), (unsigned)atoi(arguments[6])};

    const mw_status status = nvrtc_compile(&nvrtc, &request, &code, &error);

    if (status == MW_OK)
        printf("%s%zu bytes of machine code\n", code.log, code.size);
    else
        printf("%s\n", error.text);
    nvrtc_code_free(&code);
    nvrtc_close(&nvrtc);
    return status != MW_OK;
}
