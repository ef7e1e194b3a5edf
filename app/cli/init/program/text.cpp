// The manifest holds no value that the launch left: the program may be wrong.
#include "app/cli/init/program/text.h"

#include "app/cli/init/write.h"
#include "instrumentation/base/text.h"
#include "instrumentation/manifest/binding.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::app {
namespace {

using manifest::Argument;

bool is_compared(const Described& d, const Argument& a) {
    const std::vector<std::string>& left_out = d.not_compared;
    return a.output && std::find(left_out.begin(), left_out.end(), a.name) == left_out.end();
}

std::string remark_of(const Described& d, const Argument& a) {
    const auto found = d.remarks.find(a.name);
    std::vector<std::string> words;
    if (!a.shape.empty())
        words.emplace_back(
            !a.output                ? "read"
                : !is_compared(d, a) ? "read, if at all"
                : a.fill.empty()     ? "written"
                                     : "read and written, as far as the kernel can"
        );
    if (found != d.remarks.end() && !found->second.empty()) words.push_back(found->second);
    return join(words, "; ");
}

std::string arguments_text(const Described& d) {
    constexpr size_t kWidest = 90;
    std::string out = "args = [\n";
    for (const Argument& a : d.kernel.args) {
        const std::string said = remark_of(d, a), text = argument_text(a) + ",";
        out += said.empty() ? fmt::format("  {}\n", text)
                            : fmt::format("  {:{}}  # {}\n", text, std::min(text.size(), kWidest), said);
    }
    return out + "]\n";
}

std::string given_text(const manifest::LaunchRule& rule) {
    if (!rule.args) return {};
    std::vector<std::string> given;
    for (const manifest::LaunchArgument& a : *rule.args)
        given.push_back(a.of.empty() ? argument_text(a.own) : '"' + a.of + '"');
    return "args = [" + join(given, ", ") + "]\n";
}

std::string launches_text(const Described& d) {
    if (d.kernel.launches.size() == 1)
        return "[launch]\n" + given_text(d.kernel.launches.front()) + launch_text(d.kernel.launches.front());
    std::string out;
    for (const manifest::LaunchRule& rule : d.kernel.launches)
        out += (out.empty() ? "" : "\n") +
            fmt::format(
                   "[[launch]]\nentry = {}\n{}{}", quoted(rule.entry), given_text(rule), launch_text(rule)
            );
    return out;
}

std::string symbols_text(const Described& d) {
    std::string out;
    for (const Argument& s : d.kernel.symbols)
        out += fmt::format(
            "\n[symbol.{}]\ndtype = \"{}\"\nshape = [{}]\nfill = {}\n",
            '"' + s.name + '"',
            name_of(s.dtype),
            s.shape.front(),
            quoted(s.fill)
        );
    return out;
}

std::string comment(const std::string& text) {
    std::string out = "# ";
    for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    return out + "\n";
}

}  // namespace

std::vector<std::string> compared_outputs(const Described& d) {
    std::vector<std::string> out;
    for (const Argument& a : d.kernel.args)
        if (is_compared(d, a)) out.push_back(a.name);
    return out;
}

std::string described_text(const Described& d, const DescribedFiles& files) {
    std::string out = comment(files.about);
    out +=
        "# What the launch left is not here: the program may be wrong. [reference] says what would be "
        "right.\n";
    for (const std::string& note : d.notes) out += comment(note);
    out += "source = " + quoted(files.source) + "\n";
    if (!files.entry.empty()) out += "entry = " + quoted(files.entry) + "\n";
    if (!files.include.empty()) {
        std::vector<std::string> folders;
        for (const std::string& folder : files.include) folders.push_back(quoted(folder));
        out += "include = [" + join(folders, ", ") + "]\n";
    }
    if (compared_outputs(d).empty())
        out +=
            "\n# The launch wrote no array, and its kernel has no store to one that a parameter leads to: "
            "that it has\n"
            "# no output is an assumption.\nassumed = [\"args\"]\n";
    out += "\n" + arguments_text(d) + "\n" + launches_text(d) + "\n" + defines_text(files.defines);
    out += "[reference]\npython = " + quoted(files.reference) + "\n";
    for (const Argument& a : d.kernel.args)
        if (a.output)
            out += fmt::format(
                "\n[output.{}]\n{}",
                a.name,
                is_compared(d, a)
                    ? "terms = 1  # products or summands of one element: K for a matrix product, 1 for "
                      "an elementwise "
                      "kernel\n"
                    : "compare = false  # nobody writes it: it stands here as an output to be uninitialised\n"
            );
    return out + symbols_text(d);
}

std::string described_reference(const Described& d, const DescribedFiles& files) {
    std::string out = "import numpy as np\n\n\ndef reference(inputs, params):\n";
    std::string about = files.about;
    std::replace_if(
        about.begin(),
        about.end(),
        [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; },
        '\''
    );
    out += fmt::format("    \"\"\"What should be left by {}, in float64.\"\"\"\n", about);
    std::vector<std::string> items;
    const auto add = [&](const Argument& a) {
        const std::string name = python_name(a.name);
        out += fmt::format(
            "    {} = inputs[\"{}\"]{}\n",
            name,
            a.name,
            a.shape.empty() ? "" : fmt::format("  # {}, {}", join(a.shape, " x "), name_of(a.dtype))
        );
    };
    for (const Argument& a : d.kernel.args)
        if (!is_view(a) && (a.shape.empty() || !a.fill.empty())) add(a);
    for (const std::string& name : compared_outputs(d))
        items.push_back(fmt::format("\"{}\": {}", name, python_name(name)));
    out +=
        "    # Return the arrays that the kernel writes as they should be, in the shape of the manifest:\n";
    return out + "    # return {" + join(items, ", ") + "}\n    return {}\n";
}

}  // namespace wl::app
