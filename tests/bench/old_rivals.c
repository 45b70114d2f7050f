/*
 * old_rivals.c - a plugin of another version, which multiway-bench must refuse.
 */
#include "../../bench/rivals.h"

static const struct rivals table = {.version = RIVALS_VERSION + 1};

__attribute__((visibility("default"))) const struct rivals *multiway_rivals(void);

const struct rivals *multiway_rivals(void)
{
    return &table;
}
