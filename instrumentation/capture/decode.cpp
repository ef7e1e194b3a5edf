// A capture out of bytes that anybody may have made: nothing is used before it was checked.
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/capture/consistency.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/capture/parts.h"
#include "instrumentation/capture/rows.h"
#include "instrumentation/capture/stored.h"
#include "instrumentation/capture/tables.h"

#include <charconv>
#include <cstring>
#include <map>
#include <new>
#include <sstream>
#include <stdexcept>

namespace wl::capture {
namespace {

// ---- schema

std::map<std::string, std::string> schema_of(sqlite3* database) {
    std::map<std::string, std::string> schema;
    const Statement statement = prepare(database, "SELECT type || ' ' || name, sql FROM sqlite_schema");
    while (step(database, statement.get())) {
        const auto text = [&](int column) {
            const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), column));
            return std::string(data ? data : "");
        };
        schema[text(0)] = text(1);
    }
    return schema;
}

// This version's: its text exactly. A later minor version's: our tables with more columns behind ours.
void check_schema(const File& file) {
    const std::map<std::string, std::string> found = schema_of(file.database);
    std::map<std::string, std::string> known;
    known["table meta"] = kMetaSql;
    for (const Table& table : kTables) known["table " + std::string(table.name)] = create_sql(table);
    if (!file.newer_minor) {
        known["index probe_name"] = kIndexSql[0];
        known["index tile_key"] = kIndexSql[1];
        known["view tiles"] = kViewSql[0];
        known["view findings"] = kViewSql[1];
    }
    for (const auto& [name, sql] : known) {
        const auto at = found.find(name);
        if (at == found.end()) throw DatabaseFault(name + " is missing");
        const std::string columns = sql.substr(0, sql.rfind(')'));
        if (file.newer_minor ? !at->second.starts_with(columns) : at->second != sql)
            throw DatabaseFault(name + " is not as this version defines it");
    }
}

// ---- tables

// Row numbers count up from `first`; all texts and blobs together cannot be more than the file.
template <class T, class Use, class... More>
void read_table(File& file, TableIndex table, int64_t first, Use use, More&... more) {
    RowReader row(file.database, select_sql(kTables[table]), kTables[table].name, &file.seal);
    ReadRow read{row};
    for (int64_t expected = first; row.next_row(); ++expected) {
        if (row.integer() != expected) row.fail("rows are missing or out of order");
        T value;
        columns(read, value);
        (read(more), ...);
        row.end_row();
        if (row.bytes() > file.size) row.fail("the table claims more bytes than the file has");
        use(value, row);
    }
}

template <class T>
std::vector<T> read_all(File& file, TableIndex table) {
    std::vector<T> values;
    read_table<T>(file, table, 0, [&](T& value, const RowReader&) { values.push_back(std::move(value)); });
    return values;
}

void read_launch(File& file, Capture& capture) {
    int rows = 0;
    const auto use = [&](Launch& launch, const RowReader&) {
        capture.launch = std::move(launch);
        ++rows;
    };
    read_table<Launch>(file, kLaunch, 0, use, capture.ptx);
    if (rows != 1) throw DatabaseFault("table launch has " + std::to_string(rows) + " rows instead of one");
}

// `continued`: which blobs go on in rows behind all blobs.
void read_blobs(File& file, BlobStore& store, const std::string& continued) {
    read_table<BlobRow>(file, kBlob, 1, [&](BlobRow& blob, const RowReader&) {
        store.blobs.emplace_back(blob.data.begin(), blob.data.end());
    });
    const std::vector<Part> parts = parts_of(continued, static_cast<int64_t>(store.blobs.size()) - 1);
    const size_t count = store.blobs.size() - static_cast<size_t>(rows_of(parts));
    auto row = store.blobs.begin() + static_cast<std::ptrdiff_t>(count);
    for (const Part& part : parts) {
        std::vector<std::byte>& blob = store.blobs[static_cast<size_t>(part.blob)];
        for (int64_t i = 0; i < part.rows; ++i, ++row) {
            blob.insert(blob.end(), row->begin(), row->end());
            *row = {};
        }
    }
    store.blobs.resize(count);
    for (size_t id = 1; id < count; ++id)
        store.by_hash.emplace(content_hash(store.blobs[id]), static_cast<BlobId>(id));
}

void read_records(File& file, Capture& capture) {
    const std::vector<RecordRow> records = read_all<RecordRow>(file, kRecord);
    for (const RecordRow& record : records)
        capture.records.push_back({record.block, record.warps, {}, record.truncated});
    read_table<EventPage>(file, kEventPage, 0, [&](EventPage& page, const RowReader& row) {
        if (page.record < 0 || page.record >= static_cast<int64_t>(records.size()))
            row.fail("it is of no record");
        std::vector<Event>& events = capture.records[static_cast<size_t>(page.record)].events;
        const bool follows = page.first == static_cast<int64_t>(events.size());
        const auto n = static_cast<size_t>(page.n);
        if (!follows || n == 0 || n > kEventsPerPage || page.data.size() != n * sizeof(Event))
            row.fail("events are missing or out of order");
        events.resize(events.size() + n);
        std::memcpy(events.data() + page.first, page.data.data(), page.data.size());
    });
    for (size_t i = 0; i < records.size(); ++i)
        if (static_cast<int64_t>(capture.records[i].events.size()) != records[i].events)
            throw DatabaseFault("table event_page lacks events of record " + std::to_string(i));
}

void read_findings(File& file, Capture& capture) {
    read_table<FindingRow>(file, kFinding, 0, [&](FindingRow& found, const RowReader&) {
        capture.findings.push_back(std::move(found.finding));
    });
    size_t places = 0;
    read_table<PlaceRow>(file, kPlace, 0, [&](PlaceRow& place, const RowReader& row) {
        const size_t finding = places / 2;
        const bool where = places++ % 2 == 0;
        if (finding >= capture.findings.size() || place.finding != static_cast<int64_t>(finding) ||
            place.role != (where ? "where" : "other"))
            row.fail("it is of no finding");
        (where ? capture.findings[finding].where : capture.findings[finding].other) = std::move(place.where);
    });
    if (places != 2 * capture.findings.size()) throw DatabaseFault("table place lacks rows");
}

void read_items(File& file, Capture& capture) {
    using Names = std::vector<std::string>;
    using Numbers = std::vector<std::pair<std::string, double>>;
    const std::map<std::string, Names*> names = {
        {"fault",       &capture.launch.faults },
        {"stage",       &capture.stages        },
        {"unsupported", &capture.unsupported   },
        {"check",       &capture.covered.checks},
        {"note",        &capture.notes         }
    };
    const std::map<std::string, Numbers*> numbers = {
        {"param",   &capture.launch.params},
        {"seconds", &capture.seconds      },
        {"counter", &capture.counters     }
    };
    read_table<Item>(file, kItem, 0, [&](Item& item, const RowReader& row) {
        const auto name_list = names.find(item.list);
        const auto number_list = numbers.find(item.list);
        if (name_list != names.end()) {
            name_list->second->push_back(std::move(item.name));
        } else if (number_list != numbers.end()) {
            number_list->second->emplace_back(std::move(item.name), item.value);
        } else if (item.list == "evidence") {
            if (item.of < 0 || item.of >= static_cast<int64_t>(capture.findings.size()))
                row.fail("it is of no finding");
            capture.findings[static_cast<size_t>(item.of)].evidence.emplace_back(
                std::move(item.name), item.value
            );
        } else if (!file.newer_minor) {
            row.fail("unknown list '" + item.list + "'");
        }
    });
}

// ---- meta

using Meta = std::map<std::string, std::string>;

Meta read_meta(const File& file) {
    Meta meta;
    RowReader row(file.database, "SELECT key, value, check_xxh3 FROM meta", "meta", nullptr);
    while (row.next_row()) {
        const std::string key(row.text());
        meta[key] = row.text();
        row.end_row();
    }
    return meta;
}

const std::string& value_of(const Meta& meta, const std::string& key) {
    const auto at = meta.find(key);
    if (at == meta.end()) throw DatabaseFault("table meta lacks '" + key + "'");
    return at->second;
}

std::string continued_in(const Meta& meta) {
    const auto at = meta.find(kContinued);
    return at != meta.end() ? at->second : "";
}

template <class T>
void take_number(const Meta& meta, const std::string& key, T& value) {
    const std::string& text = value_of(meta, key);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0)
        throw DatabaseFault("table meta: '" + key + "' is not a number");
}

void apply(const Meta& meta, Capture& capture) {
    capture.tool_version = value_of(meta, "tool_version");
    capture.created = value_of(meta, "created");
    capture.verdict = value_of(meta, "verdict");
    take_number(meta, "blocks", capture.covered.blocks);
    take_number(meta, "blocks_compared", capture.covered.blocks_compared);
    take_number(meta, "schedules", capture.covered.schedules);
    capture.covered.reference_problem = value_of(meta, "reference_problem");
    std::istringstream assumed(value_of(meta, "assumed"));
    for (std::string part; assumed >> part;) capture.covered.assumed.push_back(part);
    capture.complete = value_of(meta, "complete") == "1";
    if (value_of(meta, "event_dtype") != kEventDtype) throw DatabaseFault("events have an unknown layout");
}

Meta finished_meta(const File& file) {
    check_schema(file);
    const Meta meta = read_meta(file);
    if (!meta.contains("complete")) throw DatabaseFault("its writer did not finish it");
    return meta;
}

// `read_or_leave` takes the blobs into the capture, between the tables that lie before and behind them.
template <class Blobs>
void read_tables_with(File& file, Capture& capture, Blobs read_or_leave) {
    read_launch(file, capture);
    capture.launches = read_all<Launched>(file, kLaunched);
    capture.sources = read_all<Source>(file, kSource);
    capture.sites = read_all<Site>(file, kSite);
    capture.probes = read_all<Probe>(file, kProbe);
    read_or_leave();
    capture.tiles = read_all<Tile>(file, kTile);
    capture.outputs = read_all<Output>(file, kOutput);
    read_records(file, capture);
    read_findings(file, capture);
    read_items(file, capture);
}

void check_seal(const File& file, const std::string& seal) {
    if (file.seal.hex() != seal) throw DatabaseFault("rows are missing or were exchanged");
}

// The name of the program that wrote a file of a major version that this one cannot read.
std::string writer_of(sqlite3* database) {
    try {
        const Statement statement = prepare(database, "SELECT value FROM meta WHERE key = 'tool_version'");
        if (!step(database, statement.get())) return {};
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), 0));
        return text ? text : "";
    } catch (const DatabaseFault&) { return {}; }
}

}  // namespace

void check_version(const Header& header, const std::string& name, sqlite3* database) {
    if (header.major == kMajor) return;
    const std::string writer = writer_of(database);
    throw Error(
        name + " has the capture format " + std::to_string(header.major) + "." +
        std::to_string(header.minor) + (writer.empty() ? "" : ", written by WarpLens " + writer) +
        "; this WarpLens reads format " + std::to_string(kMajor) +
        ". Open it with the version that wrote it, or record it again."
    );
}

Capture read_tables(File& file) {
    const Meta meta = finished_meta(file);
    Capture capture;
    read_tables_with(file, capture, [&] { read_blobs(file, capture.blobs, continued_in(meta)); });
    apply(meta, capture);
    check_seal(file, value_of(meta, "seal"));
    return capture;
}

bool read_tables_but_blobs(File& file, Capture& capture, std::shared_ptr<StoredBlobs> stored) {
    const Meta meta = finished_meta(file);
    if (!meta.contains(kSealButBlobs)) return false;
    if (!meta.contains("seal")) throw DatabaseFault("table meta lacks 'seal'");
    stored->count_rows(continued_in(meta));
    read_tables_with(file, capture, [&] {
        capture.blobs.blobs.resize(static_cast<size_t>(stored->count()) + 1);
        capture.blobs.stored = std::move(stored);
    });
    apply(meta, capture);
    check_seal(file, value_of(meta, kSealButBlobs));
    return true;
}

Capture decode(std::span<const std::byte> bytes, const std::string& name) {
    const Header header = read_header(bytes, bytes.size(), name, kCaptureFile);
    ReadingTime limit = reading_time(bytes.size());
    try {
        const Database database = open_bytes(bytes, &limit);
        check_version(header, name, database.get());
        File file{database.get(), bytes.size(), header.minor > kMinor, {}};
        Capture capture = read_tables(file);
        const std::string problem = inconsistency(capture);
        if (!problem.empty()) throw DatabaseFault(problem);
        return capture;
    } catch (const DatabaseFault& fault) {
        throw Error(name + " is damaged: " + fault.what() + ". Record it again.");
    }
}

Capture read_capture(const std::string& path) {
    try {
        const std::string text = read_text_file(path);
        return decode(std::as_bytes(std::span(text)), path);
    } catch (const std::bad_alloc&) {
        throw Error(path + " is too large: this machine's memory cannot hold it.");
    } catch (const std::length_error&) { throw Error(path + " is too large: no memory can hold it."); }
}

}  // namespace wl::capture
