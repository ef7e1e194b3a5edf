// What a manifest needs to know and a launch file does not say: which bytes nobody had written, what the
// launch touched without changing it, and memory that its pointers may dangle into.
#include "instrumentation/runtime/describe.h"

#include "instrumentation/base/os/atomic_file.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/runtime/machine.h"
#include "instrumentation/runtime/record.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace wl::runtime {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::array<const char*, 6> kKinds{"device", "managed", "pinned", "registered", "variable", "array"};
constexpr const char* kSuffix = ".description.json";

std::string key_of(const Kernel& kernel) {
    return fmt::format("described {} {}", static_cast<const void*>(kernel.module), kernel.entry);
}

std::vector<std::pair<uint64_t, uint64_t>> unwritten_of(const execution::Allocation& a) {
    constexpr size_t kMost = 64;
    std::vector<std::pair<uint64_t, uint64_t>> out;
    const auto begin = a.written.begin(), end = a.written.end();
    for (auto at = std::find(begin, end, 0); at != end && out.size() < kMost; at = std::find(at, end, 0)) {
        const auto last = std::find_if(at, end, [](uint8_t flag) { return flag != 0; });
        out.emplace_back(at - begin, last - begin);
        at = last;
    }
    return out;
}

bool contains(const std::vector<uint64_t>& bases, uint64_t base) {
    return std::find(bases.begin(), bases.end(), base) != bases.end();
}

// Bytes or flags of an allocation differ from what they were.
bool is_touched(const execution::Allocation& before, const execution::Allocation& after) {
    return after.bytes != before.bytes || (after.written != before.written && !before.written.empty());
}

const execution::Allocation* allocation_at(const execution::GlobalMemory& memory, uint64_t base) {
    for (const execution::Allocation& a : memory.allocations)
        if (a.base == base) return &a;
    return nullptr;
}

json json_of(const DescribedMemory& m) {
    return {
        {"base",      m.base          },
        {"bytes",     m.bytes         },
        {"name",      m.name          },
        {"kind",      m.kind          },
        {"wrote",     m.wrote         },
        {"read",      m.read          },
        {"unwritten", m.unwritten     },
        {"left",      m.left_unwritten},
        {"freed",     m.freed         }
    };
}

DescribedMemory memory_of(const json& j) {
    DescribedMemory m;
    m.base = j.at("base"), m.bytes = j.at("bytes"), m.name = j.at("name"), m.kind = j.at("kind");
    m.wrote = j.at("wrote"), m.read = j.at("read"), m.freed = j.at("freed"), m.left_unwritten = j.at("left");
    m.unwritten = j.at("unwritten").get<std::vector<std::pair<uint64_t, uint64_t>>>();
    return m;
}

std::vector<DescribedMemory> memory_of(
    const Machine& m, const execution::GlobalMemory& before, const execution::RunResult& result
) {
    std::vector<DescribedMemory> out;
    for (const execution::Allocation& a : before.allocations) {
        DescribedMemory d{
            a.base, a.bytes.size(), a.name, "variable", false, false, unwritten_of(a), 0, false};
        const execution::Allocation* after = allocation_at(m.memory.global, a.base);
        if (after != nullptr)
            d.left_unwritten =
                static_cast<uint64_t>(std::count(after->written.begin(), after->written.end(), 0));
        if (const auto region = m.memory.regions.find(a.base); region != m.memory.regions.end())
            d.kind = kKinds[static_cast<size_t>(region->second.kind)], d.name = region->second.name;
        d.wrote = (after != nullptr && is_touched(a, *after)) ||
            (result.reached && contains(result.reached->written, a.base));
        d.read = !result.reached || contains(result.reached->read, a.base);
        out.push_back(std::move(d));
    }
    for (const FreedRegion& f : m.memory.freed) {
        DescribedMemory& d = out.emplace_back();
        d.base = f.base, d.bytes = f.bytes, d.name = f.name, d.freed = true;
    }
    return out;
}

// "3", "2-5"; nothing: a kernel's name.
std::optional<std::pair<int, int>> numbers_of(const std::string& text) {
    const char *end = text.data() + text.size(), *at = text.data();
    std::pair<int, int> out;
    auto [stop, fault] = std::from_chars(at, end, out.first);
    if (fault != std::errc()) return std::nullopt;
    out.second = out.first;
    if (stop == end) return out;
    if (*stop != '-') return std::nullopt;
    const auto [last, second] = std::from_chars(stop + 1, end, out.second);
    return second == std::errc() && last == end ? std::optional(out) : std::nullopt;
}

}  // namespace

bool is_described(const Machine& m, const Kernel& kernel, int number) {
    const Settings& s = m.settings;
    if (s.record != kDescribe) return false;
    const bool seen = m.explained.contains(key_of(kernel));
    if (s.launch == kEveryLaunch) return number <= kMostDescribed;
    if (s.launch.empty()) return !seen;
    if (const auto range = numbers_of(s.launch)) return number >= range->first && number <= range->second;
    const bool named = kernel.shown == s.launch || kernel.shown.substr(0, kernel.shown.find('(')) == s.launch;
    return named && !seen;
}

void describe(Machine& m, const Kernel& kernel, const Asked& asked, const execution::RunResult& result) {
    m.explained.insert(key_of(kernel));
    if (m.settings.folder.empty()) return;
    const std::string name = fmt::format("launch-{}-{}", process_id(), asked.number);
    const fs::path folder = m.settings.folder;
    launches::write_launch(
        record_of(asked, m.memory.global, 0, m.settings.command), (folder / (name + ".wllaunch")).string()
    );
    json memory = json::array();
    for (const DescribedMemory& d : memory_of(m, *asked.before, result)) memory.push_back(json_of(d));
    const json j{
        {"launch_file", name + ".wllaunch"           },
        {"kernel",      kernel.shown                 },
        {"number",      asked.number                 },
        {"followed",    result.reached.has_value()   },
        {"has_heap",    asked.before->heap != nullptr},
        {"memory",      memory                       }
    };
    write_text_file((folder / (name + kSuffix)).string(), json_text(j));
}

std::vector<Description> read_descriptions(const std::string& folder) {
    std::vector<Description> out;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (!entry.path().string().ends_with(kSuffix)) continue;
        std::ifstream file(entry.path());
        const json j = json::parse(file, nullptr, false);
        if (!j.is_object()) continue;  // the program was ended while it wrote
        Description& d = out.emplace_back();
        d.launch_file = j.at("launch_file"), d.kernel = j.at("kernel"), d.number = j.at("number");
        d.followed = j.at("followed"), d.has_heap = j.at("has_heap");
        for (const json& m : j.at("memory")) d.memory.push_back(memory_of(m));
    }
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
        return std::tie(a.number, a.launch_file) < std::tie(b.number, b.launch_file);
    });
    return out;
}

}  // namespace wl::runtime
