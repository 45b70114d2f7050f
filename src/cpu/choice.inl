/*
 * choice.inl - choosing without a branch.
 *
 * What a merge takes next is a coin toss: as a branch it is mispredicted half
 * the time, which costs more than everything else together. Compilers make
 * one of any choice whose condition they know for a comparison, so the empty
 * asm hides where it comes from, and the rest is arithmetic.
 */

/* The truth of a comparison, 0 or 1, as a number like any other. */
static inline size_t choice(int truth)
{
    size_t number = (size_t)truth;

#if defined(__GNUC__)
    __asm__("" : "+r"(number));
#endif
    return number;
}
