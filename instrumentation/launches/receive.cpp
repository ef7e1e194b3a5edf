// Messages in the order in which the recorder sends them.
#include "instrumentation/launches/receive.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/ptx_file.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

namespace wl::launches {
namespace {

namespace fs = std::filesystem;
using recorder::Tag;
using recorder::Unpacker;

bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

Dim3 take_extent(Unpacker& words) {
    Dim3 out;
    out.x = static_cast<uint32_t>(words.number()), out.y = static_cast<uint32_t>(words.number()),
    out.z = static_cast<uint32_t>(words.number());
    return out;
}

void take_begin(Receiving& r, Unpacker words) {
    RecordedLaunch& l = r.launch;
    l.entry = words.text(), l.device = words.text(), r.triton_cache = words.text();
    l.number = words.number(), l.of_entry = words.number();
    l.grid = take_extent(words), l.block = take_extent(words);
    const Dim3 cluster = take_extent(words);
    l.dynamic_shared = static_cast<uint32_t>(words.number()), l.stack = static_cast<uint32_t>(words.number());
    l.cooperative = words.number() != 0;
    if (count(cluster) > 1)
        l.notes.push_back(
            fmt::format("launched in clusters of {} x {} x {} blocks", cluster.x, cluster.y, cluster.z)
        );
    r.begun = true;
}

void take_memory(RecordedLaunch& l, Unpacker words) {
    Memory& m = l.memory.emplace_back();
    m.is_variable = words.number() != 0, m.base = words.number(), m.name = words.text();
    m.before = words.rest();
}

void take_after(RecordedLaunch& l, Unpacker words) {
    const uint64_t place = words.number(), changed = words.number();
    if (place >= l.memory.size()) return;
    Memory& m = l.memory[place];
    m.after = changed != 0 ? After::changed : After::unchanged;
    m.left = words.rest();
}

// The module's own PTX, else what the program made of this kernel, else what Triton kept.
recorder::Packet take_image(Receiving& r, const std::vector<std::byte>& bytes) {
    const std::string_view image(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    RecordedLaunch& l = r.launch;
    std::vector<std::string> machine_code;
    l.ptx = compile::newest_ptx(image, machine_code);
    if (l.ptx.empty()) l.ptx = r.text;
    if (l.ptx.empty()) l.ptx = triton_text(r.triton_cache, image);
    if (l.ptx.empty())
        l.image = bytes.empty()    ? "a module that was loaded before it could be seen"
            : machine_code.empty() ? "a cubin"
                                   : "machine code for " + join(machine_code, ", ");
    const std::vector<std::string> names = variables_of(l.ptx);
    recorder::Packet answer;
    answer.number(names.size());
    for (const std::string& name : names) answer.text(name);
    return answer;
}

}  // namespace

std::optional<recorder::Packet> take(Receiving& r, const recorder::Message& message) {
    Unpacker words{message.bytes};
    RecordedLaunch& l = r.launch;
    switch (message.tag) {
        case Tag::begin: take_begin(r, words); return recorder::Packet{}.number(1);
        case Tag::text: r.text = words.text(); break;
        case Tag::image: return take_image(r, message.bytes);
        case Tag::params: l.params = message.bytes; break;
        case Tag::memory: take_memory(l, words); break;
        case Tag::after: take_after(l, words); break;
        case Tag::fault: (l.memory.empty() && l.params.empty() ? r.problem : l.fault) = words.text(); break;
        case Tag::note: l.notes.push_back(words.text()); break;
        case Tag::end: r.ended = true; break;
        default: break;
    }
    return std::nullopt;
}

void complete(Receiving& r) {
    RecordedLaunch& l = r.launch;
    if (!r.ended && l.fault.empty()) l.fault = "the program ended during the launch";
    if (l.ptx.empty())
        l.notes.push_back(fmt::format(
            "the module was {} without PTX: build it with -gencode arch=compute_90,code=compute_90 (nvcc), "
            "or "
            "clear the program's cache of compiled kernels and record again",
            l.image
        ));
}

std::vector<std::string> variables_of(std::string_view ptx) {
    std::vector<std::string> out;
    int depth = 0;
    for (size_t begin = 0; begin < ptx.size();) {
        const size_t end = std::min(ptx.find('\n', begin), ptx.size());
        std::string_view line = ptx.substr(begin, end - begin);
        begin = end + 1;
        const bool outside = depth == 0;
        for (const char c : line) depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        line = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
        const bool declares = line.starts_with('.') &&
            (line.find(".global ") != line.npos || line.find(".const ") != line.npos);
        if (!outside || !declares || line.starts_with(".extern")) continue;
        size_t stop = std::min(line.find_first_of("[=;"), line.size());
        while (stop > 0 && !is_name(line[stop - 1])) --stop;
        size_t name = stop;
        while (name > 0 && is_name(line[name - 1])) --name;
        const std::string_view found = line.substr(name, stop - name);
        if (!found.empty() && line.find("ref ") == line.npos) out.emplace_back(found);
    }
    return out;
}

std::string triton_text(const std::string& cache, std::string_view cubin) {
    const char* home = std::getenv("HOME");
    const fs::path folder =
        !cache.empty() ? fs::path(cache) : fs::path(home == nullptr ? "" : home) / ".triton" / "cache";
    std::error_code problem;
    for (fs::recursive_directory_iterator at(folder, problem), end; !problem && at != end;
         at.increment(problem)) {
        std::error_code none;
        if (at->path().extension() != ".cubin" || at->file_size(none) != cubin.size()) continue;
        const fs::path text = fs::path(at->path()).replace_extension(".ptx");
        if (!fs::exists(text, none)) continue;
        try {
            if (read_text_file(at->path().string()) == cubin) return read_text_file(text.string());
        } catch (const Error&) { continue; }  // a file that another process is replacing
    }
    return {};
}

}  // namespace wl::launches
