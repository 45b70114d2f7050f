/*
 * plan_samples.h - machines and wishes that plans are made for.
 */
#ifndef MW_TESTS_PLAN_SAMPLES_H
#define MW_TESTS_PLAN_SAMPLES_H

#include "plan.h"
#include "tap.h"

#define MACHINE(arch, count, block, processor)                                       \
    {                                                                                \
        .size = sizeof(mw_info), .processors = count, .architecture = arch,          \
        .shared_per_block = (block) << 10, .shared_per_processor = (processor) << 10 \
    }

enum { H200, SIM, A100, SM_86, SM_75, SM_60, LITTLE };

static const mw_info machines[] = {
    [H200] = MACHINE(90, 132, 227, 228), [SIM] = MACHINE(90, 4, 227, 228),
    [A100] = MACHINE(80, 108, 163, 164), [SM_86] = MACHINE(86, 84, 99, 100),
    [SM_75] = MACHINE(75, 40, 64, 64),   [SM_60] = MACHINE(60, 40, 48, 64),
    [LITTLE] = MACHINE(90, 132, 24, 64), /* less shared memory than its rows expect */
    MACHINE(120, 170, 99, 100),          MACHINE(103, 160, 227, 228),
};

/* Wishes that some machine and size follow. */
/* clang-format off */
static const mw_tuning wishes[] = { /* size, engine, ways, warps, threads, items, base */
    {0, MW_ENGINE_AUTO, 0,  0,          0,   0,  0    },
    {0, MW_ENGINE_AUTO, 4,  0,          0,   0,  0    },
    {0, MW_ENGINE_AUTO, 0,  0,          0,   8,  0    },
    {0, MW_ENGINE_AUTO, 0,  0,          0,   32, 0    },
    {0, MW_ENGINE_AUTO, 8,  1,          32,  0,  0    },
    {0, MW_ENGINE_TILE, 0,  0,          0,   0,  0    },
    {0, MW_ENGINE_TILE, 2,  5,          0,   0,  0    },
    {0, MW_ENGINE_TILE, 32, 0,          64,  0,  0    },
    {0, MW_ENGINE_TILE, 32, 0,          512, 8,  0    },
    {0, MW_ENGINE_TILE, 16, 0,          0,   16, 0    },
    {0, MW_ENGINE_TILE, 0,  0,          0,   0,  8192 },
    {0, MW_ENGINE_TILE, 0,  0,          128, 32, 4096 },
    {0, MW_ENGINE_HEAP, 0,  0,          0,   0,  0    },
    {0, MW_ENGINE_HEAP, 2,  1,          0,   32, 0    },
    {0, MW_ENGINE_HEAP, 4,  7,          32,  0,  0    },
    {0, MW_ENGINE_HEAP, 32, 100003,     96,  0,  1024 },
    {0, MW_ENGINE_HEAP, 8,  UINT32_MAX, 0,   0,  4096 },
    {0, MW_ENGINE_HEAP, 16, 6336,       128, 0,  16384},
    {0, MW_ENGINE_PAIR, 0,  0,          0,   0,  0    },
    {0, MW_ENGINE_PAIR, 2,  5,          256, 0,  0    },
    {0, MW_ENGINE_TALLY, 0, 0,          0,   0,  0    },
};
/* clang-format on */

#endif
