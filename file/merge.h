/*
 * merge.h - sorted runs to one stream, or to fewer and longer runs.
 */
#ifndef MW_FILE_MERGE_H
#define MW_FILE_MERGE_H

#include "errand.h"

/*
 * Merge all runs of a job to its output. If more of them are in files than have buffers in
 * the memory that is left, some are merged to longer runs first.
 */
mw_status merge_runs(struct errand *errand);

#endif
