// What a launch reached, page by page. A write leaves a page's readers in their place, though it may clear
// single ones: pages of both are taken for bytes of both.
#include "instrumentation/emulator/global/global_shadow.h"
#include "instrumentation/emulator/program/program.h"

#include <algorithm>

namespace wl::emulator {
namespace {

// No hook tells of reads of textures: all of them count.
void add_textures(const GlobalMemory& memory, execution::Reached& out) {
    for (const execution::Texture& texture : memory.textures)
        for (const Allocation& a : memory.allocations) {
            if (texture.data - a.base >= a.bytes.size()) continue;
            out.read.push_back(a.base);
            if (std::find(out.written.begin(), out.written.end(), a.base) != out.written.end())
                out.repeatable = false;
        }
}

}  // namespace

std::optional<execution::Reached> reached(const GlobalShadow& shadow, const Program& program) {
    const GlobalMemory& memory = *shadow.memory;
    const bool seen = !shadow.full && !shadow.raced && memory.heap == nullptr &&
        program.uncounted_sites.empty() && shadow.regions.size() == memory.allocations.size();
    if (!seen) return std::nullopt;
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
    return out;
}

}  // namespace wl::emulator
