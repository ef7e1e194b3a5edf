// Table texts, and the statements derived from them.
#include "instrumentation/capture/schema.h"

#include <algorithm>

namespace wl::capture {
namespace {

constexpr std::string_view kCheck = "check_xxh3";

// "launch_id INTEGER PRIMARY KEY, kernel TEXT NOT NULL" -> "launch_id, kernel, check_xxh3"
std::string names_of(const Table& table) {
    std::string names;
    for (size_t begin = 0; begin < table.columns.size();) {
        const size_t end = std::min(table.columns.find(", ", begin), table.columns.size());
        const std::string_view column = table.columns.substr(begin, end - begin);
        names.append(column.substr(0, column.find(' '))).append(", ");
        begin = end + 2;
    }
    return names.append(kCheck);
}

}  // namespace

const std::array<Table, kTableCount> kTables = {
    {
     {"launch",
         "launch_id INTEGER PRIMARY KEY, kernel TEXT NOT NULL, entry TEXT NOT NULL, grid TEXT NOT NULL, "
         "block TEXT NOT NULL, "
         "dynamic_shared INTEGER NOT NULL, static_shared INTEGER NOT NULL, arch TEXT NOT NULL, build TEXT "
         "NOT NULL, "
         "executor TEXT NOT NULL, inputs TEXT NOT NULL, seed INTEGER NOT NULL, schedule_seed INTEGER NOT "
         "NULL, name TEXT NOT NULL, number INTEGER NOT NULL, launches INTEGER NOT NULL, ptx TEXT NOT NULL"},
     {"launched",
         "launched_id INTEGER PRIMARY KEY, name TEXT NOT NULL, entry TEXT NOT NULL, grid TEXT NOT NULL, "
         "block TEXT NOT NULL, blocks INTEGER NOT NULL, compared INTEGER NOT NULL, bad INTEGER NOT NULL, "
         "said TEXT NOT NULL"},
     {"source", "source_id INTEGER PRIMARY KEY, path TEXT NOT NULL, text TEXT NOT NULL"},
     {"site",
         "site_id INTEGER PRIMARY KEY, source_id INTEGER NOT NULL, line INTEGER NOT NULL, col INTEGER NOT "
         "NULL, "
         "inlined_at INTEGER NOT NULL, function TEXT NOT NULL, text TEXT NOT NULL"},
     {"probe",
         "probe_id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, step INTEGER NOT NULL, dtype "
         "TEXT NOT NULL, "
         "logical TEXT NOT NULL, rows INTEGER NOT NULL, cols INTEGER NOT NULL, site_id INTEGER NOT NULL, "
         "memory TEXT NOT NULL, "
         "reference TEXT NOT NULL"},
     {"blob", "blob_id INTEGER PRIMARY KEY, data BLOB NOT NULL"},
     {"tile",
         "tile_id INTEGER PRIMARY KEY, probe_id INTEGER NOT NULL, cta INTEGER NOT NULL, warp INTEGER NOT "
         "NULL, "
         "iter INTEGER NOT NULL, rows INTEGER NOT NULL, cols INTEGER NOT NULL, time INTEGER NOT NULL, "
         "address INTEGER NOT NULL, "
         "ld INTEGER NOT NULL, blob_id INTEGER, reference_id INTEGER, bound_id INTEGER, owner_id INTEGER, "
         "vmin REAL, vmax REAL, "
         "n_nan INTEGER NOT NULL, n_inf INTEGER NOT NULL, verdict TEXT NOT NULL, estimated_bound INTEGER NOT "
         "NULL, "
         "compared INTEGER NOT NULL, bad INTEGER NOT NULL, max_difference REAL, max_excess REAL, "
         "first_bad_row INTEGER NOT NULL, first_bad_col INTEGER NOT NULL"},
     {"output",
         "output_id INTEGER PRIMARY KEY, name TEXT NOT NULL, tile_id INTEGER NOT NULL, shape TEXT NOT NULL, "
         "max_difference REAL, "
         "bound REAL, n_nan INTEGER NOT NULL, vmin REAL, vmax REAL, reference_vmin REAL, reference_vmax "
         "REAL, "
         "verdict TEXT NOT NULL, elements INTEGER NOT NULL, compared INTEGER NOT NULL, unknown INTEGER NOT "
         "NULL, unwritten INTEGER NOT NULL, decided_by TEXT NOT NULL, worst_case REAL, probable REAL, "
         "typical REAL, share REAL, wanted INTEGER NOT NULL, note TEXT NOT NULL"},
     {"record",
         "record_id INTEGER PRIMARY KEY, cta INTEGER NOT NULL, warps INTEGER NOT NULL, truncated INTEGER NOT "
         "NULL, "
         "events INTEGER NOT NULL"},
     {"event_page",
         "page_id INTEGER PRIMARY KEY, record_id INTEGER NOT NULL, first INTEGER NOT NULL, n INTEGER NOT "
         "NULL, "
         "t0 INTEGER NOT NULL, t1 INTEGER NOT NULL, data BLOB NOT NULL"},
     {"finding",
         "finding_id INTEGER PRIMARY KEY, rule TEXT NOT NULL, title TEXT NOT NULL, "
         "explanation TEXT NOT NULL, pattern TEXT NOT NULL, proof TEXT NOT NULL, evidence_kind TEXT NOT "
         "NULL, caused_by INTEGER "
         "NOT NULL, "
         "count INTEGER NOT NULL, detail TEXT NOT NULL"},
     {"place",
         "place_id INTEGER PRIMARY KEY, finding_id INTEGER NOT NULL, role TEXT NOT NULL, file TEXT NOT NULL, "
         "line INTEGER NOT NULL, "
         "tile TEXT NOT NULL, row INTEGER NOT NULL, col INTEGER NOT NULL, cta INTEGER NOT NULL, warp INTEGER "
         "NOT NULL, "
         "lanes TEXT NOT NULL, iter INTEGER NOT NULL, epoch INTEGER NOT NULL, launch INTEGER NOT NULL"},
     {"item",
         "item_id INTEGER PRIMARY KEY, list TEXT NOT NULL, of INTEGER NOT NULL, name TEXT NOT NULL, value "
         "REAL"},
     }
};

const std::string_view kMetaSql =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL, check_xxh3 INTEGER NOT NULL) STRICT, "
    "WITHOUT ROWID";

const std::array<std::string_view, 2> kIndexSql = {
    "CREATE INDEX probe_name ON probe(name)", "CREATE INDEX tile_key ON tile(probe_id, cta, iter)"};

// CROSS JOIN keeps the order probe, tile: the other one scans every tile.
const std::array<std::string_view, 2> kViewSql = {
    "CREATE VIEW tiles AS SELECT p.name AS probe, t.cta, t.warp, t.iter, p.step, p.dtype, p.logical, t.rows, "
    "t.cols, t.time, "
    "t.vmin, t.vmax, t.n_nan, t.n_inf, t.verdict, t.compared, t.bad, t.max_difference, t.max_excess, "
    "t.first_bad_row, "
    "t.first_bad_col, (SELECT data FROM blob WHERE blob_id = t.blob_id) AS data, "
    "(SELECT data FROM blob WHERE blob_id = t.reference_id) AS reference, "
    "(SELECT data FROM blob WHERE blob_id = t.bound_id) AS bound, "
    "(SELECT data FROM blob WHERE blob_id = t.owner_id) AS owner "
    "FROM probe p CROSS JOIN tile t ON t.probe_id = p.probe_id",
    "CREATE VIEW findings AS SELECT f.finding_id, f.rule, f.title, w.file, w.line, w.tile, "
    "w.cta, w.warp, w.iter, "
    "f.evidence_kind, f.proof, f.caused_by, f.detail FROM finding f CROSS JOIN place w ON w.place_id = 2 * "
    "f.finding_id"};

std::string create_sql(const Table& table) {
    std::string sql = "CREATE TABLE ";
    sql.append(table.name).append("(").append(table.columns).append(", ").append(kCheck);
    return sql.append(" INTEGER NOT NULL) STRICT");
}

std::string insert_sql(const Table& table) {
    const std::string names = names_of(table);
    std::string parameters = "?";
    for (const char c : names)
        if (c == ',') parameters += ", ?";
    std::string sql = "INSERT INTO ";
    return sql.append(table.name)
        .append("(")
        .append(names)
        .append(") VALUES(")
        .append(parameters)
        .append(")");
}

// NOT INDEXED: values come from the table itself, whatever indexes a file brings.
std::string select_sql(const Table& table) {
    std::string sql = "SELECT ";
    return sql.append(names_of(table)).append(" FROM ").append(table.name).append(" NOT INDEXED ORDER BY 1");
}

}  // namespace wl::capture
