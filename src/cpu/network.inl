/*
 * network.inl - blocks of BLOCK ranks into sorted runs of NETWORK.
 *
 * A block is NETWORK rows; a sorting network compares whole rows, so each
 * column comes out sorted, and the columns are written consecutively.
 */
enum { NETWORK = 16, BLOCK = NETWORK * ROW };

/* Green's network for sixteen: 60 exchanges in ten layers, the fewest known. */
static const unsigned char network[][2] = {
  /* clang-format off */
    {0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15},
    {0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15},
    {0, 4}, {1, 5}, {2, 6}, {3, 7}, {8, 12}, {9, 13}, {10, 14}, {11, 15},
    {0, 8}, {1, 9}, {2, 10}, {3, 11}, {4, 12}, {5, 13}, {6, 14}, {7, 15},
    {5, 10}, {6, 9}, {3, 12}, {13, 14}, {4, 8}, {7, 11}, {1, 2},
    {1, 4}, {7, 13}, {2, 8}, {11, 14},
    {2, 4}, {5, 6}, {9, 10}, {11, 13}, {3, 8}, {7, 12},
    {6, 8}, {10, 12}, {3, 5}, {7, 9},
    {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12},
    {6, 7}, {8, 9},
  /* clang-format on */
};

static inline void network_sort(row *r)
{
    UNROLL
    for (size_t i = 0; i < sizeof network / sizeof network[0]; i++)
        row_exchange(&r[network[i][0]], &r[network[i][1]]);
}

/* Sort `count` ranks, a multiple of BLOCK, into runs of NETWORK, in place. */
static void network_runs(rank *ranks, size_t count)
{
    for (rank *block = ranks; block < ranks + count; block += BLOCK) {
        row rows[NETWORK];

        for (int i = 0; i < NETWORK; i++)
            rows[i] = row_load(block + i * ROW);
        network_sort(rows);
        for (int i = 0; i < NETWORK; i += ROW)
            rows_store(block + i, NETWORK, rows + i);
    }
}
