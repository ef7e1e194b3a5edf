// Two pieces of one block of the host's memory, one after the other, which kernels see where they are: at any
// address, of any size.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void add_bytes(unsigned char* p, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] += 1;
}
template <class Word>
__global__ void add_words(Word* p, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] += 1;
}
template <class Word>
__global__ void count_in(Word* p, int n) {
    if (n > 0) atomicAdd(p + n - 1, 1);
}

constexpr int kGuard = 64;

template <class Word>
void use_words(
    std::vector<unsigned char>& wanted, unsigned char* host, unsigned char* device, int at, int bytes
) {
    const auto begin = reinterpret_cast<uintptr_t>(host + at);
    const int skip = static_cast<int>((sizeof(Word) - begin % sizeof(Word)) % sizeof(Word));
    const int n = bytes > skip ? (bytes - skip) / static_cast<int>(sizeof(Word)) : 0;
    auto* words = reinterpret_cast<Word*>(device + skip);
    add_words<<<1, 96>>>(words, n);
    count_in<<<3, 64>>>(words, n);
    for (int i = 0; i < n; ++i) {
        Word word;
        memcpy(&word, wanted.data() + at + skip + i * sizeof word, sizeof word);
        word += i == n - 1 ? 1 + 3 * 64 : 1;
        memcpy(wanted.data() + at + skip + i * sizeof word, &word, sizeof word);
    }
}

int main(int count, char** words) {
    if (count < 4) return 2;
    const int offset = atoi(words[1]), sizes[2] = {atoi(words[2]), atoi(words[3])};
    const int all = offset + sizes[0] + sizes[1] + 2 * kGuard;
    auto* block = static_cast<unsigned char*>(malloc(all));
    for (int i = 0; i < all; ++i) block[i] = static_cast<unsigned char>(i * 37);
    std::vector<unsigned char> wanted(block, block + all);
    int at = kGuard + offset;
    for (const int bytes : sizes) {
        void* seen = nullptr;
        if (cudaHostRegister(block + at, bytes, cudaHostRegisterMapped) != cudaSuccess) return 3;
        if (cudaHostGetDevicePointer(&seen, block + at, 0) != cudaSuccess) return 3;
        auto* device = static_cast<unsigned char*>(seen);
        add_bytes<<<3, 64>>>(device, bytes);
        for (int i = at; i < at + bytes; ++i) wanted[i] += 1;
        use_words<unsigned>(wanted, block, device, at, bytes);
        use_words<unsigned long long>(wanted, block, device, at, bytes);
        at += bytes;
    }
    if (cudaDeviceSynchronize() != cudaSuccess) return 4;
    int wrong = 0;
    for (int i = 0; i < all; ++i) wrong += block[i] != wanted[i];
    printf("%d of %d bytes are wrong\n", wrong, all);
    free(block);
    return wrong != 0;
}
