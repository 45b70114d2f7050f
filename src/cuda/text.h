/*
 * text.h - the translation unit of an order by an expression: the user's texts, then our
 * kernels.
 */
#ifndef MW_CUDA_TEXT_H
#define MW_CUDA_TEXT_H

#include "kernels/programs.h"

/*
 * One kernel of a program of kind PROGRAM_LESS, as a text to be freed; NULL: no memory.
 * It includes program.cu. Lines of the user's texts keep their numbers, as those of files
 * named "declarations" and "less".
 */
char *text_unit(const struct program_name *program, const char *kernel, const char *args);

#endif
