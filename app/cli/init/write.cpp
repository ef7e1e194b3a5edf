// The manifest with a comment wherever somebody has to think, and the reference with nothing in it.
#include "app/cli/init/write.h"

#include "instrumentation/base/dtype.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/matched.h"
#include "instrumentation/base/text.h"
#include "instrumentation/manifest/binding.h"

#include <algorithm>
#include <fmt/format.h>
#include <regex>
#include <set>

namespace wl::app {
namespace {

using manifest::Argument;

std::string list(const std::vector<std::string>& items) {
    std::vector<std::string> all;
    for (const std::string& item : items) all.push_back(quoted(item));
    return "[" + join(all, ", ") + "]";
}

// A text in quotes, whatever it looks like.
std::string text_of(const std::string& s) {
    const std::string out = quoted(s);
    return out.starts_with('"') ? out : '"' + out + '"';
}

// A manifest could take it for a number: without names, and of a form that its expressions have.
bool is_expression(const std::string& value) {
    try {
        manifest::evaluate(value, {}, "-D");
        return true;
    } catch (const Error&) { return false; }
}

}  // namespace

std::string quoted(const std::string& s) {
    static const std::regex kTomlNumber(R"(-?(0|[1-9][0-9]{0,17})(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?)");
    if (s.size() <= kLongestMatched && std::regex_match(s, kTomlNumber)) return s;
    std::string out = "\"";
    for (const char c : s) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            out += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        else
            out += c;
    }
    return out + '"';
}

bool is_bytes(const Argument& a) { return a.align != 0 && a.fields.front().name == "b0"; }

void set_bytes(Argument& a, std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
        Argument& field = a.fields.emplace_back();
        field.name = fmt::format("b{}", a.fields.size() - 1), field.dtype = DType::u8;
        field.value = fmt::format("{}", static_cast<unsigned>(byte));
    }
}

std::string argument_text(const Argument& a) {
    if (is_bytes(a)) {
        std::string digits;
        for (const Argument& byte : a.fields) digits += fmt::format("{:02x}", std::stoi(byte.value));
        return fmt::format(R"({{ name = "{}", bytes = "{}", align = {} }})", a.name, digits, a.align);
    }
    if (a.align != 0) {
        const size_t bytes = size_of(a.fields.front().dtype);
        std::vector<std::string> values;
        for (const Argument& field : a.fields) values.push_back(quoted(field.value));
        return fmt::format(
            R"({{ name = "{}", dtype = "{}{}", value = [{}] }})",
            a.name,
            a.fields.front().dtype == DType::f32       ? "float"
                : a.fields.front().dtype == DType::f64 ? "double"
                : bytes == 8                           ? "longlong"
                : bytes == 4                           ? "int"
                : bytes == 2                           ? "short"
                                                       : "char",
            a.fields.size(),
            join(values, ", ")
        );
    }
    if (!a.rows_of.empty())
        return fmt::format("{{ name = \"{}\", rows_of = {} }}", a.name, argument_text(a.fields.front()));
    if (!a.fields.empty()) {
        std::vector<std::string> fields;
        for (const Argument& field : a.fields) fields.push_back(argument_text(field));
        return fmt::format("{{ name = \"{}\", fields = [{}] }}", a.name, join(fields, ", "));
    }
    if (is_view(a))
        return fmt::format(
            "{{ name = \"{}\", view = {}, at = {} }}", a.name, text_of(a.pointers.front()), quoted(a.value)
        );
    if (!a.pointers.empty()) {
        std::vector<std::string> names;
        for (const std::string& name : a.pointers) names.push_back(text_of(name));
        return fmt::format("{{ name = \"{}\", pointers = [{}] }}", a.name, join(names, ", "));
    }
    std::string out = fmt::format(R"({{ name = "{}", dtype = "{}", )", a.name, wl::name_of(a.dtype));
    if (a.shape.empty()) return out + fmt::format("value = {} }}", quoted(a.value));
    out += "shape = " + list(a.shape);
    if (!a.fill.empty()) out += ", fill = " + text_of(a.fill);
    if (a.output) out += ", output = true";
    return out + " }";
}

std::string python_name(const std::string& name) {
    static const std::set<std::string> kTaken = {
        "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
        "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
        "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
        "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",    "np"};
    return kTaken.contains(name) ? name + "_" : name;
}

std::string launch_text(const manifest::LaunchRule& rule) {
    std::string out = "grid = " + list(rule.grid) + "\nblock = " + list(rule.block) + "\n";
    if (rule.shared != "0") out += "shared = " + quoted(rule.shared) + "\n";
    if (rule.stack != "0") out += "stack = " + quoted(rule.stack) + "\n";
    if (rule.cooperative) out += "cooperative = true\n";
    return out;
}

// As the file was compiled. What is no number is handed on as it stands: the name of a type, of a function.
std::string defines_text(const std::vector<std::string>& defines) {
    std::string out;
    for (const std::string& define : defines) {
        const size_t equals = define.find('=');
        const std::string value = equals == std::string::npos ? "1" : define.substr(equals + 1);
        out += (out.empty() ? "[define]\n" : "") + define.substr(0, equals) + " = " +
            (is_expression(value) ? quoted(value) : "{ text = " + text_of(value) + " }") + "\n";
    }
    return out.empty() ? out : out + "\n";
}

namespace {

// What a reader is told of an argument, behind it.
std::string remark(const Argument& a) {
    if (a.shape.empty()) return "";
    const std::string order =
        a.shape.size() > 1 ? "; so many elements are touched, the order of the extents is a guess" : "";
    return (!a.output ? "read" : a.fill.empty() ? "written" : "read and written") + order;
}

constexpr size_t kWidest = 90;  // argument before its remark, characters

std::string arguments_text(const Guess& guess) {
    size_t width = 0;
    for (const Argument& a : guess.kernel.args)
        width = std::max(width, std::min(argument_text(a).size(), kWidest));
    std::string out = std::string("args = [  # ") +
        (guess.kernel.launches.size() > 1 ? "what the launches share" : "the kernel's parameters, in order") +
        "\n";
    for (size_t i = 0; i < guess.kernel.args.size(); ++i) {
        const std::string said = remark(guess.kernel.args[i]);
        out += fmt::format(
            "  {:{}}  # {}{}{}\n",
            argument_text(guess.kernel.args[i]) + ",",
            width + 1,
            guess.types[i],
            said.empty() ? "" : "; ",
            said
        );
    }
    return out + "]\n";
}

std::string params_text(const Guess& guess) {
    std::string out = "[params]  # --set NAME=VALUE changes one\n";
    for (const auto& [name, value] : guess.kernel.params) out += name + " = " + quoted(value) + "\n";
    out += "\n[presets.ragged]  # --preset ragged: sizes that no tile and no block divides\n";
    for (const auto& [name, value] : guess.ragged) out += fmt::format("{} = {}\n", name, value);
    return out;
}

std::string launches_text(const Guess& guess) {
    const std::string from =
        guess.launch_from.empty() ? "made up: write yours" : "as in " + guess.launch_from;
    if (guess.kernel.launches.size() == 1)
        return "[launch]  # " + from + "\n" + launch_text(guess.kernel.launches.front());
    std::string out;
    for (const manifest::LaunchRule& rule : guess.kernel.launches) {
        std::vector<std::string> args;
        for (const manifest::LaunchArgument& a : *rule.args)
            args.push_back(a.of.empty() ? argument_text(a.own) : '"' + a.of + '"');
        out += (out.empty() ? "[[launch]]  # in order, from " + from.substr(6) + "\n" : "\n[[launch]]\n") +
            "entry = \"" + rule.entry + "\"\nargs = [" + join(args, ", ") + "]\n" + launch_text(rule);
    }
    return out;
}

constexpr const char* kTerms =
    "terms = 1  # products or summands of one element: K for a matrix product, 1 for an elementwise "
    "kernel\n";
constexpr const char* kBetween =
    "compare = false  # a later launch reads it; without this line, and with the reference returning it, "
    "the\n"
    "                 # launch that goes wrong first is found\n";

}  // namespace

std::string manifest_text(const Guess& guess, const Files& files) {
    std::string out = "source = " + quoted(files.source) + "\n";
    if (!files.entry.empty()) out += "entry = " + quoted(files.entry) + "\n";
    if (!files.include.empty()) {
        std::vector<std::string> folders;
        for (const std::string& folder : files.include) folders.push_back(quoted(folder));
        out += "include = [" + join(folders, ", ") + "]\n";
    }
    out += fmt::format(
        "\n# Made up here as far as the source does not tell: while a part is named, what is found may be "
        "its\n"
        "# fault, and the verdict is incomplete.\nassumed = [\"args\", \"params\"{}]\n",
        guess.launch_assumed ? ", \"launch\"" : ""
    );
    out += "\n" + arguments_text(guess) + "\n" + params_text(guess) + "\n" + launches_text(guess) + "\n";
    out += defines_text(files.defines);
    out += "[reference]  # what would be right\npython = " + quoted(files.reference) + "\n";
    for (const Argument& a : guess.kernel.args)
        if (a.output)
            out += fmt::format(
                "\n[output.{}]\n{}",
                a.name,
                guess.kernel.launches.size() > 1 && guess.read_later.contains(a.name) ? kBetween : kTerms
            );
    for (const Argument& a : guess.kernel.args)
        if (!a.rows_of.empty() && a.fields.front().output)
            out += fmt::format("\n[output.\"{}\"]\n{}", a.rows_of, kTerms);
    return out;
}

std::string reference_text(const Guess& guess, const Files& files) {
    std::string out = "import numpy as np\n\n\ndef reference(inputs, params):\n";
    out += fmt::format("    \"\"\"What {} should compute, in float64.\"\"\"\n", files.source);
    std::vector<std::string> outputs, results;
    for (const Argument& a : guess.kernel.args) {
        if (!a.rows_of.empty()) {
            const std::string name = python_name(a.name);
            out += fmt::format("    {} = inputs[\"{}\"][\"row\"]\n", name, a.name);
            if (a.fields.front().output) results.push_back(fmt::format("\"{}\": {}", a.rows_of, name));
            continue;
        }
        if (a.output) outputs.push_back(a.name);
        if (a.shape.empty() || !a.fill.empty())
            out += fmt::format(
                "    {} = inputs[\"{}\"]{}\n",
                python_name(a.name),
                a.name,
                a.shape.empty() ? ""
                                : "  # " + join(a.shape, " x ") + ", " + std::string(wl::name_of(a.dtype))
            );
    }
    out += "    # Write the arrays that the kernel writes in the shape of the manifest, such as\n";
    for (const std::string& name : outputs)
        out += fmt::format("    # {} = np.zeros(...)\n", python_name(name));
    std::vector<std::string> items = results;
    for (const std::string& name : outputs)
        items.push_back(fmt::format("\"{}\": {}", name, python_name(name)));
    return out + "    # return {" + join(items, ", ") + "}\n    return {}\n";
}

}  // namespace wl::app
