/*
 * cpu_vector.cpp - vqsort (Highway) and x86-simd-sort, compiled for this processor.
 */
#include "cpu_rivals.h"

#include <hwy/contrib/sort/vqsort.h>
#include <x86simdsort-static-incl.h>

namespace
{

template <typename T> void vqsort(cpu_work *work)
{
    hwy::VQSort(static_cast<T *>(work->keys), work->count, hwy::SortAscending());
}

/* The last of those selected is in its place, and they are sorted then. */
template <typename T> void vqselect(cpu_work *work)
{
    T *const keys = static_cast<T *>(work->keys);

    hwy::VQSelect(keys, work->count, work->selected, hwy::SortAscending());
    hwy::VQSort(keys, work->selected, hwy::SortAscending());
}

template <typename T> void x86_simd_sort(cpu_work *work)
{
    x86simdsortStatic::qsort(static_cast<T *>(work->keys), work->count, false, false);
}

template <typename T> void x86_simd_argsort(cpu_work *work)
{
    x86simdsortStatic::argsort(static_cast<T *>(work->keys),
                               static_cast<size_t *>(work->out), work->count, false, false);
}

const cpu_rival list[] = {
    {"vqsort",        "keys-u32",    vqsort<uint32_t>          },
    {"vqsort",        "keys-u64",    vqsort<uint64_t>          },
    {"vqsort",        "keys-f32",    vqsort<float>             },
    {"vqsort",        "keys-f64",    vqsort<double>            },
    {"vqsort",        "pairs-4",     vqsort<hwy::K32V32>       },
    {"vqsort",        "pairs-8",     vqsort<hwy::K64V64>       },
    {"vqselect",      "top-u32",     vqselect<uint32_t>        },
    {"x86-simd-sort", "keys-u32",    x86_simd_sort<uint32_t>   },
    {"x86-simd-sort", "keys-u64",    x86_simd_sort<uint64_t>   },
    {"x86-simd-sort", "keys-f32",    x86_simd_sort<float>      },
    {"x86-simd-sort", "keys-f64",    x86_simd_sort<double>     },
    {"x86-simd-sort", "argsort-u32", x86_simd_argsort<uint32_t>},
    {"x86-simd-sort", "argsort-u64", x86_simd_argsort<uint64_t>},
};

} // namespace

extern "C" __attribute__((visibility("default"))) const cpu_rival *cpu_rivals(size_t *count)
{
    *count = sizeof list / sizeof *list;
    return list;
}
