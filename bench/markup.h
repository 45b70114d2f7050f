/*
 * markup.h - words and figures as HTML and SVG want them.
 *
 * What is written is well-formed as XML, too. Whatever the text holds, its
 * letters stay letters: nothing in it can open or close a tag or an attribute.
 */
#ifndef MW_BENCH_MARKUP_H
#define MW_BENCH_MARKUP_H

#include <stdint.h>
#include <stdio.h>

/* Bytes that are no UTF-8, and control characters, become U+FFFD. */
void markup_text(FILE *to, const char *text);

/* At most `most` letters of it, the last an ellipsis if there were more. */
void markup_short(FILE *to, const char *text, int most);

/* How many letters markup_short would write. */
int markup_length(const char *text, int most);

/* 2^20 with a raised exponent, or the digits. */
void markup_count(FILE *to, uint64_t count);

/* A figure with so many decimals, more if it is small; a dash if it is none. */
enum { FIGURE_TEXT = 40 };
const char *figure_text(double value, int decimals, char text[FIGURE_TEXT]);

/* A dash for what is absent. */
#define DASH "\xe2\x80\x93"

#endif
