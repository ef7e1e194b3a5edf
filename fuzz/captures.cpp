#include "fuzz/captures.h"

#include "fuzz/answers.h"
#include "fuzz/database.h"
#include "fuzz/edits.h"
#include "fuzz/seeds.h"
#include "fuzz/values.h"
#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/capture/tables.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <optional>

namespace wl::fuzz {
namespace {

using capture::Capture;

const Schema& schema() {
    static const Schema kSchema = {
        capture::kTables,
        {capture::kIndexSql[0], capture::kIndexSql[1], capture::kViewSql[0], capture::kViewSql[1]},
        capture::kApplicationId,
        capture::kMajor * 10000 + capture::kMinor,
        capture::kBlob
    };
    return kSchema;
}

std::string text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct Seed {
    Capture capture;
    Content content;
    std::string bytes, manifest;
};

Seed seed_of(const char* name) {
    Seed seed;
    seed.manifest = seed_path(std::string(name) + ".toml");
    seed.capture = captured(seed.manifest);
    seed.bytes = text_of(capture::encode(seed.capture, "seed"));
    seed.content = read_content(seed.bytes, schema());
    return seed;
}

constexpr std::array<const char*, 5> kNames = {"steps", "steps_sync", "steps_last", "launches", "arguments"};

const std::vector<Seed>& seeds() {
    static const std::vector<Seed> kSeeds = [] {
        std::vector<Seed> made;
        for (const char* name : kNames) made.push_back(seed_of(name));
        return made;
    }();
    return kSeeds;
}

void take_items(Capture& to, const Capture& from) {
    to.launch.faults = from.launch.faults, to.launch.params = from.launch.params;
    to.stages = from.stages, to.unsupported = from.unsupported, to.covered.checks = from.covered.checks;
    to.seconds = from.seconds, to.counters = from.counters, to.notes = from.notes;
    for (size_t i = 0; i < std::min(to.findings.size(), from.findings.size()); ++i)
        to.findings[i].evidence = from.findings[i].evidence;
}

void take_meta(Capture& to, const Capture& from) {
    to.tool_version = from.tool_version, to.created = from.created, to.verdict = from.verdict;
    const std::vector<std::string> checks = to.covered.checks;
    to.covered = from.covered;
    to.covered.checks = checks;
    to.complete = from.complete;
}

void take_launch(Capture& to, const Capture& from) {
    const auto faults = to.launch.faults;
    const auto params = to.launch.params;
    to.launch = from.launch, to.ptx = from.ptx;
    to.launch.faults = faults, to.launch.params = params;
}

// The fields that come from a table.
void take_table(const std::string& table, Capture& to, const Capture& from) {
    using Take = std::function<void(Capture&, const Capture&)>;
    static const std::map<std::string, Take> kTakes = {
        {"launch",                                      take_launch                                          },
        {"launched",                                    [](Capture& a,                                         const Capture& b) { a.launches = b.launches; }},
        {"source",                                             [](Capture& a,                                                                                           const Capture& b) { a.sources = b.sources; }},
        {"site", [](Capture& a,const Capture& b) { a.sites = b.sites; }},
        {"probe",                                [](Capture& a,                                                                                  const Capture& b) { a.probes = b.probes; }},
        {"blob",                                       [](Capture& a,                                                const Capture& b) { a.blobs = b.blobs; }},
        {"tile",                                             [](Capture& a,                                                                                             const Capture& b) { a.tiles = b.tiles; }},
        {"output",     [](Capture& a,           const Capture& b) { a.outputs = b.outputs; }},
        {"record",[](Capture& a,const Capture& b) { a.records = b.records; }},
        {"event_page",                                      [](Capture& a,                                                                          const Capture& b) { a.records = b.records; }},
        {"finding",                                             [](Capture& a,                                                                                           const Capture& b) { a.findings = b.findings; }},
        {"place", [](Capture& a,                                                                                                                                                  const Capture& b) { a.findings = b.findings; }},
        {"item",take_items},
        {"meta",                                     take_meta                                }
    };
    kTakes.at(table)(to, from);
}

// Empty if what nobody touched is as it was.
std::string unlike(const Mutant& mutant, Capture opened) {
    if (mutant.seed < 0) return {};
    const Seed& seed = seeds()[static_cast<size_t>(mutant.seed)];
    for (const std::string& table : mutant.renewed) take_table(table, opened, seed.capture);
    try {
        if (text_of(capture::encode(opened, "again")) == seed.bytes) return {};
    } catch (const Error& error) { return std::string("what nobody touched has changed: ") + error.what(); }
    return mutant.renewed.empty() ? "it was taken for whole, and says something else"
                                  : "what nobody touched has changed";
}

std::string comes_back(const Capture& opened) {
    try {
        const std::vector<std::byte> written = capture::encode(opened, "written");
        if (capture::encode(capture::decode(written, "written"), "again") == written) return {};
    } catch (const Error& error) { return std::string("what opened cannot be written: ") + error.what(); }
    return "what was written comes back as something else";
}

std::optional<Capture> opened(const std::string& bytes) {
    try {
        return capture::decode(std::as_bytes(std::span(bytes)), "mutant.wlcap");
    } catch (const Error&) { return std::nullopt; }
}

// Reads every blob: damage there shows when it is asked for.
bool opens_in_parts(const std::string& bytes, std::vector<std::byte>& written) {
    const std::string path = scratch_folder() + "/parts.wlcap";
    std::ofstream(path, std::ios::binary) << bytes;
    try {
        written = capture::encode(capture::open_capture(path), "parts");
        return true;
    } catch (const Error&) { return false; }
}

std::string same_in_parts(const std::string& bytes, const std::optional<Capture>& whole) {
    std::vector<std::byte> written;
    if (opens_in_parts(bytes, written) != whole.has_value())
        return whole ? "opened in parts it is refused" : "opened in parts it is not refused";
    return !whole || written == capture::encode(*whole, "whole") ? ""
                                                                 : "opened in parts it says something else";
}

Seals choose_seals(Random& random) {
    const size_t choice = below(random, 100);
    return choice < 70 ? Seals::renewed : choice < 85 ? Seals::rows_renewed : Seals::kept;
}

}  // namespace

Mutant make_capture(uint64_t number) {
    Random random(number);
    Mutant mutant;
    mutant.seed = static_cast<int>(below(random, seeds().size()));
    const Seed& seed = seeds()[static_cast<size_t>(mutant.seed)];
    if (chance(random, 25)) {
        mutant.bytes = changed_bytes(random, seed.bytes);
        mutant.how = "bytes";
        return mutant;
    }
    Content content = seed.content;
    const Seals seals = choose_seals(random);
    Changes changes = change(random, content, schema());
    mutant.renewed = renewed_of(changes.touched, seals), mutant.how = std::move(changes.how);
    mutant.bytes = write_content(std::move(content), schema(), seals);
    return mutant;
}

Mutant edited_capture(const std::string& text) {
    const Edits edits = read_edits(text);
    const auto* const name = std::find(kNames.begin(), kNames.end(), edits.seed);
    if (name == kNames.end()) throw Error("there is no seed " + edits.seed);
    Mutant mutant;
    mutant.seed = static_cast<int>(name - kNames.begin());
    Content content = seeds()[static_cast<size_t>(mutant.seed)].content;
    mutant.renewed = edit(content, schema(), edits.lines);
    mutant.bytes = write_content(std::move(content), schema(), Seals::renewed);
    return mutant;
}

Tried try_capture(const Mutant& mutant) {
    Random random(std::hash<std::string>()(mutant.how));
    const std::optional<Capture> whole = opened(mutant.bytes);
    std::string problem;
    if (whole) problem = unlike(mutant, *whole);
    if (whole && problem.empty()) problem = comes_back(*whole);
    // In parts each row of elements answers for itself: one whose own hash was renewed is as it says.
    const bool other_elements = mutant.how.find("blob: ") != std::string::npos;
    if (problem.empty() && !other_elements && random() % 8 == 0) problem = same_in_parts(mutant.bytes, whole);
    if (!whole || !problem.empty()) return {whole.has_value(), problem};
    const size_t index = mutant.seed < 0 ? 0 : static_cast<size_t>(mutant.seed);
    if (random() % 2 == 0) problem = problem_of_questions(*whole, seeds()[index].manifest, random);
    if (problem.empty()) problem = problem_of_answers(*whole, seeds()[index].capture, random);
    return {true, problem};
}

}  // namespace wl::fuzz
