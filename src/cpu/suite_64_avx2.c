/* Keys of 64 bits, on processors with AVX2. */
#define KEY_BITS 64
#define SUITE suite_64_avx2
#include "suite.inl"
