// Machine code for the GPU, by ptxas; what it refuses.
#include "tests/conformance/bundle.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "tests/conformance/pool.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace wl::conformance {
namespace {

constexpr size_t kCasesAtOnce = 50;  // judged in one run of ptxas, which takes about 0.1 s

size_t lines_in(std::string_view text) {
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string name_of_entry(size_t index) { return "c" + std::to_string(index); }

std::string module_of(std::span<const Case* const> cases) {
    std::string text = module_header();
    for (size_t i = 0; i < cases.size(); ++i) text += entry_text(*cases[i], name_of_entry(i));
    return text;
}

std::string cubin_path(const Assembler& assembler) { return assembler.folder + "/try.cubin"; }

// Messages of one run by line of the module; line 0: without a line. Empty: it compiled, to cubin_path().
std::vector<std::pair<size_t, std::string>> complaints(const Assembler& assembler, const std::string& text) {
    const std::string source = assembler.folder + "/try.ptx", log = assembler.folder + "/try.log";
    std::ofstream(source) << text;
    const std::string command =
        assembler.ptxas + " -arch=sm_90a -o " + cubin_path(assembler) + " " + source + " > " + log + " 2>&1";
    const int status = std::system(command.c_str());
    std::vector<std::pair<size_t, std::string>> found;
    if (status == 0) return found;
    std::ifstream file(log);
    std::string all;
    for (std::string message; std::getline(file, message);) {
        all += message + "\n";
        const size_t at = message.find(", line "), error = message.find("error");
        // A missing symbol is told with the line of some other entry.
        const bool of_line = message.find("Unknown symbol") == std::string::npos &&
            message.find("requires call prototype") == std::string::npos;
        if (at == std::string::npos || error == std::string::npos || !of_line) continue;
        const size_t colon = message.find(": ", error);
        found.emplace_back(
            std::stoul(message.substr(at + 7)),
            colon == std::string::npos ? message : message.substr(colon + 2)
        );
    }
    if (all.find("not found") != std::string::npos && found.empty())
        throw Error("ptxas cannot be run as " + assembler.ptxas + ": " + all);
    if (found.empty()) found.emplace_back(0, all.substr(0, all.find('\n')));
    return found;
}

// Drops from `cases` what this run complains about. False: no line was named, so nothing was dropped.
bool drop_culprits(
    std::vector<const Case*>& cases,
    const std::vector<std::pair<size_t, std::string>>& found,
    Messages& rejected
) {
    std::vector<size_t> ends;
    size_t line = lines_in(module_header());
    for (const Case* c : cases) ends.push_back(line += lines_in(c->text));
    std::vector<bool> bad(cases.size());
    bool any = false;
    for (const auto& [at, message] : found) {
        if (at == 0) continue;
        const auto i = static_cast<size_t>(std::lower_bound(ends.begin(), ends.end(), at) - ends.begin());
        if (i >= cases.size()) continue;
        if (!bad[i]) rejected[cases[i]->name] = message;
        bad[i] = any = true;
    }
    std::vector<const Case*> kept;
    for (size_t i = 0; i < cases.size(); ++i)
        if (!bad[i]) kept.push_back(cases[i]);
    cases = std::move(kept);
    return any;
}

void sift(
    const Assembler& assembler,
    std::vector<const Case*> cases,
    std::vector<const Case*>& good,
    Messages& rejected
) {
    while (!cases.empty()) {
        const auto found = complaints(assembler, module_of(cases));
        if (found.empty()) {
            good.insert(good.end(), cases.begin(), cases.end());
            return;
        }
        if (drop_culprits(cases, found, rejected)) continue;
        if (cases.size() == 1) {
            rejected[cases[0]->name] = found[0].second;
            return;
        }
        const auto half = cases.begin() + static_cast<ptrdiff_t>(cases.size() / 2);
        sift(assembler, {cases.begin(), half}, good, rejected);
        sift(assembler, {half, cases.end()}, good, rejected);
        return;
    }
}

nlohmann::json describe(const Case& c, std::string_view code, Pool& pool) {
    nlohmann::json j;
    j["name"] = c.name;
    j["hash"] = fmt::format("{:016x}", hash_of(c));
    j["code"] = placed(pool, code);
    j["grid"] = {c.grid.x, c.grid.y, c.grid.z};
    j["block"] = {c.block.x, c.block.y, c.block.z};
    j["risky"] = c.risky;
    j["buffers"] = nlohmann::json::array();
    for (const Buffer& b : c.buffers) {
        j["buffers"].push_back(placed(pool, text_of(b.bytes)));
        j["buffers"].back()["compared"] = b.compared;
    }
    for (const Image& i : c.images) {
        j["images"].push_back(described(i));
        j["images"].back().update(placed(pool, text_of(i.texels.bytes)));
    }
    if (!c.value.empty()) j["value"] = placed(pool, text_of(c.value));
    return j;
}

}  // namespace

nlohmann::json described(const Image& image) {
    constexpr std::array<const char*, 4> kModes = {"wrap", "clamp", "mirror", "border"};
    const execution::Texture& t = image.texture;
    nlohmann::json j;
    j["compared"] = image.texels.compared;
    j["format"] = std::string(name_of(t.dtype));
    j["channels"] = t.channels;
    j["dimensions"] = image.dimensions;
    j["extent"] = t.extent;
    j["layers"] = t.layers;
    j["surface"] = image.surface;
    j["in_array"] = image.in_array;
    j["as_float"] = t.as_float;
    j["normalized"] = t.normalized;
    j["linear"] = t.linear;
    for (const execution::AddressMode mode : t.address)
        j["address"].push_back(kModes[static_cast<size_t>(mode)]);
    j["border"] = t.border;
    return j;
}

std::vector<const Case*> accepted(
    const Assembler& assembler, std::span<const Case* const> cases, Messages& rejected
) {
    std::vector<const Case*> good;
    for (size_t at = 0; at < cases.size(); at += kCasesAtOnce) {
        const auto part = cases.subspan(at, std::min(kCasesAtOnce, cases.size() - at));
        sift(assembler, {part.begin(), part.end()}, good, rejected);
    }
    return good;
}

void write_bundle(const Assembler& assembler, std::span<const Case* const> cases) {
    Pool pool;
    nlohmann::json list;
    list["entry"] = name_of_entry(0);
    list["cases"] = nlohmann::json::array();
    for (const Case* c : cases) {
        const auto found = complaints(assembler, module_of({&c, 1}));
        if (!found.empty())
            throw Error(
                c->name + " compiles among others, but not alone: " + found[0].second +
                ". Its template leaves something out."
            );
        list["cases"].push_back(describe(*c, read_text_file(cubin_path(assembler)), pool));
    }
    std::ofstream(assembler.folder + "/cases.json") << list.dump();
    write_compressed(assembler.folder + "/data.z", pool.bytes);
    for (const char* file : {"/try.ptx", "/try.log", "/try.cubin"})
        std::filesystem::remove(assembler.folder + file);
}

}  // namespace wl::conformance
