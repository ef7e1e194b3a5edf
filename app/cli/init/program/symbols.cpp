// Variables of the module: those that the program has filled are filled in the manifest.
#include "app/cli/init/program/memory.h"
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/error.h"
#include "instrumentation/execution/reach.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace wl::app {
namespace {

using manifest::Argument;

DType element_of(const ptx::Variable& v) {
    switch (v.type) {
        case ptx::Type::f32: return DType::f32;
        case ptx::Type::f64: return DType::f64;
        case ptx::Type::u16: return DType::u16;
        case ptx::Type::u32: return DType::u32;
        case ptx::Type::s32: return DType::s32;
        case ptx::Type::u64: return DType::u64;
        default: return DType::u8;
    }
}

// As the source initialises it; nothing: with addresses, which only the executor knows.
std::optional<std::vector<std::byte>> initial_bytes(const ptx::Variable& v) {
    std::vector<std::byte> out(v.bytes);
    for (const ptx::Initialiser& init : v.init) {
        if (init.address_of >= 0 || init.offset + init.bytes.size() > out.size()) return std::nullopt;
        std::copy(init.bytes.begin(), init.bytes.end(), out.begin() + init.offset);
    }
    return out;
}

bool holds_addresses(const Memories& m, const std::vector<std::byte>& bytes) {
    for (size_t at = 0; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        if (word != 0 && target_of(m, word, false)) return true;
    }
    return false;
}

void add_symbol(Memories& m, const ptx::Variable& v, const launches::Memory& held) {
    const std::string shown = demangle(v.name);
    const bool known = m.left.contains(held.base);
    const std::vector<std::byte> before = known ? m.left.at(held.base) : std::vector<std::byte>();
    m.left[held.base] = launches::left_in(held);
    if (held.after == launches::After::changed)
        m.out.notes.push_back(
            "the launch writes to the variable " + shown + ", which is no output: nothing of it is compared"
        );
    if (known && before != held.before)
        throw Unsupported(fmt::format(
            "{}, launch {}: between this launch and the one before the program changed the variable {}: a "
            "sequence "
            "of launches has no place for that; describe the launches one by one",
            m.kernel,
            m.seen->launch.number,
            shown
        ));
    const auto initial = initial_bytes(v);
    if (known || !initial || *initial == held.before) return;
    if (holds_addresses(m, held.before))
        throw Unsupported(fmt::format(
            "{}, launch {}: the variable {} holds addresses of the program's memory: a manifest has no word "
            "for it",
            m.kernel,
            m.seen->launch.number,
            shown
        ));
    Argument a;
    a.name = shown, a.dtype = element_of(v);
    if (held.before.size() % size_of(a.dtype) != 0) a.dtype = DType::u8;
    const auto elements = static_cast<int64_t>(held.before.size() / size_of(a.dtype));
    a.shape = {fmt::format("{}", elements)};
    const std::string file = fresh_name(m, shown);
    const bool zero =
        std::all_of(held.before.begin(), held.before.end(), [](std::byte b) { return b == std::byte{0}; });
    a.fill = zero ? "zeros" : fmt::format("{}.{}.npy", m.stem, file);
    if (!zero) m.out.files[file] = {file, a.dtype, {elements}, held.before};
    m.out.kernel.symbols.push_back(std::move(a));
}

}  // namespace

void add_symbols(Memories& m, const ptx::Module& module) {
    const ptx::Function& entry = ptx::entry_of(module, m.seen->launch.entry);
    const auto function = static_cast<int>(&entry - module.functions.data());
    const std::vector<int> reached = execution::reachable_functions(module, function);
    for (const int index : execution::reachable_variables(module, reached)) {
        const ptx::Variable& v = module.variables[static_cast<size_t>(index)];
        const bool stored = v.space == ptx::Space::constant || v.space == ptx::Space::global;
        if (!stored || v.bytes == 0 || v.is_extern) continue;
        for (const launches::Memory& held : m.seen->launch.memory)
            if (held.is_variable && held.name == v.name && held.before.size() == v.bytes)
                add_symbol(m, v, held);
    }
}

}  // namespace wl::app
