/* Items of 64 bits. */
#define ITEM_BITS 64
#define ROW_SUITE row_suite_64
#include "rows.inl"
