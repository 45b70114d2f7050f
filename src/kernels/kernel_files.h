/*
 * kernel_files.h - the kernels as data, put into the library by the build.
 *
 * The sources serve NVRTC and give the ledger its lines; the images, present
 * where nvcc built them, spare the first call its compilation.
 */
#ifndef MW_KERNEL_FILES_H
#define MW_KERNEL_FILES_H

#include <stddef.h>

struct kernel_file {
    const char *name; /* "heap_merge.cu"; images are named in cuda/program.c */
    const unsigned char *bytes;
    size_t size; /* a zero byte follows, so a source is also a C string */
};

/* Both end with a row whose name is NULL. */
extern const struct kernel_file kernel_sources[];
extern const struct kernel_file kernel_images[];

/* A text that changes when a source does. */
extern const char kernel_sources_digest[];

#endif
