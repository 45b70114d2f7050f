// lists_oracle.cpp - libstdc++'s parallel mode as an oracle: see lists_oracle.h.
#include "lists_oracle.h"

#include <parallel/algorithm>
#include <utility>
#include <vector>

namespace
{

// libstdc++ does not write through these, but does not take pointers to const either.
using window = std::pair<oracle_key *, oracle_key *>;

bool precedes(const oracle_key &a, const oracle_key &b)
{
    return a.group != b.group ? a.group < b.group : a.value < b.value;
}

std::vector<window> windows(const oracle_key *const *lists, const uint64_t *counts,
                            uint32_t list_count)
{
    std::vector<window> made;

    for (uint32_t i = 0; i < list_count; i++) {
        oracle_key *const first = const_cast<oracle_key *>(lists[i]);

        if (counts[i] > 0) // it takes no empty ones
            made.emplace_back(first, first + counts[i]);
    }
    return made;
}

} // namespace

void oracle_merge(const oracle_key *const *lists, const uint64_t *counts,
                  uint32_t list_count, oracle_key *out)
{
    std::vector<window> all = windows(lists, counts, list_count);
    uint64_t total = 0;

    for (uint32_t i = 0; i < list_count; i++)
        total += counts[i];
    __gnu_parallel::stable_multiway_merge(all.begin(), all.end(), out, total, precedes,
                                          __gnu_parallel::sequential_tag());
}

void oracle_split(const oracle_key *const *lists, const uint64_t *counts,
                  uint32_t list_count, uint64_t rank, uint64_t *cuts)
{
    std::vector<window> all = windows(lists, counts, list_count);
    std::vector<oracle_key *> ends(all.size());
    size_t from = 0;

    __gnu_parallel::multiseq_partition(all.begin(), all.end(), (int64_t)rank, ends.begin(),
                                       precedes);
    for (uint32_t i = 0; i < list_count; i++)
        cuts[i] = counts[i] > 0 ? (uint64_t)(ends[from++] - lists[i]) : 0;
}
