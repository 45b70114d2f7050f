/* Keys of 16 bits, on any processor. */
#define KEY_BITS 16
#define SUITE suite_16
#include "suite.inl"
