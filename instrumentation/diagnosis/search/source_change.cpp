// Compiled whole, and told.
#include "instrumentation/diagnosis/search/source_change.h"

#include "instrumentation/base/text.h"
#include "instrumentation/base/work.h"
#include "instrumentation/diagnosis/experiment.h"
#include "instrumentation/diagnosis/symbols.h"

#include <utility>

namespace wl::diagnosis {

ptx::Module changed_module(const Experiment& e, const std::string& text) {
    compile::CompileOptions options = compile_options(e.problem, e.options);
    options.text = text, options.device_code = true;
    const std::string ptx = compile::compile(options).ptx;
    constexpr double kMade = 40e6, kPtxByte = 100;  // as search-work.json has it, whether or not it was kept
    count_work(kMade + kPtxByte * static_cast<double>(ptx.size()));
    ptx::Module module = ptx::parse(ptx);
    fill_symbols(e.problem, module);
    return module;
}

compile::Unit unit_of(const Experiment& e) {
    return compile::read_unit(compile_options(e.problem, e.options), read_text_file(e.problem.kernel.source));
}

capture::Where where_in(const compile::Unit& unit, int line) {
    const compile::UnitPlace place = place_of(unit, line);
    capture::Where where;
    where.file = path_from_here(unit.files[place.file].path), where.line = place.line;
    return where;
}

std::vector<std::optional<int>> lines_of_locations(const ptx::Module& m, const compile::Unit& unit) {
    std::vector<std::optional<size_t>> files;
    for (const std::string& file : m.files) files.push_back(file_named(unit, file));
    std::vector<std::optional<int>> out;
    for (const ptx::Location& l : m.locations) {
        const std::optional<size_t> file = files[static_cast<size_t>(l.file)];
        out.push_back(file && l.line > 0 ? line_of(unit, {*file, l.line}) : std::nullopt);
    }
    return out;
}

std::optional<int> line_in(const compile::Unit& unit, const std::string& file, int line) {
    const std::optional<size_t> at = file_named(unit, file);
    return at ? line_of(unit, {*at, line}) : std::nullopt;
}

namespace {

// Edits that reach over two files' characters have none.
std::string patch_of(const compile::Unit& unit, const std::vector<rewrite::Edit>& edits) {
    std::vector<rewrite::Rewrite> of_file(unit.files.size());
    for (const rewrite::Edit& edit : edits) {
        const compile::UnitPiece* const piece = piece_of(unit, edit.begin, edit.length);
        if (piece == nullptr) return {};
        of_file[piece->file].edits.push_back(
            {edit.begin - piece->begin + piece->offset, edit.length, edit.text}
        );
    }
    std::string out;
    for (size_t k = 0; k < unit.files.size(); ++k) {
        const compile::UnitFile& file = unit.files[k];
        out += rewrite::patch_of(path_from_here(file.path), file.text, rewritten(file.text, of_file[k]));
    }
    return out;
}

}  // namespace

Mended mended_by(
    const compile::Unit& unit, const rewrite::Rewrite& change, std::string proof, std::string text
) {
    std::vector<Besides> besides;
    for (const rewrite::Rewrite::Besides& b : change.besides)
        besides.push_back({b.was, b.now, where_in(unit, b.line)});
    return {
        change.rule,
        change.was,
        change.now,
        where_in(unit, change.line),
        std::move(proof),
        std::move(besides),
        std::move(text),
        patch_of(unit, change.edits),
        change.remark,
        {}};
}

}  // namespace wl::diagnosis
