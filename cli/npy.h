/*
 * npy.h - the order of a .npy file, from its header.
 */
#ifndef MW_CLI_NPY_H
#define MW_CLI_NPY_H

#include "multiway_file.h"
#include "order.h"

/*
 * Where neither --type nor --record is given and the first input is a .npy file, take them
 * from its header, and see that other .npy files have the same dtype. Keys of a structured
 * dtype may be named by their fields; without keys, all fields count, the first first.
 * Returns 0, or not 0 after a complaint.
 */
int order_from_npy(struct order_choice *choice, const char *command,
                   const char *const *paths, uint32_t count, mw_file_format format);

/* Has a file a header? */
int is_npy(const char *path, mw_file_format format);

#endif
