/* Items of 32 bits. */
#define ITEM_BITS 32
#define ROW_SUITE row_suite_32
#include "rows.inl"
