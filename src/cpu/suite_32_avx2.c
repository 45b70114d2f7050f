/* Keys of 32 bits, on processors with AVX2. */
#define KEY_BITS 32
#define SUITE suite_32_avx2
#include "suite.inl"
