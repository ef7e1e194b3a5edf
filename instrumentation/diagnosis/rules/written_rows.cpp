// Rows in the write log.
#include "instrumentation/diagnosis/rules/written_rows.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace wl::diagnosis {

namespace {

struct Run {
    uint64_t begin = 0, end = 0;
};

// Bytes that each instruction wrote, as runs without gaps, by rising address.
std::map<uint32_t, std::vector<Run>> runs_by_site(const capture::BlockRecord& record) {
    std::map<uint32_t, std::vector<Run>> out;
    for (const capture::Event& e : record.events) {
        if (e.kind == capture::EventKind::shared_write)
            out[e.site].push_back({e.address, e.address + e.bytes});
    }
    for (auto& [site, runs] : out) {
        std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.begin < b.begin; });
        std::vector<Run> joined;
        for (const Run& r : runs) {
            if (joined.empty() || r.begin > joined.back().end)
                joined.push_back(r);
            else
                joined.back().end = std::max(joined.back().end, r.end);
        }
        runs = std::move(joined);
    }
    return out;
}

std::optional<WrittenRows> rows_of(uint32_t site, const std::vector<Run>& runs) {
    if (runs.size() < 2) return std::nullopt;
    WrittenRows out;
    out.site = site, out.base = runs.front().begin;
    out.row_bytes = runs.front().end - runs.front().begin;
    out.pitch = runs.back().begin - out.base;
    for (size_t i = 1; i < runs.size(); ++i)
        out.pitch = std::min(out.pitch, runs[i].begin - runs[i - 1].begin);
    int next = 0;  // row that should come
    for (const Run& r : runs) {
        const uint64_t distance = r.begin - out.base;
        if (r.end - r.begin != out.row_bytes || distance % out.pitch != 0) return std::nullopt;
        const auto row = static_cast<int>(distance / out.pitch);
        if (row > next) out.missing.emplace_back(next, row - 1);
        next = row + 1;
    }
    out.rows = next;
    return out;
}

}  // namespace

std::vector<WrittenRows> written_rows(const Symptoms& s) {
    std::vector<WrittenRows> out;
    if (s.capture.records.empty()) return out;
    for (const auto& [site, runs] : runs_by_site(s.capture.records.front())) {
        if (auto rows = rows_of(site, runs)) out.push_back(std::move(*rows));
    }
    return out;
}

std::optional<MissingRow> missing_row(const Symptoms& s, uint64_t address) {
    for (WrittenRows& w : written_rows(s)) {
        if (address < w.base || (address - w.base) % w.pitch >= w.row_bytes) continue;
        const auto row = static_cast<int>((address - w.base) / w.pitch);
        const bool missing = std::any_of(w.missing.begin(), w.missing.end(), [&](const auto& range) {
            return row >= range.first && row <= range.second;
        });
        if (missing) return MissingRow{std::move(w), row};
    }
    return std::nullopt;
}

std::string rows_text(const std::vector<std::pair<int, int>>& ranges) {
    std::string out;
    for (const auto& [first, last] : ranges) {
        out += out.empty() ? "" : ", ";
        out += first == last ? std::to_string(first) : fmt::format("{}..{}", first, last);
    }
    return out;
}

}  // namespace wl::diagnosis
