/* Keys of 32 bits, from Zen 5 on: maxima are as fast as minima there. */
#define KEY_BITS 32
#define SUITE suite_32_avx512_zen5
#define SUITE_MAXIMA
#include "suite.inl"
