#include "instrumentation/runtime/order_words.h"

#include "instrumentation/base/counted.h"
#include "instrumentation/base/toolkit_header.h"
#include "instrumentation/runtime/machine.h"
#include "instrumentation/runtime/place.h"

#include <charconv>
#include <fmt/format.h>

namespace wl::runtime {

using order::Touch;

capture::Where where_of_call(const std::string& place) {
    capture::Where out;
    const size_t colon = place.rfind(':');
    if (colon == place.npos) return out;
    const char *first = place.data() + colon + 1, *last = place.data() + place.size();
    const auto read = std::from_chars(first, last, out.line);
    if (read.ptr != last || first == last) out.line = 0;
    if (out.line > 0) out.file = place.substr(0, colon);
    return out;
}

// Calls that CUDA's header makes for the program are the program's.
const std::string& place_of(Label& label) {
    if (label.place) return *label.place;
    label.place = place_of(label.caller);
    for (const void* outer : label.outer) {
        if (outer == nullptr || !label.place->starts_with("cuda_runtime.h:")) break;
        if (std::string place = place_of(outer); place.find(':') != place.npos)
            label.place = std::move(place);
    }
    return *label.place;
}

namespace {

// The author's line of an instruction, which may be inlined from the toolkit's headers there.
capture::Where where_of_site(const Kernel& kernel, uint32_t site) {
    capture::Where out;
    const auto ready = kernel.module->ready.find(kernel.entry);
    if (ready == kernel.module->ready.end() || site >= ready->second.listing->sites.size()) return out;
    const auto& sites = ready->second.listing->sites;
    for (int at = static_cast<int>(site); at >= 0; at = sites[static_cast<size_t>(at)].inlined_at) {
        const capture::Site& s = sites[static_cast<size_t>(at)];
        if (s.source < 0 || s.line == 0) break;
        out.file = kernel.module->parsed->files.at(static_cast<size_t>(s.source)), out.line = s.line;
        if (!is_toolkit_header(out.file)) break;
    }
    return out;
}

std::string verb_of(const Label& label, const Touch& touch) {
    if (label.kernel == nullptr && label.name.find("Free") != label.name.npos) return "frees";
    if (label.kernel == nullptr && label.name.find("Malloc") != label.name.npos) return "allocates";
    return touch.write ? "writes" : "reads";
}

}  // namespace

Side side_of(Machine& m, const order::Operation& operation, const Touch& touch) {
    Label& label = m.ordering.labels[operation.label];
    Side out{operation, touch, label, {}, place_of(label), "", verb_of(label, touch)};
    if (label.kernel != nullptr) {
        out.name = fmt::format("launch {}, {}", operation.launch, label.kernel->shown);
        out.where = where_of_site(*label.kernel, touch.site);
    } else {
        out.name = *label.name.c_str() == 0 ? "work of the host" : label.name + "()";
        out.where = where_of_call(out.issued);
    }
    return out;
}

std::string at(const std::string& place) { return place.empty() ? "" : " at " + place; }

std::string line_of(const Side& s) {
    if (s.where.line > 0) return fmt::format("{}:{}", s.where.file, s.where.line);
    return s.issued.empty() ? s.name : s.issued;
}

std::string memory_of(const Machine& m, uint64_t begin, uint64_t bytes) {
    const Region* region = region_of(m.memory, begin);
    if (region == nullptr) return fmt::format("the bytes from address {:#x} on", begin);
    return fmt::format(
        "{} from byte {} of {} on", counted(bytes, "byte"), begin - region->base, region->name
    );
}

std::string told(const Side& s) {
    return fmt::format(
        "{}, issued to {}{}, {}{}",
        s.name,
        s.operation.stream_name,
        at(s.issued),
        s.verb,
        s.label.kernel != nullptr ? at(line_of(s)) : ""
    );
}

std::string as_sentence(std::string text) {
    const bool is_call = text.starts_with("cuda") || text.starts_with("cu");
    if (!text.empty() && !is_call && text[0] >= 'a' && text[0] <= 'z')
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

}  // namespace wl::runtime
