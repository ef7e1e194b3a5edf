// JSON in, plain rows out.
#include "app/worker/bank_table.h"

#include "app/worker/answer.h"
#include "instrumentation/base/bank_phases.h"

#include <algorithm>
#include <array>

namespace wl::app {

namespace {

using nlohmann::json;

AccessKind kind_from_name(const std::string& name) {
    constexpr std::array<const char*, 5> kNames = {"load", "store", "atomic", "matrix", "copy"};
    const auto at = std::find(kNames.begin(), kNames.end(), name);
    if (at == kNames.end()) throw Error("An answer about banks has an access of kind \"" + name + "\".");
    return static_cast<AccessKind>(at - kNames.begin());
}

LaneAccesses request_from(const json& witness) {
    LaneAccesses request;
    request.kind = kind_from_name(witness.at("kind"));
    request.bytes = witness.at("bytes");
    for (size_t lane = 0; lane < kWarpLanes; ++lane) {
        const json& offset = witness.at("request").at(lane);
        if (offset.is_null()) continue;
        request.mask |= 1u << lane;
        request.at[lane] = offset;
    }
    return request;
}

BankLine line_from(const json& j) {
    BankLine line;
    line.file = j.at("file"), line.line = j.at("line"), j.at("inlined_at").get_to(line.inlined_at);
    line.instruction = j.at("instruction"), line.array = j.at("array");
    line.requests = j.at("requests"), line.wavefronts = j.at("wavefronts"), line.ideal = j.at("ideal");
    line.degree = j.at("degree");
    const json& witness = j.at("witness");
    line.block = witness.at("block"), line.warp = witness.at("warp");
    line.request = request_from(witness);
    return line;
}

}  // namespace

BankTable bank_table(const std::string& text) {
    return read_answer(text, "banks", [](const json& j) {
        BankTable table;
        table.wavefronts = j.at("shared").at("wavefronts"), table.ideal = j.at("shared").at("ideal");
        for (const json& line : j.at("shared").at("lines")) table.lines.push_back(line_from(line));
        for (const json& r : j.at("remedies"))
            table.remedies.push_back(
                {r.at("array"), r.at("words"), r.at("before"), r.at("after"), r.at("same_results")}
            );
        return table;
    });
}

std::vector<BankWord> words_by_bank(const LaneAccesses& request) {
    std::vector<BankWord> words;
    const Phases phases = phases_of(request);
    const uint64_t words_a_lane = std::max<uint64_t>(request.bytes / kBankBytes, 1);
    for (size_t phase = 0; phase < phases.count; ++phase) {
        std::array<std::vector<uint64_t>, kBanks> seen;
        for (size_t lane = 0; lane < kWarpLanes; ++lane) {
            if ((phases.lanes[phase] >> lane & 1) == 0) continue;
            for (uint64_t k = 0; k < words_a_lane; ++k) {
                const uint64_t word = request.at[lane] / kBankBytes + k;
                std::vector<uint64_t>& here = seen[word % kBanks];
                const bool joins = request.kind != AccessKind::atomic &&
                    std::find(here.begin(), here.end(), word) != here.end();
                if (joins) continue;
                words.push_back(
                    {static_cast<int>(phase),
                     static_cast<int>(word % kBanks),
                     static_cast<int>(here.size()),
                     static_cast<int>(lane)}
                );
                here.push_back(word);
            }
        }
    }
    return words;
}

}  // namespace wl::app
