/* Keys of 32 bits, on processors with AVX-512. */
#define KEY_BITS 32
#define SUITE suite_32_avx512
#include "suite.inl"
