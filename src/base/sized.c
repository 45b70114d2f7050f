/*
 * sized.c - copy structs between callers and a library of another version.
 */
#include "base/sized.h"

mw_status sized_convert(void *ours, size_t our_size, const void *theirs, size_t their_size,
                        size_t least, const char *what, struct error *error)
{
    const unsigned char *const bytes = theirs;

    if (their_size < least || their_size > SIZED_MOST)
        return fail(error, MW_BAD_ARGUMENT,
                    "%s has a size of %zu bytes, expected %zu to %d; start from its "
                    "_INIT macro",
                    what, their_size, least, SIZED_MOST);
    for (size_t i = our_size; i < their_size; i++) {
        if (bytes[i])
            return fail(error, MW_BAD_ARGUMENT,
                        "%s has %zu bytes, this version knows %zu, and byte %zu is not 0",
                        what, their_size, our_size, i);
    }
    memset(ours, 0, our_size);
    memcpy(ours, theirs, their_size < our_size ? their_size : our_size);
    return MW_OK;
}

void sized_write(void *theirs, const void *ours, size_t our_size)
{
    size_t size;

    memcpy(&size, theirs, sizeof size);

    const size_t common = size < our_size ? size : our_size;

    memset((char *)theirs + sizeof size, 0, size - sizeof size);
    memcpy((char *)theirs + sizeof size, (const char *)ours + sizeof size,
           common - sizeof size);
}
