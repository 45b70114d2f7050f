/*
 * memory.cuh - device memory with a guard after its end, for programs that verify.
 */
#ifndef MW_BENCH_RIVALS_MEMORY_CUH
#define MW_BENCH_RIVALS_MEMORY_CUH

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

/* Throw if a call failed. */
inline void need(cudaError_t code, const char *what)
{
    if (code != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code));
}

/* Device memory that is followed by bytes nobody may change. */
class memory
{
  public:
    memory() = default;
    memory(const memory &) = delete;

    ~memory()
    {
        cudaFree(first_);
    }

    void allocate(uint64_t bytes)
    {
        need(cudaMalloc(&first_, bytes + GUARD_BYTES), "device memory");
        need(cudaMemset(static_cast<char *>(first_) + bytes, GUARD, GUARD_BYTES),
             "device memory");
        bytes_ = bytes;
    }

    void *at() const
    {
        return first_;
    }

    uint64_t bytes() const
    {
        return bytes_;
    }

    bool intact() const
    {
        unsigned char guard[GUARD_BYTES];

        if (!first_)
            return true;
        need(cudaMemcpy(guard, static_cast<char *>(first_) + bytes_, GUARD_BYTES,
                        cudaMemcpyDeviceToHost),
             "reading a guard");
        return std::all_of(guard, guard + GUARD_BYTES,
                           [](unsigned char byte) { return byte == GUARD; });
    }

  private:
    enum { GUARD_BYTES = 4096, GUARD = 0xa5 };

    void *first_ = nullptr;
    uint64_t bytes_ = 0;
};

#endif
