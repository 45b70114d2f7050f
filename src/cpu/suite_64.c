/* Keys of 64 bits, on any processor. */
#define KEY_BITS 64
#define SUITE suite_64
#include "suite.inl"
