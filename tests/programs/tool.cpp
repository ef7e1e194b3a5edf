// programs_tool: writes the bundle that a GPU machine runs, stores what came back, tells what the emulator
// makes of it.
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "tests/conformance/bundle.h"
#include "tests/conformance/pool.h"
#include "tests/programs/program.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace wl::programs {
namespace {

constexpr std::string_view kUsage =
    "usage: programs_tool bundle FOLDER PTXAS        cubins and inputs of all programs, for programs_run.py\n"
    "       programs_tool store RESULTS GOLDEN       puts results into tests/golden/programs\n"
    "       programs_tool run [PROGRAM]              findings and refusals of the emulator\n";

std::string cubin_of(const Program& p, const std::string& folder, const std::string& ptxas) {
    const std::string source = folder + "/try.ptx", cubin = folder + "/try.cubin";
    std::ofstream(source) << ptx_of(p);
    const std::string command = ptxas + " -arch=sm_90 -o " + cubin + " " + source;
    if (std::system(command.c_str()) != 0) throw Error(p.name + " does not compile by " + ptxas + ".");
    std::string bytes = read_text_file(cubin);
    std::filesystem::remove(source);
    std::filesystem::remove(cubin);
    return bytes;
}

nlohmann::json describe(const Program& p, const std::string& cubin, conformance::Pool& pool) {
    nlohmann::json j;
    j["name"] = p.name;
    j["hash"] = fmt::format("{:016x}", hash_of(p));
    j["code"] = placed(pool, cubin);
    j["grid"] = {p.grid.x, p.grid.y, p.grid.z};
    j["block"] = {p.block.x, p.block.y, p.block.z};
    j["shared"] = p.dynamic_shared;
    j["cooperative"] = p.cooperative;
    j["prints"] = p.prints;
    for (const Argument& a : p.arguments) {
        nlohmann::json described = placed(pool, conformance::text_of(a.bytes));
        described["value"] = a.kind == Argument::Kind::value;
        described["compared"] = is_compared(a);
        if (a.kind == Argument::Kind::image) described["image"] = conformance::described(a.image);
        j["arguments"].push_back(described);
    }
    return j;
}

void bundle(const std::string& folder, const std::string& ptxas) {
    std::filesystem::create_directories(folder);
    conformance::Pool pool;
    nlohmann::json list = nlohmann::json::array();
    for (const Program& p : all_programs()) list.push_back(describe(p, cubin_of(p, folder, ptxas), pool));
    std::ofstream(folder + "/programs.json") << list.dump();
    conformance::write_compressed(folder + "/data.z", pool.bytes);
    fmt::print("{} programs\n", list.size());
}

void store(const std::string& results, const std::string& golden) {
    std::filesystem::create_directories(golden);
    const auto answers = nlohmann::json::parse(read_text_file(results + "/results.json"));
    const std::string bytes = conformance::concatenated_results(results);
    size_t stored = 0;
    for (const Program& p : all_programs()) {
        const auto result = answers.at("programs").value(p.name, nlohmann::json());
        if (result.is_null()) continue;
        const bool same = std::stoull(std::string(result.at("hash")), nullptr, 16) == hash_of(p);
        if (!same || result.at("status") != "ok") {
            fmt::print("{}: {}\n", p.name, same ? std::string(result.at("status")) : "another program ran");
            continue;
        }
        const auto* at = reinterpret_cast<const std::byte*>(bytes.data()) + size_t(result.at("offset"));
        conformance::Golden g;
        g.records = {answers.at("record").dump()};
        g.answers[p.name] = {
            hash_of(p), 0, {at, at + size_t(result.at("bytes"))}
        };
        conformance::write_golden(golden + "/" + p.name + ".golden", g);
        ++stored;
    }
    fmt::print("{} results stored\n", stored);
}

void run(const std::string& only) {
    for (const Program& p : all_programs()) {
        if (!only.empty() && p.name != only) continue;
        try {
            const Outcome outcome = emulate(p);
            fmt::print("{}: {} findings\n", p.name, outcome.incidents.size());
            for (const std::string& incident : outcome.incidents) fmt::print("    {}\n", incident);
            if (!outcome.printed.empty()) fmt::print("{}", outcome.printed);
        } catch (const std::exception& e) { fmt::print("{}: {}\n", p.name, e.what()); }
    }
}

}  // namespace
}  // namespace wl::programs

int main(int argc, char** argv) {
    using namespace wl::programs;
    const std::vector<std::string> args(argv + 1, argv + argc);
    try {
        if (args.size() == 3 && args[0] == "bundle")
            bundle(args[1], args[2]);
        else if (args.size() == 3 && args[0] == "store")
            store(args[1], args[2]);
        else if (!args.empty() && args[0] == "run")
            run(args.size() > 1 ? args[1] : "");
        else
            return fmt::print(stderr, "{}", kUsage), 2;
    } catch (const std::exception& e) { return fmt::print(stderr, "programs_tool: {}\n", e.what()), 2; }
    return 0;
}
