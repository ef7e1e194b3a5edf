// Compiled whole, and told.
#include "instrumentation/diagnosis/search/source_change.h"

#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/symbols.h"

#include <utility>

namespace wl::diagnosis {

ptx::Module changed_module(const Experiment& e, const std::string& text) {
    compile::CompileOptions options = compile_options(e.problem, e.options);
    options.text = text;
    ptx::Module module = ptx::parse(compile::compile(options).ptx);
    fill_symbols(e.problem, module);
    return module;
}

capture::Where where_of(const Experiment& e, const rewrite::Rewrite& change) {
    capture::Where where;
    where.file = path_from_here(e.problem.kernel.source), where.line = change.line;
    return where;
}

Mended mended_by(const Experiment& e, const rewrite::Rewrite& change, std::string proof, std::string text) {
    return {
        change.rule,
        change.was,
        change.now,
        where_of(e, change),
        std::move(proof),
        change.besides,
        std::move(text),
        {}};
}

}  // namespace wl::diagnosis
