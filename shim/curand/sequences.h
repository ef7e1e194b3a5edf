// The published generators XORWOW (Marsaglia 2003), MRG32k3a (L'Ecuyer 1999) and Philox4x32-10 (Salmon et al.
// 2011), each as many sequences side by side, in the order that cuRAND's guide ("Generator Options", Order)
// describes and its generator on the CPU has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace wl::curand {

enum class Kind : int {
    xorwow = 101,
    mrg32k3a = 121,
    philox = 161,
    sobol32 = 201,
    sobol64 = 203
};  // curandRngType_t
constexpr bool is_quasi(Kind kind) { return kind == Kind::sobol32 || kind == Kind::sobol64; }

struct Settings {
    Kind kind = Kind::xorwow;
    uint64_t seed = 0, offset = 0;
    bool legacy = false;      // CURAND_ORDERING_PSEUDO_LEGACY
    uint32_t dimensions = 1;  // of Sobol
};

using Words = std::array<uint32_t, 4>;
Words philox(uint64_t key, uint64_t block, uint64_t sequence);

struct Xorwow {
    std::array<uint32_t, 5> v{};
    uint32_t d = 0;

    uint32_t next();
};

struct Mrg {
    std::array<uint64_t, 3> one{}, two{};

    double next();  // a whole number from 1 to 2^32 - 209
};

// All sequences at an instant. `position`: whose turn it is; of Philox counted in numbers, four a turn; of
// Sobol the next number of each dimension.
struct Sequences {
    Settings settings;
    uint64_t count = 0, position = 0;
    std::vector<Xorwow> xorwow;  // those of settings.kind are filled
    std::vector<Mrg> mrg;
    std::vector<uint64_t> blocks;  // of Philox: blocks of four that a sequence has given

    uint64_t turn() const { return position % count; }
};
Sequences started(const Settings& settings);

}  // namespace wl::curand
