/*
 * foretold.h - one sort in the simulator, held against the command's forecast of it.
 */
#ifndef MW_TESTS_FORETOLD_H
#define MW_TESTS_FORETOLD_H

#include "../cli/forecast.h"
#include "trial.h"

/*
 * Sort; 1 if the sort was right and every figure of the ledger lies where it should.
 * Notes say what does not. The forecast is left in `*f`, with what was counted.
 */
int foretold(mw_context *context, const struct trial *t, struct forecast *f);

#endif
