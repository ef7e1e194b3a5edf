// An entry's parameters: types by its symbol or by the source, names by the source.
#include "app/cli/check.h"
#include "app/cli/init/names.h"
#include "app/cli/init/source.h"
#include "instrumentation/base/text.h"
#include "instrumentation/ptx/table/opcodes.h"

#include <filesystem>
#include <fmt/format.h>

namespace wl::app {

std::vector<ParameterText> parameters_of(const CheckReport& report, const emulator::EntryCheck& entry) {
    const ptx::Function& function = report.module.functions[static_cast<size_t>(entry.function)];
    const std::vector<std::string> types = mangled_types(function.name);
    const bool is_source = std::filesystem::path(report.file).extension() == ".cu";
    const SourceText source = is_source ? read_source(read_text_file(report.file)) : SourceText{};
    const KernelText* kernel = find_kernel(source, plain_name(function.name));
    if (kernel && kernel->params.size() != function.params.size()) kernel = nullptr;
    std::vector<ParameterText> out;
    for (size_t i = 0; i < function.params.size(); ++i) {
        ParameterText& p = out.emplace_back();
        p.name = kernel && !kernel->params[i].name.empty() ? kernel->params[i].name : fmt::format("p{}", i);
        p.type = i < types.size() ? types[i] : kernel ? kernel->params[i].type : "";
        p.word = ptx::name_of(function.params[i].type), p.bytes = function.params[i].bytes;
    }
    return out;
}

}  // namespace wl::app
