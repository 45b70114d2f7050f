/* Keys of 64 bits, on processors with AVX-512VL, which has minima for them. */
#define KEY_BITS 64
#define SUITE suite_64_avx512
#include "suite.inl"
