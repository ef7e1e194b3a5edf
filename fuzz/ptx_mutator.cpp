// libFuzzer's mutations: half of them ours, by the shape of PTX; the other half its own, on bytes.
#include "fuzz/ptx_mutations.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

size_t give(const std::string& text, uint8_t* out, size_t max_size) {
    const size_t size = std::min(text.size(), max_size);
    std::copy_n(text.begin(), size, out);
    return size;
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
    if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
    return give(wl::fuzz::mutated_ptx(seed, std::string(data, data + size)), data, max_size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(
    const uint8_t* a,
    size_t a_size,
    const uint8_t* b,
    size_t b_size,
    uint8_t* out,
    size_t max_size,
    unsigned seed
) {
    return give(
        wl::fuzz::crossed_ptx(seed, std::string(a, a + a_size), std::string(b, b + b_size)), out, max_size
    );
}
