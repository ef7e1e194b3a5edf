#include "instrumentation/runtime/failed.h"

#include "instrumentation/ptx/module.h"
#include "instrumentation/runtime/machine.h"
#include "instrumentation/runtime/order_words.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace wl::runtime {
namespace {

using Range = std::pair<uint64_t, uint64_t>;
using order::Touch;

// "f(float const*, int)": of each parameter whether it points to what the kernel only reads. Empty: the name
// does not tell, as of extern "C" functions.
std::vector<bool> read_only_params(const std::string& shown) {
    std::vector<bool> out;
    const size_t begin = shown.rfind('(');
    if (begin == shown.npos || !shown.ends_with(')')) return out;
    int depth = 0;
    std::string type;
    const auto end_type = [&] {
        out.push_back(type.ends_with("const*") || type.ends_with("const* __restrict__"));
        type.clear();
    };
    for (const char c : shown.substr(begin + 1)) {
        if (c == '<' || c == '(') ++depth;
        if (c == '>' || (c == ')' && depth > 0)) --depth;
        if (depth == 0 && (c == ',' || c == ')'))
            end_type();
        else if (!type.empty() || c != ' ')
            type += c;
    }
    return out;
}

std::vector<Range> would_write(Machine& m, const Kernel& kernel, std::span<const std::byte> params) {
    std::vector<Range> out;
    const ptx::Function* entry = ptx::find_entry(*kernel.module->parsed, kernel.entry);
    if (entry == nullptr) return out;
    const std::vector<ParamPlace> places = params_of(*entry);
    const std::vector<bool> reads = read_only_params(kernel.shown);
    for (size_t k = 0; k < places.size(); ++k) {
        if (reads.size() == places.size() && reads[k]) continue;
        for (size_t at = places[k].offset;
             at + 8 <= places[k].offset + places[k].bytes && at + 8 <= params.size();
             at += 8) {
            uint64_t word = 0;
            std::memcpy(&word, params.data() + at, sizeof word);
            if (const Region* r = region_of(m.memory, word)) out.emplace_back(word, r->base + r->bytes);
        }
    }
    return out;
}

// What an operation writes is there.
void take_out(std::vector<Range>& missing, const Touch& t) {
    std::vector<Range> left;
    for (const auto& [begin, end] : missing) {
        if (t.end <= begin || end <= t.begin) {
            left.emplace_back(begin, end);
            continue;
        }
        if (begin < t.begin) left.emplace_back(begin, t.begin);
        if (t.end < end) left.emplace_back(t.end, end);
    }
    missing = std::move(left);
}

const Touch* read_of(const std::vector<Range>& missing, const std::vector<Touch>& touches) {
    for (const Touch& t : touches)
        for (const auto& [begin, end] : missing)
            if (!t.write && t.begin < end && begin < t.end) return &t;
    return nullptr;
}

void report(Machine& m, const FailedCall& failed, const order::Operation& operation, const Touch& read) {
    const std::string key =
        fmt::format("failed {} {} {}", failed.operation.label, operation.label, read.site);
    if (!m.ordering.known.insert(key).second) return;
    Touch missing;
    missing.write = true;
    const Side one = side_of(m, failed.operation, missing), two = side_of(m, operation, read);
    const uint64_t bytes = read.end - read.begin;
    capture::Finding f;
    f.rule = "error_ignored";
    f.where = two.where, f.other = where_of_call(one.issued);
    f.title = fmt::format("{}: reads what {} should have written, which failed", line_of(two), one.name);
    f.explanation = fmt::format(
        "{}{} failed: {}. The program has not asked for the error since (cudaGetLastError). {}: {}, of which "
        "nobody has "
        "written what is missing. Ask for the error after the call, and do without its results.",
        as_sentence(one.name),
        at(one.issued),
        failed.why,
        as_sentence(told(two)),
        memory_of(m, read.begin, bytes)
    );
    f.proof =
        fmt::format("{} failed, and {} reads what it would have written, as executed", one.name, two.name);
    f.evidence = {
        {"bytes", static_cast<double>(bytes)}
    };
    const std::string& name = two.label.kernel != nullptr ? two.label.kernel->shown : two.label.name;
    tell_findings(m, name, operation.launch, {std::move(f)});
}

void add(Machine& m, FailedCall failed) {
    constexpr size_t kMost = 64;
    auto& all = m.ordering.failed;
    if (failed.missing.empty()) return;
    if (all.size() == kMost) {
        tell_note_once(
            m,
            "more than 64 calls failed without the program asking why: who uses the results of the first is "
            "not known"
        );
        all.erase(all.begin());
    }
    all.push_back(std::move(failed));
}

}  // namespace

void note_failed_launch(
    Machine& m,
    const Kernel& kernel,
    const order::Operation& operation,
    std::span<const std::byte> params,
    const std::string& why
) {
    add(m, {operation, why, would_write(m, kernel, params)});
}

void note_failed_copy(Machine& m, uint64_t to, uint64_t bytes, const std::string& why) {
    const Region* region = region_of(m.memory, to);
    if (!is_followed(m) || region == nullptr) return;
    order::Operation operation;
    operation.label = label_of_call(m);
    add(m, {operation, why, {{to, std::min(to + bytes, region->base + region->bytes)}}});
}

void note_asked(Machine& m) { m.ordering.failed.clear(); }

void look_at_failed(Machine& m, const order::Operation& operation, order::Touches& touches) {
    if (m.ordering.failed.empty()) return;
    const std::vector<Touch>& all = order::made(touches);
    for (FailedCall& failed : m.ordering.failed) {
        if (const Touch* read = read_of(failed.missing, all)) report(m, failed, operation, *read);
        for (const Touch& t : all)
            if (t.write) take_out(failed.missing, t);
    }
    std::erase_if(m.ordering.failed, [](const FailedCall& failed) { return failed.missing.empty(); });
}

}  // namespace wl::runtime
