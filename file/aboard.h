/*
 * aboard.h - all rows in the memory of a GPU, if that has room for them: then there are no
 * runs, and no temporary files.
 */
#ifndef MW_FILE_ABOARD_H
#define MW_FILE_ABOARD_H

#include "errand.h"

/*
 * Read all inputs to the device and sort them there. `*is_aboard` is 0 if they do not fit,
 * or if their length is not known; then nothing has been taken from them.
 */
mw_status aboard_sort(struct errand *errand, int *is_aboard);

/* Copy the next rows of the result to `to`, at most `most`; `*rows` is 0 after the last. */
mw_status aboard_take(struct errand *errand, unsigned char *to, uint64_t most,
                      uint64_t *rows);

/* Give the device's memory back; allowed at any time. */
void aboard_close(struct errand *errand);

#endif
