// A program in the memory of a launch: module variables allocated, addresses known.
#include "instrumentation/emulator/program/load.h"

#include "instrumentation/emulator/memory/heap.h"
#include "instrumentation/execution/constants.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace wl::emulator {
namespace {

void store_addresses(
    std::span<std::byte> bytes, const std::vector<StoredAddress>& stored, const std::vector<uint64_t>& globals
) {
    for (const StoredAddress& s : stored) {
        if (s.offset > bytes.size() || s.width > bytes.size() - s.offset) continue;
        const uint64_t base = s.global < 0 ? 0 : globals[static_cast<size_t>(s.global)];
        const uint64_t value = (base + s.value) >> s.shift;
        std::memcpy(bytes.data() + s.offset, &value, s.width);
    }
}

std::vector<std::byte> initial_bytes(const GlobalVariable& variable) {
    std::vector<std::byte> bytes(variable.bytes);
    for (const auto& init : variable.init)
        if (init.offset + init.bytes.size() <= bytes.size())
            std::copy(
                init.bytes.begin(), init.bytes.end(), bytes.begin() + static_cast<std::ptrdiff_t>(init.offset)
            );
    return bytes;
}

// An opaque variable holds the handle of the texture of its name; 0: there is none.
uint64_t place_opaque(GlobalMemory& memory, const GlobalVariable& variable) {
    uint64_t handle = 0;
    for (size_t k = 0; k < memory.textures.size(); ++k)
        if (memory.textures[k].name == variable.name) handle = kTextureBase | (k + 1);
    std::vector<std::byte> bytes(sizeof(handle));
    std::memcpy(bytes.data(), &handle, sizeof(handle));
    return allocate(memory, "handle of " + variable.name, std::move(bytes));
}

std::vector<uint64_t> place_globals(const Program& program, GlobalMemory& memory) {
    std::vector<uint64_t> addresses;
    std::vector<size_t> made;
    for (const GlobalVariable& v : program.globals) {
        if (v.opaque) {
            addresses.push_back(place_opaque(memory, v));
            continue;
        }
        const auto known =
            std::find_if(memory.allocations.begin(), memory.allocations.end(), [&](const Allocation& a) {
                return a.name == v.name;
            });
        if (known == memory.allocations.end()) made.push_back(addresses.size());
        addresses.push_back(
            known != memory.allocations.end() ? known->base : allocate(memory, v.name, initial_bytes(v))
        );
    }
    for (const size_t k : made)
        if (Allocation* holder = find(memory, addresses[k], program.globals[k].bytes))
            store_addresses(holder->bytes, program.globals[k].addresses, addresses);
    return addresses;
}

std::vector<std::byte> image_of(const RegisterFile& file, const std::vector<uint64_t>& globals) {
    std::vector<std::byte> image = file.image;
    for (const AddressSlot& s : file.addresses) {
        const uint64_t value = globals[static_cast<size_t>(s.variable)] + static_cast<uint64_t>(s.addend);
        const size_t bytes = s.wide ? 8 : 4;
        for (size_t lane = 0; lane < kLanes; ++lane)
            std::memcpy(image.data() + (s.slot - file.constants) + lane * bytes, &value, bytes);
    }
    return image;
}

// What a program copied into its constant variables since.
void take_constants(const Program& program, const GlobalMemory& memory, std::vector<std::byte>& bank) {
    for (const Symbol& s : program.symbols) {
        if (s.space != ptx::Space::constant || s.function >= 0) continue;
        const Allocation* set = execution::find_named(memory, execution::name_of_constant(s.name));
        if (set == nullptr || s.offset > bank.size()) continue;
        std::copy_n(
            set->bytes.begin(),
            std::min(set->bytes.size(), bank.size() - s.offset),
            bank.begin() + static_cast<std::ptrdiff_t>(s.offset)
        );
    }
}

}  // namespace

Loaded load(const Program& program, GlobalMemory& memory) {
    const bool uses_heap = std::any_of(program.functions.begin(), program.functions.end(), [](const auto& f) {
        return !f.is_defined && (f.name == "malloc" || f.name == "free");
    });
    if (uses_heap) make_heap(memory);
    const std::vector<uint64_t> globals = place_globals(program, memory);
    Loaded loaded;
    for (const FunctionCode& f : program.functions) loaded.images.push_back(image_of(f.file, globals));
    loaded.constant_bank = program.constant_bank;
    store_addresses(loaded.constant_bank, program.constant_addresses, globals);
    take_constants(program, memory, loaded.constant_bank);
    loaded.globals = globals;
    return loaded;
}

std::vector<Allocation*> allocations_meant(
    const Program& program, const Loaded& loaded, const std::vector<std::byte>& params, GlobalMemory& memory
) {
    std::vector<Allocation*> out(program.listing.sites.size(), nullptr);
    for (const PointerSite& p : program.pointers) {
        const auto from = static_cast<size_t>(p.from);
        uint64_t address = 0;
        if (!p.parameter)
            address = loaded.globals[from];
        else if (from + sizeof(address) <= params.size())
            std::memcpy(&address, params.data() + from, sizeof(address));
        out[p.site] = find(memory, address, 1);
    }
    return out;
}

uint64_t place_workspace(GlobalMemory& memory) {
    // Its size, then the barrier (driver_abi.h of cooperative groups).
    const uint32_t words[2] = {sizeof(words), 0};
    const auto bytes = std::as_bytes(std::span(words));
    const std::string name = "workspace of the cooperative launch";
    for (Allocation& a : memory.allocations) {
        if (a.name != name) continue;
        a.bytes.assign(bytes.begin(), bytes.end());
        return a.base;
    }
    return allocate(memory, name, {bytes.begin(), bytes.end()});
}

}  // namespace wl::emulator
