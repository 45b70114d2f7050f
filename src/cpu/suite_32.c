/* Keys of 32 bits, on any processor. */
#define KEY_BITS 32
#define SUITE suite_32
#include "suite.inl"
