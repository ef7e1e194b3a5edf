// Every change that the search would try on a source, in its order, without running anything: what a step in
// the table of edits, or in the code beside it, does to the lists is seen by comparing two builds.
//   edit_lists FILE...         a line for each source and fault: how many changes, and a hash of all of them
//   edit_lists --full FILE...  the changes themselves, each after the file in rewrite/ that makes it
#include "instrumentation/base/lines.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/rewrite/rewrite.h"

#include <fmt/format.h>
#include <set>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {
namespace {

std::string text_of(const Rewrite& r) {
    std::string out = fmt::format(
        "{} {} {} family {} cost {} rank {} bias {} log prior {}: `{}` -> `{}`",
        score(r),
        r.line,
        r.rule,
        static_cast<int>(r.family),
        r.cost,
        r.suspicion_rank,
        r.bias,
        r.log_prior,
        r.was,
        r.now
    );
    for (const Edit& e : r.edits) out += fmt::format(" [{}+{}: `{}`]", e.begin, e.length, e.text);
    for (const auto& b : r.besides) out += fmt::format(" besides {}: `{}` -> `{}`", b.line, b.was, b.now);
    return r.remark.empty() ? out : out + " remark: " + r.remark;
}

// "several/borders" of ".../rewrite/several/borders.cpp".
std::string_view maker_of(const Rewrite& r) {
    std::string_view file = r.made_in;
    constexpr std::string_view kFolder = "rewrite/";
    if (const size_t at = file.rfind(kFolder); at != file.npos) file.remove_prefix(at + kFolder.size());
    return file.substr(0, file.rfind('.'));
}

std::set<std::string> faults_of(const std::string& text) {
    std::set<std::string> out = {""};
    constexpr std::string_view kPrefix = "WL_FAULT_";
    for (size_t at = text.find(kPrefix); at != text.npos; at = text.find(kPrefix, at + 1))
        out.insert(text.substr(at, text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789", at) - at));
    return out;
}

// What a run may have shown, three ways: all of it suspected, some lines, none.
std::vector<SearchContext> surroundings(int lines) {
    SearchContext all{
        .numbers = {16,   32, 128},
          .suspicion = {   },
          .axes = "xy", .unwritten = true
    };
    SearchContext some{
        .numbers = {32,   64, 150},
          .suspicion = {   },
          .values_right = true, .offset = 1, .rounding = true
    };
    SearchContext none{
        .numbers = {8,                        256},
          .suspicion = {                        },
          .factors = {"scale"                       },
          .triangle = lines / 2, .axes = "xyz"
    };
    for (int line = 1; line <= lines; ++line) all.suspicion[line] = 0;
    for (int line = 1; line <= lines; line += 3) some.suspicion[line] = line % 4;
    return {all, some, none};
}

uint64_t hashed(uint64_t hash, const std::string& text) {  // FNV-1a
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash;
}

void list(const std::string& path, bool full) {
    const std::string text = read_text_file(path);
    const int lines = static_cast<int>(lines_of(text).size());
    std::set<int> all;
    for (int k = 1; k <= lines; ++k) all.insert(k);
    size_t n = 0;
    for (const std::string& fault : faults_of(text)) {
        const Defines defines = fault.empty() ? Defines{} : Defines{{fault, "1"}};
        const Source source = read_source(text, all, defines);
        const std::vector<SearchContext> ways = surroundings(lines);
        for (size_t k = 0; k < ways.size(); ++k) {
            if (!fault.empty() && k != n % ways.size()) continue;  // of a fault one
            uint64_t hash = 0xcbf29ce484222325ULL;
            const std::vector<Rewrite> changes = rewrites(source, ways[k]);
            if (full) fmt::print("# {} {} {}\n", path, fault, k);
            for (const Rewrite& r : changes) {
                const std::string line = text_of(r);
                hash = hashed(hash, line);
                if (full) fmt::print("{} {}\n", maker_of(r), line);
            }
            if (!full) fmt::print("{} {} {}: {} changes, {:016x}\n", path, fault, k, changes.size(), hash);
        }
        ++n;
    }
}

}  // namespace
}  // namespace wl::diagnosis::rewrite

int main(int argc, char** argv) {
    const bool full = argc > 1 && std::string_view(argv[1]) == "--full";
    for (int k = full ? 2 : 1; k < argc; ++k) wl::diagnosis::rewrite::list(argv[k], full);
    return 0;
}
