/*
 * lists_source.cuh - where the keys of a merge of the caller's lists come from
 * (struct tile_lists). Keys have the caller's bits; they become codes when they are loaded.
 */

typedef struct lists_merge_args tile_input;

#define CARRY_OF(args) 0

/* The address of array `array` of list `list`. */
DEVICE wide list_at(const tile_input *in, unsigned array, unsigned list)
{
    return LOAD((const wide_cell *)in->lists.at + (wide)array * in->lists.list_count +
                list);
}

/* A key is known by its address, in units of its size. */
typedef wide tile_index;

DEVICE const key_cell *key_of_row(const tile_input *in, wide row)
{
    (void)in;
    return (const key_cell *)(row * sizeof(key));
}

/* One lane's list. */
struct cut_list {
    const tile_input *in;
    wide first; /* its first key */
};

/* The key at place `at` of a list. */
DEVICE key list_key(const struct cut_list *list, unsigned at)
{
    return enter(LOAD_AS(PROBE, key_of_row(list->in, list->first + at)),
                 &list->in->lists.enter);
}

/* Another lane's list. */
DEVICE struct cut_list list_of_lane(const struct cut_list *mine, int lane)
{
    struct cut_list list = *mine;

    list.first = SHUFFLE(mine->first, lane);
    return list;
}
