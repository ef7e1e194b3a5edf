// What is wrong with a field: before a run by its text, after one by its message.
#include "app/panels/run.h"
#include "instrumentation/base/matched.h"

#include <charconv>
#include <regex>

namespace wl::app {

std::string field_of(const std::string& message) {
    static const std::pair<const char*, const char*> kSigns[] = {
        {"has no fault",          "fault" },
        {"has no preset",         "preset"},
        {"--seed",                "seed"  },
        {"--inputs",              "inputs"},
        {"lies outside the grid", "block" },
        {"--record",              "block" },
        {"the connection to ",    "host"  },
        {"has no program",        "host"  },
        {"could not unpack",      "host"  },
        {"--host",                "host"  },
        {"CUDA driver",           "on"    },
        {"--on",                  "on"    },
        {"no kernel",             "kernel"},
        {"unknown kernel",        "kernel"},
    };
    // The second is said of a number that was computed with the parameter: `-5 (from "N")`.
    static const std::regex kSet(R"(--set (\w+)=)"), kFrom(R"RE(\(from "[^"]*?\b([A-Za-z_]\w*)\b(?!\())RE");
    const std::string text = message.substr(0, kLongestMatched);
    for (const std::regex& sign : {kSet, kFrom})
        if (std::smatch found; std::regex_search(text, found, sign)) return "set/" + found[1].str();
    for (const auto& [sign, field] : kSigns)
        if (message.find(sign) != std::string::npos) return field;
    return "";
}

std::string refusal_of(const RunPanel& panel) {
    const std::string seed = panel.seed.data();
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(seed.data(), seed.data() + seed.size(), value);
    if (seed.empty() || (error == std::errc() && end == seed.data() + seed.size())) return "";
    return "--seed " + seed + ": a seed is a whole number from 0 to 18446744073709551615.";
}

}  // namespace wl::app
