/*
 * model_cuts.h - `multiway model` of merges and splits.
 */
#ifndef MW_CLI_MODEL_CUTS_H
#define MW_CLI_MODEL_CUTS_H

#include "trials.h"

/*
 * Print the orders of growth of the cuts of a task, in the simulator of `trials`; with
 * `run`, what it counts beside them. EXIT_FINE, EXIT_NO or EXIT_TROUBLE.
 */
int model_cuts(struct trials *trials, const struct kit_task *task, const mw_tuning *tuning,
               int run, int json);

#endif
