/*
 * inlined.h - INLINED: a function that only pays where its arguments are constants.
 */
#ifndef MW_CPU_INLINED_H
#define MW_CPU_INLINED_H

#if defined(__GNUC__)
#define INLINED static inline __attribute__((always_inline))
#else
#define INLINED static inline
#endif

#endif
