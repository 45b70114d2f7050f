/*
 * pem.h - the paper's analysis: sorting in the parallel external memory model.
 *
 * These are orders of growth. The paper gives no constants, so all of them are 1 here,
 * and logarithms are not rounded.
 */
#ifndef MW_CLI_PEM_H
#define MW_CLI_PEM_H

#include <math.h>

/* The paper's letters; sizes are in keys. */
struct pem {
    double n; /* keys to sort */
    double p; /* processors: warps at work */
    double m; /* internal memory: what is sorted without merging */
    double b; /* keys of an I/O */
    double w; /* lanes of a warp */
    double k; /* lists merged at once; 2: pairwise */
};

/* log_base(x), at least 0: there are no negative passes. */
static inline double pem_log(double x, double base)
{
    return x > 1 ? log2(x) / log2(base) : 0;
}

/* I/Os of a processor for merging; none if N is no more than M. */
static inline double pem_merge_ios(const struct pem *pem)
{
    return pem->n / (pem->p * pem->b) * pem_log(pem->n / pem->m, pem->k);
}

/* The same with the first pass and the cuts. */
static inline double pem_all_ios(const struct pem *pem)
{
    const double rounds = pem_log(pem->n / pem->m, pem->k);

    return pem->n / (pem->p * pem->b) * (rounds + 1) + pem->k * pem_log(pem->n, 2) * rounds;
}

/* The lower bound of any sort; M must exceed B. */
static inline double pem_least_ios(const struct pem *pem)
{
    return pem->n / (pem->p * pem->b) * pem_log(pem->n / pem->b, pem->m / pem->b) +
           pem_log(pem->n, 2);
}

/* Steps inside a processor when a lane merges key by key. */
static inline double pem_pairwise_work(const struct pem *pem)
{
    return pem->n / (pem->p * pem->w) * pem_log(pem->n, 2);
}

/* The same when a warp merges blocks by bitonic networks. */
static inline double pem_heap_work(const struct pem *pem)
{
    return pem_pairwise_work(pem) * pem_log(pem->w, 2);
}

/* Keys in a heap of 2 K - 1 blocks. */
static inline double pem_heap_keys(const struct pem *pem)
{
    return pem->b * (2 * pem->k - 1);
}

#endif
