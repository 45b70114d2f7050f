/*
 * moderngpu.cu - modernGPU's mergesort as a rival. Compiled only where CMake is
 * told the folder of modernGPU: -DMW_MODERNGPU=FOLDER.
 */
#include "inside.cuh"

#include <cstdio>
#include <moderngpu/kernel_mergesort.hxx>

namespace
{

/* modernGPU allocates what it needs through its context; here, from the workspace. */
class workspace_context : public mgpu::standard_context_t
{
  public:
    workspace_context() : mgpu::standard_context_t(false)
    {
    }

    void use(void *first, uint64_t bytes, cudaStream_t stream)
    {
        pool_ = bump(first, bytes);
        _stream = stream;
    }

    void *alloc(size_t bytes, mgpu::memory_space_t) override
    {
        void *const memory = bytes ? pool_.take(bytes) : nullptr;

        if (bytes && !memory)
            throw mgpu::cuda_exception_t(cudaErrorMemoryAllocation);
        return memory;
    }

    void free(void *memory, mgpu::memory_space_t) override
    {
        if (memory)
            pool_.give(memory);
    }

  private:
    bump pool_ = bump(nullptr, 0);
};

/* Asking the device what it is takes time; once is enough. */
workspace_context &context()
{
    static workspace_context one;

    return one;
}

template <typename T> void run(const rival_case *what, void *keys)
{
    mgpu::mergesort(static_cast<T *>(keys), static_cast<int>(what->count),
                    mgpu::less_t<T>(), context());
}

void dispatch(const rival_case *what, void *keys)
{
    switch (what->type) {
    case MW_I32:
        return run<int32_t>(what, keys);
    case MW_U32:
        return run<uint32_t>(what, keys);
    case MW_I64:
        return run<int64_t>(what, keys);
    case MW_U64:
        return run<uint64_t>(what, keys);
    case MW_F32:
        return run<float>(what, keys);
    default:
        return run<double>(what, keys);
    }
}

/* The plugin stands without the library. */
uint64_t size_of(mw_type type)
{
    return type == MW_I64 || type == MW_U64 || type == MW_F64 ? 8 : 4;
}

/* Keys of four and eight bytes; counts are ints. */
int takes(const rival_case *what)
{
    const bool is_float = what->type == MW_F32 || what->type == MW_F64;

    return what->type >= MW_I32 && what->count <= INT32_MAX &&
           !(is_float && what->order == ORDER_TOTAL);
}

/* A second array, and a partition for each tile of a thousand keys or more. */
int workspace(const rival_case *what, uint64_t *bytes)
{
    *bytes = what->count * size_of(what->type) + what->count / 64 + (1 << 20);
    return 0;
}

int sort(const rival_case *what, void *keys, void *space, uint64_t bytes, void *stream,
         void **sorted)
{
    *sorted = keys;
    try {
        context().use(space, bytes, static_cast<cudaStream_t>(stream));
        dispatch(what, keys);
    } catch (const mgpu::cuda_exception_t &error) {
        return rival_fail("mgpu::mergesort", error.what());
    }
    return rival_check(cudaGetLastError(), "mgpu::mergesort");
}

} // namespace

const rival rival_moderngpu = {
    "moderngpu", "mgpu::mergesort, mgpu::less_t, its allocations handed out of a workspace",
    takes,       workspace,
    sort,
};
