/*
 * lists_oracle.h - libstdc++'s multiseq_partition and stable multiway merge, for C.
 */
#ifndef MW_TESTS_LISTS_ORACLE_H
#define MW_TESTS_LISTS_ORACLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A key: compared by `group`, then by `value`. */
struct oracle_key {
    uint64_t group;
    uint64_t value;
    uint64_t position; /* in all lists, concatenated */
};

/* Merge sorted lists stably: `out` has room for all. */
void oracle_merge(const struct oracle_key *const *lists, const uint64_t *counts,
                  uint32_t list_count, struct oracle_key *out);

/* Cut sorted lists so that `rank` keys, less than there are, lie before. */
void oracle_split(const struct oracle_key *const *lists, const uint64_t *counts,
                  uint32_t list_count, uint64_t rank, uint64_t *cuts);

#ifdef __cplusplus
}
#endif
#endif
