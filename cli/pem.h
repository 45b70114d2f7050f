/*
 * pem.h - the paper's analysis: sorting in the parallel external memory model.
 *
 * These are orders of growth. The paper gives no constants, so all of them are 1 here,
 * and logarithms are not rounded.
 */
#ifndef MW_CLI_PEM_H
#define MW_CLI_PEM_H

/* The paper's letters; sizes are in keys. */
struct pem {
    double n; /* keys to sort */
    double p; /* processors: warps at work */
    double m; /* internal memory: what is sorted without merging */
    double b; /* keys of an I/O */
    double w; /* lanes of a warp */
    double k; /* lists merged at once; 2: pairwise */
};

/* I/Os of a processor for merging: N/(P B) log_K(N/M); 0 if N is no more than M. */
double pem_merge_ios(const struct pem *pem);

/* With the first pass and the cuts: N/(P B) (log_K(N/M) + 1) + K log2 N log_K(N/M). */
double pem_all_ios(const struct pem *pem);

/* The lower bound of any sort: N/(P B) log_(M/B)(N/B) + log2 N; M must exceed B. */
double pem_least_ios(const struct pem *pem);

/* Steps inside a processor when a lane merges key by key: N/(P W) log2 N. */
double pem_pairwise_work(const struct pem *pem);

/* The same when a warp merges blocks by bitonic networks: times log2 W. */
double pem_heap_work(const struct pem *pem);

/* Keys in a heap of 2 K - 1 blocks: B (2 K - 1). */
double pem_heap_keys(const struct pem *pem);

#endif
