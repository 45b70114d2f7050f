/*
 * pem.c - the paper's formulas.
 */
#include "pem.h"

#include <math.h>

/* log_base(x), at least 0: there are no negative passes. */
static double times(double x, double base)
{
    return x > 1 ? log2(x) / log2(base) : 0;
}

static double scan(const struct pem *pem)
{
    return pem->n / (pem->p * pem->b);
}

double pem_merge_ios(const struct pem *pem)
{
    return scan(pem) * times(pem->n / pem->m, pem->k);
}

double pem_all_ios(const struct pem *pem)
{
    const double rounds = times(pem->n / pem->m, pem->k);

    return scan(pem) * (rounds + 1) + pem->k * times(pem->n, 2) * rounds;
}

double pem_least_ios(const struct pem *pem)
{
    return scan(pem) * times(pem->n / pem->b, pem->m / pem->b) + times(pem->n, 2);
}

double pem_pairwise_work(const struct pem *pem)
{
    return pem->n / (pem->p * pem->w) * times(pem->n, 2);
}

double pem_heap_work(const struct pem *pem)
{
    return pem_pairwise_work(pem) * times(pem->w, 2);
}

double pem_heap_keys(const struct pem *pem)
{
    return pem->b * (2 * pem->k - 1);
}
