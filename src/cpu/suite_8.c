/* Keys of 8 bits, on any processor. */
#define KEY_BITS 8
#define SUITE suite_8
#include "suite.inl"
