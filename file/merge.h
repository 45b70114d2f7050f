/*
 * merge.h - merge sorted runs into the output, or into fewer and longer runs.
 */
#ifndef MW_FILE_MERGE_H
#define MW_FILE_MERGE_H

#include "errand.h"

/*
 * Merge all runs of a job to its output. If the memory has not enough buffers for all runs
 * that are in files, some are first merged into longer runs.
 */
mw_status merge_runs(struct errand *errand);

#endif
