/* Keys of 64 bits, on processors with AVX-512. */
#define KEY_BITS 64
#define SUITE suite_64_avx512
#include "suite.inl"
