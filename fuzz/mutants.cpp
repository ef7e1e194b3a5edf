// Mutants of captures, recorded launches, manifests and PTX through everything that is done with such files.
// usage: mutants KIND [--first N] [--count N] [--seconds S] [--findings FOLDER] [--most N]
//        mutants KIND FILE...     inputs that were kept
#include "fuzz/campaign.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
// Memory in one piece beyond this, or in all, is a finding: no input is larger than a few megabytes.
extern "C" const char* __asan_default_options() {
    return "detect_leaks=0:max_allocation_size_mb=2048:hard_rss_limit_mb=3000:allocator_may_return_null=0";
}
#endif

namespace {

using namespace wl::fuzz;

const Kind* kind_named(std::string_view name) {
    for (const Kind& kind : kinds())
        if (kind.name == name) return &kind;
    return nullptr;
}

int replay_all(const Kind& kind, const std::vector<std::string>& files) {
    int problems = 0;
    for (const std::string& file : files) {
        std::string problem;
        try {
            const Tried tried = replay(kind, file);
            problem = tried.problem;
            std::printf("%s: %s\n", file.c_str(), tried.accepted ? "accepted" : "refused");
        } catch (const std::exception& thrown) {
            problem = std::string("an exception that is none of ours: ") + thrown.what();
        }
        if (problem.empty()) continue;
        std::printf("%s: %s\n", file.c_str(), problem.c_str());
        ++problems;
    }
    return problems > 0 ? 1 : 0;
}

int usage() {
    std::fprintf(
        stderr,
        "usage: mutants captures|launches|manifests|ptx [--first N] [--count N] [--seconds S] "
        "[--findings FOLDER] [--most N] [FILE...]\n"
    );
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
#ifdef __SANITIZE_ADDRESS__
    setenv("WARPLENS_MEMORY", "64M", 0);  // a mutant of seconds under a sanitizer is no hang
#endif
    const Kind* kind = argc > 1 ? kind_named(argv[1]) : nullptr;
    if (kind == nullptr) return usage();
    Campaign campaign;
    std::vector<std::string> files;
    for (int i = 2; i < argc; ++i) {
        const std::string word = argv[i];
        if (!word.starts_with("--")) {
            files.push_back(word);
            continue;
        }
        if (++i == argc) return usage();
        const std::string value = argv[i];
        if (word == "--first")
            campaign.first = std::strtoull(value.c_str(), nullptr, 10);
        else if (word == "--count")
            campaign.count = std::strtoull(value.c_str(), nullptr, 10);
        else if (word == "--seconds")
            campaign.seconds = std::strtod(value.c_str(), nullptr);
        else if (word == "--most")
            campaign.most_findings = std::atoi(value.c_str());
        else if (word == "--findings")
            campaign.findings = value;
        else
            return usage();
    }
    if (!files.empty()) return replay_all(*kind, files);
    const Outcome o = run(*kind, campaign);
    const std::string line = fmt::format(
        R"({{"kind": "{}", "first": {}, "tried": {}, "accepted": {}, "refused": {}, "crashes": {}, "hangs": {}, "wrong": {}, "seconds": {:.1f}, "slowest": {:.2f}, "slowest_number": {}}})",
        kind->name,
        campaign.first,
        o.tried,
        o.accepted,
        o.refused,
        o.crashes,
        o.hangs,
        o.wrong,
        o.seconds,
        o.slowest,
        o.slowest_number
    );
    std::printf("%s\n", line.c_str());
    return o.crashes + o.hangs + o.wrong > 0 ? 1 : 0;
}
