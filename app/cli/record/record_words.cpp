#include "app/cli/record/record_words.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"

#include <CLI/CLI.hpp>
#include <cctype>
#include <charconv>
#include <tuple>
#include <utility>

namespace wl::app {

void add_record_options(CLI::App& verb, KernelOptions& k) {
    verb.add_option(
        "--record",
        k.record,
        "X,Y,Z: this block too; stores, barriers: what recorded blocks store to shared memory, and their "
        "shared arrays at every barrier; warp=A-B, epoch=A-B: of these alone (repeatable)"
    );
    verb.add_option(
            "--record-limit", k.record_limit, "megabytes that recorded blocks may take; default: 1000"
    )
        ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 40));
}

namespace {

// "3" or "2-5": the first, and the one behind the last.
std::pair<uint32_t, uint32_t> range_of(const std::string& word, const std::string& text) {
    const size_t dash = text.find('-');
    const std::string first = text.substr(0, dash),
                      last = dash == std::string::npos ? first : text.substr(dash + 1);
    uint32_t from = 0, to = 0;
    const auto read = [](const std::string& number, uint32_t& into) {
        const char* const end = number.data() + number.size();
        const auto [stop, problem] = std::from_chars(number.data(), end, into);
        return problem == std::errc() && stop == end && into < 1u << 20;
    };
    if (!read(first, from) || !read(last, to) || to < from)
        throw Error(
            "--record " + word + ": write a number, or the first and the last, for example " +
            word.substr(0, word.find('=')) + "=2-5"
        );
    return {from, to + 1};
}

void choose_warps(const std::string& word, const std::string& text, execution::Recording& out) {
    const auto [first, end] = range_of(word, text);
    if (end > 32) throw Error("--record " + word + ": a block has the warps 0 to 31");
    for (uint32_t w = first; w < end; ++w) out.warps |= uint64_t{1} << w;
}

}  // namespace

RecordWords record_words(const KernelOptions& o) {
    RecordWords out;
    execution::Recording& r = out.recording;
    bool warps = false;
    for (const std::string& word : o.record) {
        const std::string name = word.substr(0, word.find('='));
        const std::string value = name.size() < word.size() ? word.substr(name.size() + 1) : "";
        if (word == "stores") {
            r.stores = true;
        } else if (word == "barriers") {
            r.barriers = true;
        } else if (name == "warp") {
            if (!std::exchange(warps, true)) r.warps = 0;
            choose_warps(word, value, r);
        } else if (name == "epoch") {
            std::tie(r.first_epoch, r.end_epoch) = range_of(word, value);
        } else if (word.empty() || std::isdigit(static_cast<unsigned char>(word[0])) == 0) {
            static const std::vector<std::string> kWords = {"stores", "barriers", "warp", "epoch"};
            const std::string near = nearest_word(name, kWords);
            throw Error(
                "--record " + word + ": write a block X,Y,Z, or stores, barriers, warp=A-B or epoch=A-B" +
                (near.empty() ? "" : "; did you mean " + near + "?")
            );
        } else {
            out.blocks.push_back(word);
        }
    }
    if (!is_whole(r) && !r.stores && !r.barriers)
        throw Error(
            "--record warp=... and epoch=... choose among stores and barriers: add --record stores or "
            "--record barriers"
        );
    return out;
}

}  // namespace wl::app
