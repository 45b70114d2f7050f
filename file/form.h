/*
 * form.h - read the inputs and make sorted runs of them, in memory or in temporary files.
 */
#ifndef MW_FILE_FORM_H
#define MW_FILE_FORM_H

#include "errand.h"

/*
 * Sort chunks of the input stream. While one is sorted, the next is read and the previous
 * one is moved to where it stays. Runs are left in memory if everything fits, with enough
 * memory after them to merge; otherwise all are in temporary files.
 */
mw_status form_runs(struct errand *errand);

#endif
