#include "instrumentation/diagnosis/early_return.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/unit.h"
#include "instrumentation/diagnosis/experiment.h"
#include "instrumentation/emulator/observe/part_exited.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace wl::diagnosis {

namespace {

// The word with nothing but spaces between it and the semicolon after it.
bool has_bare(std::string_view text, std::string_view word) {
    for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        const auto is_of_name = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        };
        if (at > 0 && is_of_name(text[at - 1])) continue;
        const size_t end = text.find_first_not_of(" \t\n", at + word.size());
        if (end != text.npos && text[end] == ';') return true;
    }
    return false;
}

}  // namespace

bool may_return_early(std::string_view text) { return has_bare(text, "return") || has_bare(text, "exit"); }

bool may_return_early(const Experiment& e) {
    const std::filesystem::path source = e.problem.kernel.source;
    if (source.extension() == ".ptx" || manifest::is_recorded(e.problem)) return true;
    try {
        return may_return_early(
            compile::read_unit(compile_options(e.problem, e.options), read_text_file(source)).text
        );
    } catch (const Error&) { return true; }
}

void drop_part_exited(const Experiment& e, std::vector<execution::Incident>& incidents) {
    const bool any = std::any_of(incidents.begin(), incidents.end(), emulator::is_part_exited);
    if (any && may_return_early(e)) emulator::drop_part_exited(incidents);
}

}  // namespace wl::diagnosis
