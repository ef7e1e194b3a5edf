// JSON in, the structs that the worker had out.
#include "app/worker/shared_report.h"

#include "app/worker/answer.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace wl::app {

namespace {

using nlohmann::json;

template <size_t N>
size_t index_of(const std::array<std::string_view, N>& words, const std::string& word) {
    const auto* const at = std::find(words.begin(), words.end(), word);
    return at == words.end() ? 0 : static_cast<size_t>(at - words.begin());
}

constexpr std::array<std::string_view, 5> kAccesses = {"load", "store", "atomic", "matrix", "copy"};
constexpr std::array<std::string_view, 4> kKinds = {"variable", "tile", "warp_tile", "layout"};

std::byte digit(char c) { return static_cast<std::byte>(c <= '9' ? c - '0' : c - 'a' + 10); }

std::vector<std::byte> bytes_from(const std::string& hex) {
    std::vector<std::byte> out;
    out.reserve(hex.size() / 2);
    for (size_t k = 0; k + 1 < hex.size(); k += 2) out.push_back(digit(hex[k]) << 4 | digit(hex[k + 1]));
    return out;
}

capture::SharedWrite write_from(const json& j) {
    capture::SharedWrite w;
    w.order = j.at("order"), w.time = j.at("time"), w.site = j.at("site");
    w.warp = j.at("warp"), w.epoch = j.at("epoch");
    w.epochs_ago = j.at("epochs_ago"), w.iterations_ago = j.at("iterations_ago");
    w.copy = j.at("copy"), w.place = j.at("place");
    return w;
}

capture::NamedRegion region_from(const json& j) {
    capture::NamedRegion r;
    r.kind = static_cast<capture::NamedRegion::Kind>(index_of(kKinds, j.at("kind")));
    r.name = j.at("name"), r.begin = j.at("begin"), r.end = j.at("end");
    r.dtype = dtype_from_name(j.at("dtype").get<std::string>()).value_or(DType::u8);
    r.rows = j.at("rows"), r.cols = j.at("cols"), r.ld = j.at("ld"), r.column = j.at("column");
    r.layout = j.at("layout"), r.warp = j.at("warp");
    r.file = j.at("file"), r.line = j.at("line"), r.current = j.at("current");
    return r;
}

LaneAccesses accesses_from(const json& j) {
    LaneAccesses a;
    a.kind = static_cast<AccessKind>(index_of(kAccesses, j.at("kind")));
    a.bytes = j.at("bytes"), a.mask = j.at("mask");
    const auto at = j.at("at").get<std::vector<uint64_t>>();
    std::copy_n(at.begin(), std::min(at.size(), a.at.size()), a.at.begin());
    return a;
}

capture::LineRequest request_from(const json& j) {
    capture::LineRequest r;
    r.site = j.at("site"), r.text = j.at("text"), r.place = j.at("place");
    r.warp = j.at("warp"), r.epoch = j.at("epoch"), r.time = j.at("time"), r.order = j.at("order");
    r.number = j.at("number"), r.global = j.at("global");
    r.accesses = accesses_from(j.at("access"));
    return r;
}

// A run that names a byte or a write that there is not would be drawn.
void check(const capture::SharedState& s) {
    const auto writes = static_cast<int>(s.writes.size());
    uint32_t at = 0;
    for (const capture::SharedRun& r : s.runs) {
        if (r.begin != at || r.bytes == 0 || r.write >= writes || r.flight >= writes)
            throw Error("The answer about shared memory is not readable: its runs do not fit together.");
        at += r.bytes;
    }
    if (at != s.values.size())
        throw Error("The answer about shared memory is not readable: its runs are not the whole memory.");
}

}  // namespace

SharedReport shared_report(const std::string& text) {
    return read_answer(text, "shared memory", [](const json& j) {
        SharedReport report;
        report.asked = j.value("asked", "");
        report.problem = j.value("error", "");
        if (!report.problem.empty()) return report;
        capture::SharedState& s = report.state;
        report.note = j.at("note"), report.access_problem = j.at("access_problem");
        s.block = j.at("block"), s.warp = j.at("warp"), s.time = j.at("time"), s.order = j.at("order");
        s.epoch = j.at("epoch"), s.place = j.at("place");
        s.values = bytes_from(j.at("values"));
        for (const json& w : j.at("writes")) s.writes.push_back(write_from(w));
        for (const json& r : j.at("runs"))
            s.runs.push_back({r.at(0), r.at(1), r.at(2), r.at(3), r.at(4), r.at(5), r.at(6), r.at(7)});
        for (const json& r : j.at("regions")) s.regions.push_back(region_from(r));
        for (const json& r : j.at("requests")) report.requests.push_back(request_from(r));
        for (const json& p : j.at("patterns"))
            report.patterns.push_back({p.at("site"), p.at("count"), accesses_from(p.at("access"))});
        check(s);
        return report;
    });
}

}  // namespace wl::app
