// What a launch reached, page by page. A write leaves a page's readers in their place, though it may clear
// single ones: pages of both are taken for bytes of both.
#include "instrumentation/emulator/program.h"
#include "instrumentation/emulator/shadow/global_shadow.h"

#include <algorithm>

namespace wl::emulator {
namespace {

// Instructions that no hook tells of, but for those on textures, of which all are then taken to be read.
bool tells_all(const Program& program) { return program.uncounted_sites.empty(); }

void add_textures(const GlobalMemory& memory, execution::Reached& out) {
    for (const execution::Texture& texture : memory.textures)
        for (const Allocation& a : memory.allocations)
            if (texture.data - a.base < a.bytes.size()) out.read.push_back(a.base);
}

}  // namespace

std::optional<execution::Reached> reached(const GlobalShadow& shadow, const Program& program) {
    const GlobalMemory& memory = *shadow.memory;
    if (shadow.full || shadow.raced || memory.heap != nullptr || !tells_all(program)) return std::nullopt;
    if (shadow.regions.size() != memory.allocations.size()) return std::nullopt;
    execution::Reached out;
    out.repeatable = !shadow.updated;
    for (size_t k = 0; k < shadow.regions.size(); ++k) {
        bool read = false, written = false;
        for (const std::atomic<GlobalPage*>& place : shadow.regions[k].pages) {
            const GlobalPage* page = place.load(std::memory_order_acquire);
            if (page == nullptr) continue;
            const bool reads = !page->reader.empty(), writes = !page->writer.empty();
            read |= reads, written |= writes;
            if (reads && writes) out.repeatable = false;
        }
        if (read) out.read.push_back(memory.allocations[k].base);
        if (written) out.written.push_back(memory.allocations[k].base);
    }
    if (!program.texture_forms.empty()) add_textures(memory, out);
    out.repeatable &= std::none_of(out.written.begin(), out.written.end(), [&](uint64_t base) {
        return !program.texture_forms.empty() &&
            std::find(out.read.begin(), out.read.end(), base) != out.read.end();
    });
    return out;
}

}  // namespace wl::emulator
