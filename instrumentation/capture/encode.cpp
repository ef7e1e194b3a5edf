// A capture as the bytes of an SQLite database.
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/atomic_file.h"
#include "instrumentation/base/os/leftovers.h"
#include "instrumentation/base/text.h"
#include "instrumentation/capture/consistency.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/capture/json.h"
#include "instrumentation/capture/parts.h"
#include "instrumentation/capture/rows.h"
#include "instrumentation/capture/stored.h"

#include <algorithm>
#include <limits>

namespace wl::capture {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

// One table being filled; the row's number is its first column.
class TableWriter {
public:
    TableWriter(sqlite3* database, TableIndex table, Seal& seal) :
        row_(database, insert_sql(kTables[table]), kTables[table].name, &seal) {}

    template <class T, class... More>
    void add(int64_t id, const T& value, const More&... more) {
        row_.begin_row();
        WriteRow write{row_};
        write(id);
        columns(write, value);
        (write(more), ...);
        row_.end_row();
    }
    template <class T>
    void add_all(const std::vector<T>& values) {
        for (size_t i = 0; i < values.size(); ++i) add(static_cast<int64_t>(i), values[i]);
    }

private:
    RowWriter row_;
};

// Those that go on in rows behind all others.
std::vector<Part> write_blobs(sqlite3* database, const BlobStore& store, uint64_t most, Seal& seal) {
    TableWriter table(database, kBlob, seal);
    const auto row_of = [&store, most](BlobId id, int64_t row) {
        const std::span<const std::byte> all = content_of(store, id);
        const auto first = std::min<uint64_t>(all.size(), static_cast<uint64_t>(row) * most);
        return BlobRow{all.subspan(first, std::min<uint64_t>(most, all.size() - first))};
    };
    std::vector<Part> parts;
    const auto count = static_cast<int64_t>(store.blobs.size());
    for (BlobId id = 1; id < count; ++id) {
        table.add(id, row_of(id, 0));
        const uint64_t bytes = content_of(store, id).size();
        if (bytes > most) parts.push_back({id, static_cast<int64_t>((bytes - 1) / most)});
    }
    int64_t next = std::max<int64_t>(count, 1);
    for (const Part& part : parts)
        for (int64_t row = 1; row <= part.rows; ++row) table.add(next++, row_of(part.blob, row));
    return parts;
}

// A table at a time, as they are read: the seal is over rows in this order.
void write_records(sqlite3* database, const Capture& capture, Seal& seal) {
    TableWriter records(database, kRecord, seal);
    for (size_t i = 0; i < capture.records.size(); ++i) {
        const BlockRecord& record = capture.records[i];
        const auto events = static_cast<int64_t>(record.events.size());
        records.add(static_cast<int64_t>(i), RecordRow{record.block, record.warps, record.truncated, events});
    }
    TableWriter pages(database, kEventPage, seal);
    int64_t page_id = 0;
    for (size_t i = 0; i < capture.records.size(); ++i) {
        const std::span events(capture.records[i].events);
        for (size_t first = 0; first < events.size(); first += kEventsPerPage) {
            const auto page = events.subspan(first, std::min<size_t>(kEventsPerPage, events.size() - first));
            const auto [earliest, latest] = std::minmax_element(
                page.begin(), page.end(), [](const Event& a, const Event& b) { return a.time < b.time; }
            );
            EventPage row;
            row.record = static_cast<int64_t>(i);
            row.first = static_cast<int64_t>(first);
            row.n = static_cast<int64_t>(page.size());
            row.t0 = earliest->time;
            row.t1 = latest->time;
            row.data = std::as_bytes(page);
            pages.add(page_id++, row);
        }
    }
}

void write_findings(sqlite3* database, const Capture& capture, Seal& seal) {
    TableWriter findings(database, kFinding, seal);
    for (size_t i = 0; i < capture.findings.size(); ++i) {
        const Finding& finding = capture.findings[i];
        findings.add(static_cast<int64_t>(i), FindingRow{finding, finding_json(capture, finding)});
    }
    TableWriter places(database, kPlace, seal);
    for (size_t i = 0; i < capture.findings.size(); ++i) {
        const auto id = static_cast<int64_t>(i);
        places.add(2 * id, PlaceRow{id, "where", capture.findings[i].where});
        places.add(2 * id + 1, PlaceRow{id, "other", capture.findings[i].other});
    }
}

void write_items(sqlite3* database, const Capture& capture, Seal& seal) {
    TableWriter table(database, kItem, seal);
    int64_t id = 0;
    const auto names = [&](const char* list, const std::vector<std::string>& values) {
        for (const std::string& name : values) table.add(id++, Item{list, 0, name, kNoValue});
    };
    using Numbers = std::vector<std::pair<std::string, double>>;
    const auto numbers = [&](const char* list, int64_t of, const Numbers& values) {
        for (const auto& [name, value] : values) table.add(id++, Item{list, of, name, value});
    };
    names("fault", capture.launch.faults);
    numbers("param", 0, capture.launch.params);
    names("stage", capture.stages);
    names("unsupported", capture.unsupported);
    names("check", capture.covered.checks);
    numbers("seconds", 0, capture.seconds);
    numbers("counter", 0, capture.counters);
    names("note", capture.notes);
    for (size_t i = 0; i < capture.findings.size(); ++i)
        numbers("evidence", static_cast<int64_t>(i), capture.findings[i].evidence);
}

// Last of all rows: a file with these was finished.
void write_meta(
    sqlite3* database,
    const Capture& capture,
    const std::vector<Part>& parts,
    const Seal& seal,
    const Seal& but_blobs
) {
    RowWriter row(database, "INSERT INTO meta(key, value, check_xxh3) VALUES(?, ?, ?)", "meta", nullptr);
    const auto add = [&row](std::string_view key, std::string_view value) {
        row.begin_row();
        row.text(key);
        row.text(value);
        row.end_row();
    };
    add("tool_version", capture.tool_version);
    add("created", capture.created);
    add("verdict", capture.verdict);
    add("event_dtype", kEventDtype);
    add("blocks", std::to_string(capture.covered.blocks));
    add("blocks_compared", std::to_string(capture.covered.blocks_compared));
    add("schedules", std::to_string(capture.covered.schedules));
    add("reference_problem", capture.covered.reference_problem);
    add("assumed", join(capture.covered.assumed, " "));
    if (!parts.empty()) add(kContinued, parts_text(parts));
    add("seal", seal.hex());
    add(kSealButBlobs, but_blobs.hex());
    add("complete", capture.complete ? "1" : "0");
}

void write_tables(sqlite3* database, const Capture& capture, uint64_t most_in_row) {
    Seal seal;
    execute(database, std::string(kMetaSql));
    for (const Table& table : kTables) execute(database, create_sql(table));
    TableWriter(database, kLaunch, seal).add(0, capture.launch, capture.ptx);
    TableWriter(database, kLaunched, seal).add_all(capture.launches);
    TableWriter(database, kSource, seal).add_all(capture.sources);
    TableWriter(database, kSite, seal).add_all(capture.sites);
    TableWriter(database, kProbe, seal).add_all(capture.probes);
    const size_t first_blob = seal.size();
    const std::vector<Part> parts = write_blobs(database, capture.blobs, most_in_row, seal);
    const size_t behind_blobs = seal.size();
    TableWriter(database, kTile, seal).add_all(capture.tiles);
    TableWriter(database, kOutput, seal).add_all(capture.outputs);
    write_records(database, capture, seal);
    write_findings(database, capture, seal);
    write_items(database, capture, seal);
    for (const std::string_view sql : kIndexSql) execute(database, std::string(sql));
    for (const std::string_view sql : kViewSql) execute(database, std::string(sql));
    write_meta(database, capture, parts, seal, seal.without(first_blob, behind_blobs));
}

// SQLite's own copy of the finished file.
struct Serialized {
    std::unique_ptr<unsigned char, void (*)(void*)> data{nullptr, sqlite3_free};
    sqlite3_int64 size = 0;
    std::span<const std::byte> bytes() const {
        return std::as_bytes(std::span(data.get(), static_cast<size_t>(size)));
    }
};

void check_it(const Capture& capture, const std::string& name) {
    const std::string problem = inconsistency(capture);
    if (!problem.empty())
        throw Error(
            "cannot write " + name + ": " + problem + ". This is a fault of WarpLens; please report it."
        );
}

void write_database(sqlite3* database, const Capture& capture, uint64_t most_in_row) {
    execute(database, "PRAGMA page_size=" + std::to_string(kPageSize));
    execute(database, "PRAGMA application_id=" + std::to_string(kApplicationId));
    execute(database, "PRAGMA user_version=" + std::to_string(kMajor * 10000 + kMinor));
    execute(database, "PRAGMA journal_mode=OFF");
    execute(database, "BEGIN");
    write_tables(database, capture, most_in_row);
    execute(database, "COMMIT");
}

Serialized serialize(const Capture& capture, const std::string& name, uint64_t most_in_row) {
    check_it(capture, name);
    try {
        const Database database = open_in_memory();
        write_database(database.get(), capture, most_in_row);
        Serialized file;
        file.data.reset(sqlite3_serialize(database.get(), "main", &file.size, 0));
        if (!file.data) throw DatabaseFault("out of memory");
        return file;
    } catch (const DatabaseFault& fault) { throw Error("cannot write " + name + ": " + fault.what() + "."); }
}

// At least what the contents need.
uint64_t bytes_in(const BlobStore& store) {
    return bytes_at_hand(store) + (store.stored ? store.stored->bytes() : 0);
}

}  // namespace

std::vector<std::byte> encode(const Capture& capture, const std::string& name) {
    const Serialized file = serialize(capture, name, kMostInRow);
    return {file.bytes().begin(), file.bytes().end()};
}

void write_capture(const Capture& capture, const std::string& path, uint64_t most_in_memory) {
    const Saving saving;
    write_in_rows(capture, path, most_in_memory, kMostInRow);
    note_saved();
}

void write_in_rows(
    const Capture& capture, const std::string& path, uint64_t most_in_memory, uint64_t most_in_row
) {
    if (bytes_in(capture.blobs) <= most_in_memory)
        return write_file_atomically(path, serialize(capture, path, most_in_row).bytes());
    check_it(capture, path);
    write_file_atomically(path, [&](const std::string& hidden) {
        try {
            write_database(open_empty_file(hidden).get(), capture, most_in_row);
        } catch (const DatabaseFault& fault) {
            throw Error("cannot write " + path + ": " + fault.what() + ".");
        }
    });
}

}  // namespace wl::capture
