/*
 * segment_bits.cuh - words of marks (launch_segments.h).
 */

DEVICE int highest_mark(wide marks)
{
    const unsigned upper = (unsigned)(marks >> 32);

    return upper ? 32 + HIGHEST_BIT(upper) : HIGHEST_BIT((unsigned)marks);
}

DEVICE int lowest_mark(wide marks)
{
    const unsigned lower = (unsigned)marks;

    return lower ? LOWEST_BIT(lower) : 32 + LOWEST_BIT((unsigned)(marks >> 32));
}

DEVICE int count_marks(wide marks)
{
    return BITS((unsigned)marks) + BITS((unsigned)(marks >> 32));
}
