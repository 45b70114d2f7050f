/*
 * budget.h - the default memory limit of a job on files.
 */
#ifndef MW_FILE_BUDGET_H
#define MW_FILE_BUDGET_H

#include <stdint.h>

/* Half of what is available: to the machine, to the control group, to the process. */
uint64_t budget_default(void);

/* Processors that this process may run on, at least 1. */
uint32_t budget_processors(void);

#endif
