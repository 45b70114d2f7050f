/*
 * inlined.h - INLINED: always inlined, since some arguments are constants at each call.
 */
#ifndef MW_CPU_INLINED_H
#define MW_CPU_INLINED_H

#if defined(__GNUC__)
#define INLINED static inline __attribute__((always_inline))
#else
#define INLINED static inline
#endif

#endif
