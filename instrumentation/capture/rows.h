// Which field of which struct is which column: one list for writing and reading, in the order of schema.cpp.
#pragma once

#include "instrumentation/capture/capture.h"
#include "instrumentation/capture/database.h"
#include "instrumentation/capture/limit_words.h"

#include <array>
#include <charconv>
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace wl::capture {

constexpr std::array<std::string_view, 5> kProbeKindNames = {
    "tile", "warp_tile", "fragment", "lanes", "output"};

// Rows that no struct of capture.h stands for.
struct BlobRow {
    std::span<const std::byte> data;
};
struct RecordRow {
    int64_t block = 0;
    int warps = 0;
    bool truncated = false;
    int64_t events = 0;
};
struct EventPage {
    int64_t record = 0, first = 0, n = 0, t0 = 0, t1 = 0;
    std::span<const std::byte> data;
};
struct FindingRow {
    Finding finding;  // without its places and evidence
    std::string detail;
};
struct PlaceRow {
    int64_t finding = 0;
    std::string role;  // "where" | "other"
    Where where;
};
// A named number, or a name alone, of one of the capture's lists: "fault", "param", "evidence" of a
// finding...
struct Item {
    std::string list;
    int64_t of = 0;
    std::string name;
    double value = 0;  // NaN: none
};

// The columns of a row out of, or into, a struct's fields.
struct WriteRow {
    static constexpr bool kReads = false;
    RowWriter& row;

    template <std::integral T>
    void operator()(const T& x) {
        row.integer(static_cast<int64_t>(x));
    }
    void operator()(const double& x) { row.real(x); }
    void operator()(const std::string& x) { row.text(x); }
    void operator()(const std::span<const std::byte>& x) { row.blob(x); }
    void blob_id(const BlobId& id) { id == kNoBlob ? row.null() : row.integer(id); }
    template <class Enum>
    void named(const Enum& x, std::span<const std::string_view> names) {
        row.text(names[static_cast<size_t>(x)]);
    }
    void extents(std::span<const int64_t> extents) {
        std::string text = "[";
        for (const int64_t extent : extents) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
        row.text(text + "]");
    }
    void operator()(const Dim3& d) { extents(std::array<int64_t, 3>{d.x, d.y, d.z}); }
    void operator()(const std::vector<int64_t>& shape) { extents(shape); }
    // The numpy name is for people and Python; the logical one is exact.
    void operator()(const DType& t) {
        row.text(numpy_of(t));
        row.text(name_of(t));
    }
};

struct ReadRow {
    static constexpr bool kReads = true;
    RowReader& row;

    template <std::integral T>
    void operator()(T& x) {
        const int64_t value = row.integer();
        if constexpr (!std::is_same_v<T, uint64_t>) {
            constexpr bool kBool = std::is_same_v<T, bool>;
            if (kBool ? value != 0 && value != 1 : !std::in_range<std::conditional_t<kBool, int, T>>(value))
                row.fail("the number " + std::to_string(value) + " is out of range");
        }
        x = static_cast<T>(value);
    }
    void operator()(double& x) { x = row.real(); }
    void operator()(std::string& x) { x = row.text(); }
    void operator()(std::span<const std::byte>& x) { x = row.blob(); }
    void blob_id(BlobId& id) {
        if (!row.take_null()) (*this)(id);
    }
    template <class Enum>
    void named(Enum& x, std::span<const std::string_view> names) {
        const std::string_view name = row.text();
        for (size_t i = 0; i < names.size(); ++i)
            if (names[i] == name) return void(x = static_cast<Enum>(i));
        row.fail("unknown word '" + std::string(name) + "'");
    }
    void operator()(std::vector<int64_t>& shape) {
        const std::string_view text = row.text();  // "[1, 8]"
        if (text.size() < 2 || text.front() != '[' || text.back() != ']') row.fail("a list has no brackets");
        const char *at = text.data() + 1, *end = text.data() + text.size() - 1;
        while (at != end) {
            const auto [next, error] = std::from_chars(at, end, shape.emplace_back());
            if (error != std::errc()) row.fail("a list holds something that is not a number");
            at = next;
            while (at != end && (*at == ',' || *at == ' ')) ++at;
        }
    }
    void operator()(Dim3& d) {
        std::vector<int64_t> extents;
        (*this)(extents);
        const auto fits = [](int64_t extent) { return extent >= 1 && std::in_range<uint32_t>(extent); };
        if (extents.size() != 3 || !fits(extents[0]) || !fits(extents[1]) || !fits(extents[2]))
            row.fail("an extent is out of range");
        d = {
            static_cast<uint32_t>(extents[0]),
            static_cast<uint32_t>(extents[1]),
            static_cast<uint32_t>(extents[2])};
    }
    void operator()(DType& t) {
        const std::string numpy(row.text());
        const std::optional<DType> type = dtype_from_name(row.text());
        if (!type || numpy_of(*type) != numpy) row.fail("unknown element format");
        t = *type;
    }
};

template <class Row, class T>
using Field = std::conditional_t<Row::kReads, T, const T>;

template <class Row>
void columns(Row& row, Field<Row, Launch>& x) {
    row(x.kernel), row(x.entry), row(x.grid), row(x.block), row(x.dynamic_shared), row(x.static_shared);
    row(x.arch), row(x.build), row(x.executor), row(x.inputs), row(x.seed), row(x.schedule_seed);
    row(x.name), row(x.number), row(x.all);
}
template <class Row>
void columns(Row& row, Field<Row, Launched>& x) {
    row(x.name), row(x.entry), row(x.grid), row(x.block), row(x.blocks), row(x.compared), row(x.bad);
    row(x.said);
}
template <class Row>
void columns(Row& row, Field<Row, Source>& x) {
    row(x.path), row(x.text);
}
template <class Row>
void columns(Row& row, Field<Row, Site>& x) {
    row(x.source), row(x.line), row(x.column), row(x.inlined_at), row(x.function), row(x.text);
}
template <class Row>
void columns(Row& row, Field<Row, Probe>& x) {
    row(x.name), row.named(x.kind, kProbeKindNames), row(x.step), row(x.dtype), row(x.rows), row(x.cols);
    row(x.site), row(x.memory), row(x.reference);
}
template <class Row>
void columns(Row& row, Field<Row, Tile>& x) {
    row(x.probe), row(x.block), row(x.warp), row(x.iteration), row(x.rows), row(x.cols);
    row(x.time), row(x.address), row(x.ld);
    row.blob_id(x.values), row.blob_id(x.reference), row.blob_id(x.bound), row.blob_id(x.owner);
    row(x.min), row(x.max), row(x.nan), row(x.inf);
    row.named(x.verdict, kVerdictNames), row(x.estimated_bound), row(x.compared), row(x.bad);
    row(x.max_difference), row(x.max_excess), row(x.first_bad_row), row(x.first_bad_col);
}
template <class Row>
void columns(Row& row, Field<Row, Output>& x) {
    row(x.name), row(x.tile), row(x.shape), row(x.max_difference), row(x.bound), row(x.nan);
    row(x.min), row(x.max), row(x.reference_min), row(x.reference_max);
    row.named(x.verdict, kVerdictNames);
    row(x.of.elements), row(x.of.compared), row(x.of.unknown), row(x.of.unwritten);
    row.named(x.of.limit, kLimitNames), row(x.of.worst_case), row(x.of.probable), row(x.of.typical);
    row(x.of.share), row(x.of.wanted), row(x.note);
}
template <class Row>
void columns(Row& row, Field<Row, BlobRow>& x) {
    row(x.data);
}
template <class Row>
void columns(Row& row, Field<Row, RecordRow>& x) {
    row(x.block), row(x.warps), row(x.truncated), row(x.events);
}
template <class Row>
void columns(Row& row, Field<Row, EventPage>& x) {
    row(x.record), row(x.first), row(x.n), row(x.t0), row(x.t1), row(x.data);
}
template <class Row>
void columns(Row& row, Field<Row, FindingRow>& x) {
    row(x.finding.rule), row(x.finding.title), row(x.finding.explanation), row(x.finding.pattern);
    row(x.finding.proof), row.named(x.finding.evidence_kind, kEvidenceNames);
    row(x.finding.caused_by), row(x.finding.count), row(x.detail);
}
template <class Row>
void columns(Row& row, Field<Row, PlaceRow>& x) {
    row(x.finding), row(x.role), row(x.where.file), row(x.where.line), row(x.where.tile);
    row(x.where.element[0]), row(x.where.element[1]), row(x.where.block), row(x.where.warp);
    row(x.where.lanes), row(x.where.iteration), row(x.where.epoch);
    row(x.where.launch);
}
template <class Row>
void columns(Row& row, Field<Row, Item>& x) {
    row(x.list), row(x.of), row(x.name), row(x.value);
}

}  // namespace wl::capture
