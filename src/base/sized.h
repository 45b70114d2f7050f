/*
 * sized.h - structs of the interface that begin with their size and may grow.
 */
#ifndef MW_SIZED_H
#define MW_SIZED_H

#include "base/base.h"

#include <string.h>

/* No struct of any version is larger: a greater size is not a size. */
enum { SIZED_MOST = 1 << 16 };

/* sized_read, below, where the sizes differ. */
mw_status sized_convert(void *ours, size_t our_size, const void *theirs, size_t their_size,
                        size_t least, const char *what, struct error *error);

/*
 * Read a caller's struct of `their_size` bytes into ours of `our_size`. What a
 * smaller struct lacks becomes 0. MW_BAD_ARGUMENT if the struct is smaller than
 * `least`, which every version has, or if it is larger than ours and has a
 * non-zero byte that we do not know. `what` names the struct in the message.
 */
static inline mw_status sized_read(void *ours, size_t our_size, const void *theirs,
                                   size_t their_size, size_t least, const char *what,
                                   struct error *error)
{
    if (their_size != our_size)
        return sized_convert(ours, our_size, theirs, their_size, least, what, error);
    memcpy(ours, theirs, our_size); /* a constant: no call */
    return MW_OK;
}

/*
 * Fill a caller's struct, whose first member is its size, from ours: as many bytes as
 * both know, the rest 0. The caller's size stays.
 */
void sized_write(void *theirs, const void *ours, size_t our_size);

#endif
