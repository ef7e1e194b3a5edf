// What a warp holds at an instant as one number, to tell whether it is the same again.
#pragma once

#include "instrumentation/travel/instant.h"

namespace wl::travel {

// FNV-1a over every register of the running function in all lanes.
inline uint64_t hash_of_registers(const Route& route) {
    const emulator::Activation a = emulator::activations(*route.traveller).front();
    const auto function = static_cast<size_t>(route.functions[static_cast<size_t>(a.function)]);
    const ptx::Function& f = route.module->functions[function];
    uint64_t h = 14695981039346656037u;
    for (size_t r = 0; r < f.registers.size(); ++r)
        for (const uint64_t bits : emulator::register_bits(*route.traveller, 0, f, static_cast<int32_t>(r)))
            h = (h ^ bits) * 1099511628211u;
    return h;
}

}  // namespace wl::travel
