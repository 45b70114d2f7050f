/*
 * check.h - is a file in order? For `multiway sort -c`.
 */
#ifndef MW_CLI_CHECK_H
#define MW_CLI_CHECK_H

#include "multiway_file.h"
#include "order.h"

/* Check a file, strictly if equal neighbours count as disorder. Returns an exit status. */
int check_order(const struct order_choice *order, const char *path, mw_file_format format,
                int is_strict);

#endif
