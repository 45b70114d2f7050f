/*
 * field.h - field.inl for the host.
 */
#ifndef MW_FIELD_H
#define MW_FIELD_H

#define FIELD_FUNCTION static inline
#include "field.inl"
#undef FIELD_FUNCTION

#endif
