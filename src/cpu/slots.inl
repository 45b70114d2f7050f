/*
 * slots.inl - the slots of codes: see suite.h. Compilers vectorise it.
 */
static void slots(const struct slot_task *task, const void *codes, size_t count,
                  uint16_t *numbers)
{
    const key flip = (key)task->flip;
    const key least = (key)task->least;
    const key most = (key)task->most;
    const unsigned shift = task->shift;

#if defined(__GNUC__)
    /* The codes that are likely to be next: the processor's own prefetch comes too late. */
    for (size_t i = 0; i < count * sizeof(key); i += STREAM_LINE)
        __builtin_prefetch((const unsigned char *)codes + count * sizeof(key) + i);
#endif
    for (size_t i = 0; i < count; i++) {
        key code;

        memcpy(&code, (const unsigned char *)codes + i * sizeof code, sizeof code);
        code ^= flip;
        code = ((code > least ? code : least) - least) >> shift;
        numbers[i] = (uint16_t)(code < most ? code : most);
    }
}
