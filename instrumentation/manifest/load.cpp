// The .toml as a Kernel: which keys there are, their types, and what must not be missing.
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/manifest/arguments.h"
#include "instrumentation/manifest/binding.h"
#include "instrumentation/manifest/load_launch.h"
#include "instrumentation/manifest/load_text.h"
#include "instrumentation/manifest/manifest.h"
#include "instrumentation/manifest/toml_reader.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>

namespace wl::manifest {
namespace {

namespace fs = std::filesystem;
using Pairs = std::vector<std::pair<std::string, std::string>>;

// ---- names and numbers

Pairs read_pairs(const Section& section) {
    Pairs pairs;
    for (const std::string& key : keys(section)) {
        check_name(section, key, key);
        pairs.emplace_back(key, *expression(section, key));
    }
    return pairs;
}

// NAME = expression, or NAME = { text = "float" } for what is no number.
Pairs read_defines(const Section& section) {
    Pairs defines;
    for (const std::string& key : keys(section)) {
        check_name(section, key, key);
        if (!section.table->get(key)->is_table()) {
            defines.emplace_back(key, *expression(section, key));
            continue;
        }
        const Section verbatim = *subsection(section, key);
        check_keys(verbatim, {"text"});
        const std::string what = "what the compiler is to put there";
        defines.emplace_back(
            key, std::string(kVerbatim) + required(verbatim, "text", text(verbatim, "text"), what)
        );
    }
    return defines;
}

// Values for parameters that there are.
Pairs read_settings(const Section& section, const Kernel& kernel) {
    Pairs settings = read_pairs(section);
    std::vector<std::string> known;
    for (const auto& [name, value] : kernel.params) known.push_back(name);
    for (const auto& [param, value] : settings)
        if (std::find(known.begin(), known.end(), param) == known.end())
            fail(
                *section.document,
                line_of(section, param),
                unknown(param, "parameter in " + section.name, known)
            );
    return settings;
}

void read_params(const Section& top, Kernel& kernel) {
    if (const auto section = subsection(top, "params")) {
        kernel.params = read_pairs(*section);
        for (const auto& [name, value] : kernel.params)
            if (has_meaning(name))
                fail(
                    *section->document,
                    line_of(*section, name),
                    fmt::format(
                        "params.{}: this name has a meaning of its own in expressions; choose another.", name
                    )
                );
    }
    if (const auto presets = subsection(top, "presets"))
        for (const std::string& name : keys(*presets))
            kernel.presets[name] = read_settings(*subsection(*presets, name), kernel);
    if (const auto define = subsection(top, "define")) kernel.define = read_defines(*define);
}

// ---- files, references, rules

// A text of several lines, as one line with single spaces.
std::string prose(const Section& section, const std::string& key) {
    std::istringstream words(text(section, key).value_or(""));
    std::string out;
    for (std::string word; words >> word;) out += (out.empty() ? "" : " ") + word;
    return out;
}

std::string existing_file(
    const Section& section, const std::string& key, const std::string& name, const fs::path& folder
) {
    const fs::path path = (folder / name).lexically_normal();
    std::error_code ignored;
    if (section.document->files && !fs::is_regular_file(path, ignored))
        fail(
            *section.document,
            line_of(section, key),
            fmt::format("{}: there is no file {}.", full_name(section, key), display_path(path.string()))
        );
    return path.string();
}

void read_source(const Section& top, const fs::path& toml, Kernel& kernel) {
    const fs::path folder = toml.parent_path();
    kernel.title = text(top, "title").value_or(kernel.name);
    kernel.source = existing_file(top, "source", text(top, "source").value_or(kernel.name + ".cu"), folder);
    kernel.entry = text(top, "entry").value_or("");
    kernel.story = prose(top, "story");
    for (const std::string& name : texts(top, "include").value_or(std::vector<std::string>())) {
        const fs::path path = (folder / name).lexically_normal();
        if (top.document->files && !fs::is_directory(path))
            fail(
                *top.document,
                line_of(top, "include"),
                fmt::format("include: there is no folder {}.", display_path(path.string()))
            );
        kernel.include.push_back(path.string());
    }
    kernel.assumed = texts(top, "assumed").value_or(std::vector<std::string>());
    for (const std::string& part : kernel.assumed)
        if (std::find(kAssumable.begin(), kAssumable.end(), part) == kAssumable.end())
            fail(
                *top.document,
                line_of(top, "assumed"),
                "assumed: '" + part + "' is none of args, params, launch."
            );
}

void read_limits(const Section& top, Kernel& kernel) {
    const auto section = subsection(top, "limits");
    if (!section) return;
    check_keys(*section, {"registers", "shared"});
    kernel.limits.registers = expression(*section, "registers").value_or(kernel.limits.registers);
    kernel.limits.shared = expression(*section, "shared").value_or(kernel.limits.shared);
}

void read_reference(const Section& top, const fs::path& toml, Kernel& kernel) {
    const auto section = subsection(top, "reference");
    if (!section) return;
    const std::vector<std::string> kinds = {"builtin", "python", "npz", "kernel"};
    check_keys(*section, kinds);
    if (section->table->size() != 1)
        fail(
            *section->document,
            line_of(*section),
            "[reference] holds exactly one of " + join(kinds, ", ") + "."
        );
    const std::string kind = keys(*section)[0], target = *text(*section, kind);
    kernel.reference.kind =
        static_cast<ReferenceRule::Kind>(1 + std::find(kinds.begin(), kinds.end(), kind) - kinds.begin());
    kernel.reference.target = target;
    if (kernel.reference.kind != ReferenceRule::Kind::builtin) {
        const std::string file = existing_file(*section, kind, target, toml.parent_path());
        kernel.reference.target = section->document->files ? fs::absolute(file).string() : file;
        std::error_code none;
        if (kernel.reference.kind == ReferenceRule::Kind::kernel && fs::equivalent(file, toml, none))
            fail(
                *section->document,
                line_of(*section, kind),
                "reference.kernel is this manifest itself, which proves nothing; name that of another kernel."
            );
    }
    if (kernel.reference.kind == ReferenceRule::Kind::builtin && target != "attention")
        fail(
            *section->document, line_of(*section, kind), unknown(target, "builtin reference", {"attention"})
        );
}

void read_tiles(const Section& top, Kernel& kernel) {
    const auto tiles = subsection(top, "tile");
    if (!tiles) return;
    for (const std::string& name : keys(*tiles)) {
        const Section section = *subsection(*tiles, name);
        check_keys(section, {"of", "at", "terms", "row_axis", "col_axis", "row", "col"});
        TileRule& rule = kernel.tiles[name];
        rule.of = text(section, "of").value_or(name);
        rule.at = required(
            section,
            "at",
            expressions(section, "at"),
            "the coordinates of element (0,0) in the reference tensor"
        );
        rule.terms = expression(section, "terms").value_or("");
        rule.row_axis = whole(section, "row_axis");
        rule.col_axis = whole(section, "col_axis");
        rule.row = expression(section, "row").value_or("");
        rule.col = expression(section, "col").value_or("");
        if (const std::string one = rule.row.empty() ? "col" : "row"; rule.row.empty() != rule.col.empty())
            fail(
                *section.document,
                line_of(section, one),
                full_name(section, one) + " needs its other half: row and col say which element a lane holds."
            );
        for (const char* key : {"row_axis", "col_axis"}) {
            const auto axis = whole(section, key);
            if (axis && (*axis < 0 || *axis >= static_cast<int>(rule.at.size())))
                fail(
                    *section.document,
                    line_of(section, key),
                    fmt::format(
                        "{} is {}, but \"at\" has {} dimensions, counted from 0.",
                        full_name(section, key),
                        *axis,
                        rule.at.size()
                    )
                );
        }
    }
}

void read_layouts(const Section& top, Kernel& kernel) {
    const auto layouts = subsection(top, "layout");
    if (!layouts) return;
    for (const std::string& name : keys(*layouts)) {
        const Section section = *subsection(*layouts, name);
        check_keys(section, {"as", "of", "at"});
        LayoutRule& rule = kernel.layouts[name];
        rule.as = required(
            section,
            "as",
            text(section, "as"),
            "an element type and a layout: \"f16 Swizzle<3,3,3> o (64,64):(64,1)\""
        );
        rule.of = text(section, "of").value_or(name);
        rule.at = whole(section, "at");
        if (rule.at.value_or(0) < 0)
            fail(*section.document, line_of(section, "at"), full_name(section, "at") + " is less than 0.");
    }
}

void read_faults(const Section& top, Kernel& kernel) {
    const auto faults = subsection(top, "fault");
    if (!faults) return;
    for (const std::string& name : keys(*faults)) {
        const Section section = *subsection(*faults, name);
        check_keys(section, {"about", "story", "set"});
        Fault fault;
        fault.name = name;
        fault.about =
            required(section, "about", text(section, "about"), "one sentence on what the fault does");
        fault.story = prose(section, "story");
        if (const auto set = subsection(section, "set")) fault.set = read_settings(*set, kernel);
        kernel.faults.push_back(std::move(fault));
    }
}

}  // namespace

namespace {

Kernel read_kernel(Document document, const fs::path& path) {
    const Section top = root(document);
    check_keys(
        top,
        {"title",
         "story",
         "source",
         "entry",
         "include",
         "assumed",
         "args",
         "symbol",
         "params",
         "presets",
         "define",
         "launch",
         "limits",
         "reference",
         "output",
         "tile",
         "layout",
         "fault"}
    );
    Kernel kernel;
    kernel.name = path.stem().string();
    kernel.path = path.string();
    read_source(top, path, kernel);
    kernel.args = read_arguments(top, "args");
    if (const auto symbols = subsection(top, "symbol"))
        for (const std::string& name : keys(*symbols))
            kernel.symbols.push_back(read_symbol(*subsection(*symbols, name), name));
    read_params(top, kernel);
    kernel.launches = read_launches(top, kernel);
    read_limits(top, kernel);
    read_reference(top, path, kernel);
    kernel.outputs = read_outputs(top, kernel);
    read_tiles(top, kernel);
    read_layouts(top, kernel);
    read_faults(top, kernel);
    kernel.lines = std::move(document.lines);
    return kernel;
}

}  // namespace

Kernel load(const std::string& toml_path) {
    return read_kernel(
        parse_document(read_text_file(toml_path), toml_path), fs::path(toml_path).lexically_normal()
    );
}

Kernel load_text(const std::string& text, const std::string& path) {
    Document document = parse_document(text, path);
    document.files = false;
    return read_kernel(std::move(document), fs::path(path).lexically_normal());
}

}  // namespace wl::manifest
