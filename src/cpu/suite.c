/*
 * suite.c - choose the inner loops for this processor at run time.
 */
#include "cpu/suite.h"

/* What a suite asks of the processor. Zen 4 is the only one before Zen 5 with AVX-512. */
enum needs { NEEDS_NOTHING, NEEDS_AVX2, NEEDS_AVX512, NEEDS_ZEN5 };

extern const struct suite suite_8, suite_16, suite_32, suite_64;
extern const struct suite suite_32_avx2, suite_64_avx2, suite_32_avx512, suite_64_avx512;
extern const struct suite suite_32_avx512_zen5;

/* The better ones of a width come first. */
static const struct {
    const struct suite *suite;
    enum needs needs;
} rows[] = {
#if defined(MW_CPU_AVX512)
    {&suite_64_avx512,      NEEDS_AVX512 },
     {&suite_32_avx512_zen5, NEEDS_ZEN5   },
    {&suite_32_avx512,      NEEDS_AVX512 },
#endif
#if defined(MW_CPU_AVX2)
    {&suite_64_avx2,        NEEDS_AVX2   },
     {&suite_32_avx2,        NEEDS_AVX2   },
#endif
    {&suite_64,             NEEDS_NOTHING},
     {&suite_32,             NEEDS_NOTHING},
    {&suite_16,             NEEDS_NOTHING},
     {&suite_8,              NEEDS_NOTHING},
};

#if defined(MW_CPU_AVX2) || defined(MW_CPU_AVX512)
/* What CMakeLists.txt compiles these suites for; virtual machines may lack some of it. */
static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}
#endif

#if defined(MW_CPU_AVX512)
static int has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw");
}
#endif

static int present(enum needs needs)
{
    switch (needs) {
#if defined(MW_CPU_AVX512)
    case NEEDS_ZEN5:
        return has_avx512() && __builtin_cpu_is("amd") && !__builtin_cpu_is("amdfam19h");
    case NEEDS_AVX512:
        return has_avx512();
#endif
#if defined(MW_CPU_AVX2)
    case NEEDS_AVX2:
        return has_avx2();
#endif
    default:
        return needs == NEEDS_NOTHING;
    }
}

const struct suite *suite_usable(unsigned index)
{
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (present(rows[i].needs) && index-- == 0)
            return rows[i].suite;
    return NULL;
}

const struct suite *suite_for(int bits)
{
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].suite->bits == bits && present(rows[i].needs))
            return rows[i].suite;
    return NULL;
}
