// The table, and the words that find a row, a shape, an operand and a type in it.
#include "instrumentation/fragments/names.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/fragments/families.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

namespace wl::fragments {
namespace {

using Words = std::vector<std::string>;

Words split(std::string_view text, std::string_view at) {
    Words words;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find_first_of(at, begin), text.size());
        if (end > begin) words.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}
Words listed(std::string_view cell) { return split(cell, "|"); }

bool holds(const Words& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

void add_new(Words& words, const Words& more) {
    for (const std::string& word : more)
        if (!holds(words, word)) words.push_back(word);
}

// m64n8k16 to m64n256k16; of whole numbers and bits only every second size above 32 (as ptxas 13.0 has it).
std::string warpgroup_shapes(int k, bool whole) {
    Words shapes;
    for (int n = 8; n <= 256; n += whole && n >= 32 ? 16 : 8)
        shapes.push_back(fmt::format("m64n{}k{}", n, k));
    return join(shapes, "|");
}
const char* of_warpgroup(int k, bool whole = false) {
    static std::map<std::pair<int, bool>, std::string> known;
    return known.try_emplace({k, whole}, warpgroup_shapes(k, whole)).first->second.c_str();
}

// What PTX says besides, and what says nothing about who holds what.
const Words& spoken_over() {
    static const Words kWords = {
        "sync",
        "aligned",
        "load",
        "store",
        "mma",
        "mma_async",
        "global",
        "shared",
        "b16",
        "b32",
        "m8n8",
        "popc",
        "satfinite",
        "and",
        "xor",
        "shared::cta"};
    return kWords;
}

std::string operand_word(const std::string& word) {
    if (word == "matrix_a") return "a";
    if (word == "matrix_b") return "b";
    if (word == "accumulator" || word == "d") return "c";
    return word;
}
bool is_operand(const std::string& word) {
    static const Words kOperands = {
        "a", "b", "c", "d", "matrix_a", "matrix_b", "accumulator", "e0", "e1", "e2", "e3"};
    return holds(kOperands, word);
}

bool is_move(const Instruction& row) {
    return std::string_view(row.types) == "b16" || std::string_view(row.types) == "b32";
}

bool is_transposition(const Instruction& row) { return std::string_view(row.word) == "movmatrix"; }

using Rows = std::vector<const Instruction*>;

struct Query {
    Rows rows;
    std::string instruction, shape, operand;
    Words types;
    std::vector<bool> columns;  // of each row or col that was said
    bool trans = false;
};

Words words_of_rows() {
    Words words;
    for (const Instruction& row : instructions()) add_new(words, {row.word});
    return words;
}

// The rows whose words come first, as many of them as possible: "mma.sp" before "mma".
Rows rows_of(Words& words) {
    Rows best;
    size_t most = 0;
    for (const Instruction& row : instructions()) {
        const Words own = split(row.word, ".");
        const bool all = !words.empty() && own.front() == words.front() &&
            std::all_of(own.begin(), own.end(), [&](const std::string& w) { return holds(words, w); });
        if (!all || own.size() < most) continue;
        if (own.size() > most) best.clear();
        most = own.size();
        best.push_back(&row);
    }
    if (best.empty()) return best;
    for (const std::string& own : split(best.front()->word, "."))
        words.erase(std::find(words.begin(), words.end(), own));
    return best;
}

Words cells(const Rows& rows, const char* Instruction::*cell) {
    Words all;
    for (const Instruction* row : rows) add_new(all, listed(row->*cell));
    return all;
}

std::string nearest_of(const std::string& word, const Words& known) {
    const std::string near = nearest_word(word, known);
    return near.empty() ? "there are " + join(known, ", ") : "did you mean " + near + "?";
}

void take_words(Query& q, const Words& words) {
    const Words shapes = cells(q.rows, &Instruction::shapes);
    Words types = cells(q.rows, &Instruction::types);
    add_new(types, cells(q.rows, &Instruction::sums));
    for (const std::string& word : words) {
        if (holds(shapes, word)) {
            q.shape = word;
        } else if (holds(types, word) && word != "b16" && word != "b32") {
            q.types.push_back(word);
        } else if (is_operand(word)) {
            q.operand = operand_word(word);
        } else if (word.starts_with("row") || word.starts_with("col")) {
            q.columns.push_back(word.starts_with("col"));
        } else if (word == "trans" && is_move(*q.rows.front())) {
            q.trans = true;
        } else if (!holds(spoken_over(), word)) {
            Words known = shapes;
            if (known.size() > 12) known = {shapes.front(), "...", shapes.back()};
            add_new(known, types);
            add_new(known, is_move(*q.rows.front()) ? Words{"trans"} : Words{"a", "b", "c", "row", "col"});
            throw Error(
                fmt::format("{}: '{}' is none of its words; {}", q.instruction, word, nearest_of(word, known))
            );
        }
    }
}

Query query_of(const std::string& text) {
    Words words = split(text, ". \t");
    const std::string first = words.empty() ? "" : words.front();
    for (std::string& word : words) {
        if (word == "sp::ordered_metadata") word = "sp";
        if (word == "st" && first == "tcgen05") word = "ld";  // they lie alike
    }
    Query q;
    q.rows = rows_of(words);
    if (q.rows.empty()) {
        const std::string known = nearest_of(first == "tcgen05" ? text : first, words_of_rows());
        throw Error(fmt::format("'{}' is no instruction with a fragment; {}", text, known));
    }
    q.instruction = q.rows.front()->word;
    take_words(q, words);
    return q;
}

std::string some_of(const Words& words) {
    if (words.size() <= 12) return join(words, ", ");
    return words[0] + ", " + words[1] + " ... " + words.back();
}

void choose_rows(Query& q) {
    const Words shapes = cells(q.rows, &Instruction::shapes);
    if (q.shape.empty() && !shapes.empty())
        throw Error(fmt::format("{}: say which shape; there are {}", q.instruction, some_of(shapes)));
    std::erase_if(q.rows, [&](const Instruction* row) {
        return !q.shape.empty() && !holds(listed(row->shapes), q.shape);
    });
    if (!q.shape.empty()) q.instruction += "." + q.shape;
    const Words types = cells(q.rows, &Instruction::types), sums = cells(q.rows, &Instruction::sums);
    for (const std::string& type : q.types)
        if (!holds(types, type) && !holds(sums, type))
            throw Error(fmt::format(
                "{} has no {}; a and b are {}, c and d {}",
                q.instruction,
                type,
                join(types, ", "),
                join(sums, ", ")
            ));
}

// Which type a, b and c have: as said, or what the row leaves open. Of a mnemonic: "f32.bf16.bf16.f32".
Words types_of_operand(const Query& q, const Instruction& row, const std::string& operand) {
    Words types = listed(row.types), sums = listed(row.sums);
    const bool sum = operand == "c";
    if (q.types.size() == 4) {
        const std::string& type = q.types[operand == "a" ? 1 : sum ? 3 : 2];
        const bool mine = holds(types, q.types[1]) && holds(sums, q.types[3]);
        return mine && holds(sum ? sums : types, type) ? Words{type} : Words{};
    }
    if (q.types.size() == 2) {  // wmma.mma over f16 names d and c alone
        const bool mine = holds(types, "f16") && holds(sums, q.types[1]);
        return !mine ? Words{} : sum ? Words{q.types[1]} : types;
    }
    if (q.types.empty()) return sum ? sums : types;
    const std::string& type = q.types.front();
    if (!sum) return holds(types, type) ? Words{type} : Words{};
    if (q.operand == "c" && holds(sums, type)) return {type};
    if (holds(types, type)) return sums;
    return holds(sums, type) ? Words{type} : Words{};
}

Words operands_of(const Query& q, const Instruction& row) {
    if (is_transposition(row))
        return q.operand.empty() ? Words{"a", "d"} : Words{q.operand == "a" ? "a" : "d"};
    if (is_move(row)) return {""};
    if (!q.operand.empty()) return {q.operand};
    return std::string_view(row.word) == "wgmma" ? Words{"a", "c"} : Words{"a", "b", "c"};
}

bool order_matters(const Asked& asked) {
    return std::string_view(asked.row->word) == "mma" && asked.shape == "m8n8k4" && asked.type == "f16" &&
        asked.operand != "c";
}

std::optional<Map> map_of(const Query& q, Asked asked) {
    const bool b = asked.operand == "b", wmma = std::string_view(asked.row->word) == "wmma";
    const bool said = !q.columns.empty();
    if (asked.operand.starts_with('e') && std::string_view(asked.row->word) != "mma.sp") return {};
    asked.column = said ? (b ? q.columns.back() : q.columns.front()) : b;
    asked.pattern = asked.row->word + std::string_view(asked.row->word).rfind('.') + 1;
    asked.trans = q.trans;
    Map map = make_map(asked);
    if (order_matters(asked) || (wmma && said && asked.operand != "c"))
        map.name += asked.column ? " col" : " row";
    return map;
}

int selectors(const Instruction& row, const std::string& shape, const std::string& type) {
    if (std::string_view(row.word) != "mma.sp") return 0;
    const int groups = matrix_shape_from_name(shape).value().k / sparse_group_elements(bits_of_type(type));
    return 16 / groups;  // of four lanes, groups / 4 are chosen
}

void check_operand(const Query& q) {
    const std::string_view word = q.rows.front()->word;
    if (q.operand.empty() || is_transposition(*q.rows.front())) return;
    if (is_move(*q.rows.front()))
        throw Error(
            fmt::format("{} has no operand {}; it moves one matrix or several", q.instruction, q.operand)
        );
    if (word == "wgmma" && q.operand == "b")
        throw Error(q.instruction + ": b lies in shared memory and has no fragment; there are a and c");
    if (q.operand.starts_with('e') && word != "mma.sp")
        throw Error(q.instruction + " has no metadata; there are a, b and c");
}

}  // namespace

const std::vector<Instruction>& instructions() {
    static const char* const kCounts = "x1|x2|x4|x8|x16|x32|x64|x128";
    static const std::vector<Instruction> kTable = {
        {"wmma",        "m16n16k16|m8n32k16|m32n8k16",     "f16",       "f16|f32",              "f16",                      "f16|f32",         "9.7.14.4"                                 },
        {"wmma",        "m16n16k16|m8n32k16|m32n8k16",     "bf16",      "f32",                  "bf16",                     "f32",             "9.7.14.4"                                 },
        {"wmma",        "m16n16k16|m8n32k16|m32n8k16",     "s8|u8",     "s32",                  "s8|u8",                    "s32",             "9.7.14.4"                                 },
        {"wmma",        "m16n16k8",                        "tf32",      "f32",                  "tf32",                     "f32",             "9.7.14.4"                                 },
        {"wmma",        "m8n8k4",                          "f64",       "f64",                  "f64",                      "f64",             "9.7.14.4"                                 },
        {"wmma",        "m8n8k32",                         "s4|u4",     "s32",                  "s4|u4",                    "s32",             "9.7.14.4"                                 },
        {"wmma",        "m8n8k128",                        "b1",        "s32",                  "b1",                       "s32",             "9.7.14.4"                                 },
        {"mma",         "m8n8k4|m16n8k8|m16n8k16",         "f16",       "f16|f32",              "f16",                      "f16|f32",         "9.7.14.5"                                 },
        {"mma",         "m16n8k8|m16n8k16",                "bf16",      "f32",                  "bf16",                     "f32",             "9.7.14.5"                                 },
        {"mma",         "m16n8k4|m16n8k8",                 "tf32",      "f32",                  "tf32",                     "f32",             "9.7.14.5"                                 },
        {"mma",         "m8n8k4|m16n8k4|m16n8k8|m16n8k16", "f64",       "f64",                  "f64",                      "f64",             "9.7.14.5"                                 },
        {"mma",         "m16n8k16|m16n8k32",               "e4m3|e5m2", "f16|f32",              "e4m3",                     "f32",             "9.7.14.5"                                 },
        {"mma",         "m8n8k16|m16n8k16|m16n8k32",       "s8|u8",     "s32",                  "s8",                       "s32",             "9.7.14.5"                                 },
        {"mma",         "m8n8k32|m16n8k32|m16n8k64",       "s4|u4",     "s32",                  "s4",                       "s32",             "9.7.14.5"                                 },
        {"mma",         "m8n8k128|m16n8k128|m16n8k256",    "b1",        "s32",                  "b1",                       "s32",             "9.7.14.5"                                 },
        {"mma.sp",      "m16n8k16|m16n8k32",               "f16",       "f16|f32",              "f16",                      "f32",             "9.7.14.6"                                 },
        {"mma.sp",      "m16n8k16|m16n8k32",               "bf16",      "f32",                  "bf16",                     "f32",             "9.7.14.6"                                 },
        {"mma.sp",      "m16n8k8|m16n8k16",                "tf32",      "f32",                  "tf32",                     "f32",             "9.7.14.6"                                 },
        {"mma.sp",      "m16n8k32|m16n8k64",               "s8|u8",     "s32",                  "s8",                       "s32",             "9.7.14.6"                                 },
        {"mma.sp",      "m16n8k64|m16n8k128",              "s4|u4",     "s32",                  "s4",                       "s32",             "9.7.14.6"                                 },
        {"mma.sp",      "m16n8k64",                        "e4m3|e5m2", "f16|f32",              "e4m3",                     "f32",             "9.7.14.6"                                 },
        {"ldmatrix",    "x1|x2|x4",                        "b16",       "",                     "b16",                      "",                "9.7.14.5.15"                              },
        {"stmatrix",    "x1|x2|x4",                        "b16",       "",                     "b16",                      "",                "9.7.14.5.16"                              },
        {"movmatrix",   "",                                "b16",       "",                     "b16",                      "",                "9.7.14.5.17"                              },
        {"wgmma",       of_warpgroup(16),                  "f16",       "f16|f32",              "f16",                      "f16|f32",         "9.7.15.5.1"                               },
        {"wgmma",       of_warpgroup(16),                  "bf16",      "f32",                  "bf16",                     "f32",             "9.7.15.5.1"                               },
        {"wgmma",       of_warpgroup(8),                   "tf32",      "f32",                  "tf32",                     "f32",             "9.7.15.5.1"                               },
        {"wgmma",       of_warpgroup(32),                  "e4m3|e5m2", "f16|f32",              "e4m3|e5m2",                "f16|f32",         "9.7.15.5.1"                               },
        {"wgmma",       of_warpgroup(32,                   true),       "s8|u8",                "s32",                      "s8|u8",           "s32",                                       "9.7.15.5.1"},
        {"wgmma",             of_warpgroup(256,                                        true),                       "b1", "s32", "b1",             "s32",                                                    "9.7.15.5.1"},
        {"tcgen05.ld.32x32b", kCounts,                                  "b32",                           "",                                          "",                              "",                   "9.7.16.2.3"},
        {"tcgen05.ld.16x64b", kCounts,                                  "b32",                           "",                                          "",                              "", "9.7.16.2.3"                                 },
        {"tcgen05.ld.16x128b", "x1|x2|x4|x8|x16|x32|x64",                                  "b32",                          "",                       "",           "", "9.7.16.2.3"},
        {"tcgen05.ld.16x256b", "x1|x2|x4|x8|x16|x32",                                  "b32",                          "",                           "",               "",     "9.7.16.2.3"                                 },
        {"tcgen05.ld.16x32bx2", kCounts,                                  "b32",                         "",                                        "",                            "",               "9.7.16.2.3"},
    };
    return kTable;
}

std::vector<Map> maps_named(const std::string& words) {
    Query q = query_of(words);
    choose_rows(q);
    check_operand(q);
    std::vector<Map> maps;
    Words given;
    for (const Instruction* row : q.rows)
        for (const std::string& operand : operands_of(q, *row))
            for (const std::string& type : types_of_operand(q, *row, operand)) {
                if (operand.starts_with('e') && operand[1] - '0' >= selectors(*row, q.shape, type)) continue;
                const Asked asked{row, q.shape, operand, type, false, false, ""};
                std::optional<Map> map = map_of(q, asked);
                if (map && !holds(given, map->name)) maps.push_back(std::move(*map));
                if (!maps.empty()) add_new(given, {maps.back().name});
            }
    const Words types = cells(q.rows, &Instruction::types);
    if (q.types.empty() && types.size() > 1)
        throw Error(fmt::format("{}: say which type; there are {}", q.instruction, join(types, ", ")));
    if (maps.empty())
        throw Error(fmt::format("{}: operand {} of these types holds nothing", q.instruction, q.operand));
    return maps;
}

std::vector<std::string> every_name() {
    Words names;
    for (const Instruction& row : instructions()) {
        if (is_transposition(row)) add_new(names, {"movmatrix a", "movmatrix d"});
        for (const std::string& shape : is_move(row) ? listed(row.shapes) : Words{}) {
            add_new(names, {fmt::format("{}.{}", row.word, shape)});
            if (std::string_view(row.types) == "b16")
                add_new(names, {fmt::format("{}.{}.trans", row.word, shape)});
        }
        if (is_move(row)) continue;
        for (const std::string& shape : listed(row.shapes))
            for (const std::string& type : listed(row.types)) {
                for (int s = 0; s < selectors(row, shape, type); ++s)
                    add_new(names, {fmt::format("{}.{} e{} {}", row.word, shape, s, type)});
                for (const Map& map : maps_named(fmt::format("{}.{} {}", row.word, shape, type)))
                    add_new(names, {map.name});
            }
    }
    return names;
}

}  // namespace wl::fragments
