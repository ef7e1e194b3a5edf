// `warplens manual`: the grammar as a page for man (roff, man(7)).
#include "app/cli/grammar.h"
#include "app/cli/verbs.h"
#include "instrumentation/base/output/terminal.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace wl::app {

namespace {

// A backslash, a hyphen and a dot at the start of a line mean something to roff.
std::string escaped(const std::string& text) {
    std::string out;
    bool starts = true;
    for (const char c : text) {
        if (starts && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
        starts = c == '\n';
    }
    return out;
}

std::string spelling(const CLI::Option& option) {
    if (option.get_positional() && option.get_lnames().empty() && option.get_snames().empty())
        return "\\fI" + escaped(option.get_name(true)) + "\\fR";
    std::string out;
    for (const std::string& name : option.get_snames())
        out += (out.empty() ? "" : ", ") + escaped("-" + name);
    for (const std::string& name : option.get_lnames())
        out += (out.empty() ? "" : ", ") + escaped("--" + name);
    return "\\fB" + out + "\\fR" + (option.get_expected_min() > 0 ? " \\fIVALUE\\fR" : "");
}

std::string page_of(const CLI::App& verb) {
    std::string out = fmt::format(".SS warplens {}\n{}.\n", verb.get_name(), escaped(verb.get_description()));
    for (const CLI::Option* option : verb.get_options()) {
        if (option->get_lnames() == std::vector<std::string>{"help"}) continue;
        out += fmt::format(".TP\n{}\n{}\n", spelling(*option), escaped(option->get_description()));
    }
    std::string example = verb.get_footer();
    example.erase(0, example.find('\n') + 1);
    return out + fmt::format(".PP\nExample:\n.RS\n.nf\n{}\n.fi\n.RE\n", escaped(example));
}

}  // namespace

int verb_manual(const Command& /*command*/) {
    Command unused;
    const std::unique_ptr<CLI::App> app = make_grammar(unused);
    std::string out = fmt::format(".TH WARPLENS 1 \"\" \"WarpLens {}\" \"User Commands\"\n", WL_VERSION);
    out += ".SH NAME\nwarplens \\- a debugger and visualiser for CUDA kernels that names the bug\n";
    out += ".SH SYNOPSIS\n\\fBwarplens\\fR \\fIVERB\\fR [\\fIOPTIONS\\fR]\n";
    out += ".SH DESCRIPTION\n" + escaped(app->get_description()) + "\n.SH VERBS\n";
    for (const CLI::App* verb : verbs_of(*app)) out += page_of(*verb);
    out +=
        ".SH EXIT STATUS\n.TP\n0\nclean\n.TP\n1\nfindings\n.TP\n2\nwrong usage, or an "
        "error\n.TP\n3\nunsupported\n"
        ".TP\n128 + N\nended by signal N\n";
    out +=
        ".SH ENVIRONMENT\n.TP\nWARPLENS_KERNELS\nthe folder of shipped kernels\n.TP\nWARPLENS_LESSONS\nthe "
        "folder of shipped lessons\n.TP\nWARPLENS_PYTHON\nthe "
        "Python "
        "that runs references\n.TP\nNO_COLOR\nplain text on a terminal too\n";
    print_text(out);
    return kExitOk;
}

}  // namespace wl::app
