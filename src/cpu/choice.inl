/*
 * choice.inl - choosing without a branch.
 *
 * Which list a merge takes from next is random: a branch would be mispredicted
 * half the time, which costs more than everything else together. Compilers may
 * turn a selection by a comparison into a branch, so an empty asm hides where
 * the condition comes from, and the selection is arithmetic.
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
