/*
 * tile_bound.cuh - a cut as it is posted: positions in all lists, and a bound on keys.
 */

/* The cut that a warp has to find. */
struct cut_task {
#ifndef TILE_LISTS
    wide list_first; /* position of my list in the array */
#else
    struct cut_list list; /* mine */
#endif
    unsigned length; /* keys of my list */
    wide whole;      /* keys of the group */
    wide target;     /* keys that should lie before the cut */
};

/* My list of a cut's. */
DEVICE struct cut_list list_of_task(const tile_input *in, const struct cut_task *t)
{
#ifndef TILE_LISTS
    return list_of_rows(in, t->list_first);
#else
    (void)in;
    return t->list;
#endif
}

/*
 * A bound on keys: those before the cut are at most the bound, those after the cut at
 * least. It is the pivot's key. The cuts at both ends of the group have no pivot and keys
 * on one side only; their bound is the extreme key's. With NEAR_KEYS upper words are
 * bounded, with places whole keys.
 */
#ifndef TILE_PLACES

typedef unsigned cut_bound;

DEVICE unsigned find_bound(const tile_input *in, const struct cut_task *t,
                           const struct cut_pivot *p)
{
#if NEAR_KEYS
    const struct cut_list keys = list_of_task(in, t);

    if (t->target == 0)
        return ~GREATEST(t->length ? (unsigned)~(list_key(&keys, 0) >> 32) : 0);
    if (t->target == t->whole)
        return GREATEST(t->length ? (unsigned)(list_key(&keys, t->length - 1) >> 32) : 0);
    return (unsigned)(p->value >> 32);
#else
    (void)in;
    (void)t;
    (void)p;
    return 0;
#endif
}

/* My list's cell of a cut, without the number of the round. */
DEVICE wide cell_of(unsigned before, cut_bound bound)
{
    return (wide)(LANE == 0 ? bound & 0xffff : bound >> 16) << 48 | before;
}

/* The bound in a cut's cells. */
DEVICE cut_bound bound_of(wide cell)
{
    const unsigned half = (unsigned)(cell >> 48);

    return SHUFFLE(half, 0) | SHUFFLE(half, 1) << 16;
}

#else

typedef key cut_bound;

DEVICE key find_bound(const tile_input *in, const struct cut_task *t,
                      const struct cut_pivot *p)
{
    const struct cut_list keys = list_of_task(in, t);
    const int some = t->length > 0;

    if (t->target == 0)
        return least_key(some ? list_key(&keys, 0) : 0, some);
    if (t->target == t->whole)
        return greatest_key(some ? list_key(&keys, t->length - 1) : 0, some);
    return p->value;
}

DEVICE wide cell_of(unsigned before, cut_bound bound)
{
    const wide part = (wide)bound >> 16 * (LANE % (KEY_BITS / 16));

    return part << 48 | before;
}

DEVICE cut_bound bound_of(wide cell)
{
    const unsigned part = (unsigned)(cell >> 48);
    wide bound = SHUFFLE(part, 0) | SHUFFLE(part, 1) << 16;

#if KEY_BITS == 64
    bound |= (wide)(SHUFFLE(part, 2) | SHUFFLE(part, 3) << 16) << 32;
#endif
    return (cut_bound)bound;
}

#endif

/* Cells of one cut. */
DEVICE int cut_cells(const struct tile_round *round)
{
    return TILE_CUT_CELLS(round->ways, KEY_BITS, PLACED);
}

/* The cells of the cut of a row. */
DEVICE wide_cell *cells_of(const struct tile_round *round, unsigned row)
{
    return (wide_cell *)round->cuts + (wide)row * (unsigned)cut_cells(round);
}
