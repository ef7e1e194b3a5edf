// Heading, facts, findings, tiles, outputs, origin, sources.
#include "app/cli/formats/page.h"

#include "app/cli/formats/page_style.h"
#include "app/cli/print.h"
#include "instrumentation/analysis/decide.h"
#include "instrumentation/analysis/verdict.h"
#include "instrumentation/base/os/atomic_file.h"
#include "instrumentation/base/output/visible.h"
#include "instrumentation/base/text.h"
#include "instrumentation/capture/verdict.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace wl::app {

namespace {

using capture::Capture;

const char* class_of(const std::string& verdict) {
    return verdict == "ok" ? "good" : verdict == "findings" || verdict == "error" ? "bad" : "warning";
}

std::string kernel_name(const capture::Launch& l) {
    std::string out = l.kernel;
    for (const std::string& fault : l.faults) out += "+" + fault;
    return out;
}

std::string fact(const std::string& number, const std::string& what) {
    return fmt::format("<div><b>{}</b><span>{}</span></div>\n", number, escape_markup(what));
}

std::string heading(const Capture& c) {
    std::string meaning;
    for (const capture::VerdictWord& word : capture::kVerdictWords)
        if (word.name == c.verdict) meaning = word.meaning;
    const auto causes =
        std::count_if(c.findings.begin(), c.findings.end(), [](const auto& f) { return f.caused_by < 0; });
    int64_t compared = 0, elements = 0;
    for (const capture::Output& o : c.outputs) compared += o.of.compared, elements += o.of.elements;
    std::string out = fmt::format(
        "<header>\n<div class=\"row\"><h1>{}</h1><span class=\"verdict {}\">{}</span></div>\n"
        "<p class=\"dim\">{}</p>\n<div class=\"facts\">\n",
        escape_markup(kernel_name(c.launch)),
        class_of(c.verdict),
        escape_markup(c.verdict),
        escape_markup(meaning)
    );
    out += fact(std::to_string(causes), causes == 1 ? "root cause" : "root causes");
    out += fact(std::to_string(c.findings.size() - static_cast<size_t>(causes)), "consequences");
    out += fact(fmt::format("{} of {}", compared, elements), "elements of outputs compared");
    out += fact(fmt::format("{} of {}", c.covered.blocks_compared, c.covered.blocks), "blocks compared");
    out += fact(std::to_string(c.covered.schedules), c.covered.schedules == 1 ? "schedule" : "schedules");
    return out + "</div>\n</header>\n";
}

std::string patch_part(const std::string& patch) {
    if (patch.empty()) return "";
    std::string out = "<h2>The change that mends</h2>\n<pre>";
    std::istringstream lines(patch);
    for (std::string line; std::getline(lines, line);) {
        const char* kind = line.starts_with('+') ? "plus" : line.starts_with('-') ? "minus" : "dim";
        out += fmt::format("<span class=\"{}\">{}</span>", kind, escape_markup(line.empty() ? " " : line));
    }
    return out + "</pre>\n";
}

std::string chain_part(const std::string& chain) {
    if (chain.empty()) return "";
    std::string out = "<h2>Where the first wrong element comes from</h2>\n<pre>";
    std::istringstream lines(chain);
    for (std::string line; std::getline(lines, line);) {
        const char* kind = line.starts_with("  >") ? " class=\"here\"" : "";
        out += fmt::format("<span{}>{}</span>", kind, escape_markup(line.empty() ? " " : line));
    }
    return out + "</pre>\n";
}

std::string verdict_word(capture::Verdict verdict) {
    switch (verdict) {
        case capture::Verdict::ok: return "<td class=\"good\">ok</td>";
        case capture::Verdict::bad: return "<td class=\"bad\">wrong</td>";
        case capture::Verdict::undecided: return "<td class=\"warning\">undecided</td>";
        default: return "<td class=\"dim\">not compared</td>";
    }
}

std::string outputs_part(const Capture& c) {
    if (c.outputs.empty()) return "";
    std::string out =
        "<h2>Outputs</h2>\n<div class=\"scroll\"><table>\n<tr><th>output</th><th>verdict</th><th "
        "class=\"right\">"
        "compared</th><th class=\"right\">max difference</th><th class=\"right\">allowed</th><th>limit</th>"
        "<th class=\"right\">NaN</th><th class=\"right\">never written</th></tr>\n";
    for (const capture::Output& o : c.outputs) {
        const bool any = o.of.compared > 0;
        out += fmt::format(
            "<tr><td>{}</td>{}<td class=\"right\">{} of {}</td><td class=\"right\">{}</td>"
            "<td class=\"right\">{}</td><td>{}</td><td class=\"right\">{}</td><td "
            "class=\"right\">{}</td></tr>\n",
            escape_markup(o.name),
            verdict_word(o.verdict),
            o.of.compared,
            o.of.elements,
            any ? fmt::format("{:.3g}", o.max_difference) : "",
            any ? fmt::format("{:.3g}", o.bound) : "",
            escape_markup(any ? analysis::limit_text(o.of) : o.note),
            o.nan,
            o.of.unwritten
        );
    }
    return out + "</table></div>\n";
}

std::string row(const std::string& name, const std::string& value) {
    if (value.empty()) return "";
    return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escape_markup(value));
}

std::string origin_part(const Capture& c) {
    const capture::Launch& l = c.launch;
    const bool simulated = l.executor == "emulator";
    std::string seconds;
    for (const auto& [name, value] : c.seconds)
        seconds += fmt::format("{}{} {:.2f} s", seconds.empty() ? "" : ", ", name, value);
    std::string out = "<h2>What was run</h2>\n<dl>\n";
    out += row("kernel", kernel_name(l) + ", entry " + l.entry);
    out += row("launch", size_text(l));
    if (l.all > 1) out += row("of the sequence", fmt::format("{} of {}: {}", l.number, l.all, l.name));
    out += row("parameters", params_text(l));
    out += row("inputs", fmt::format("{}, seed {}", l.inputs, l.seed));
    if (l.schedule_seed != 0) out += row("schedule", std::to_string(l.schedule_seed));
    out += row("build", l.build + ", " + l.arch);
    out += row("values", simulated ? "simulated by the CPU emulator" : "measured on " + l.executor);
    out += row("checks", join(c.covered.checks, ", "));
    out += row("not covered", join(analysis::gaps(c), "; "));
    out += row("took", seconds);
    out += row("made by", "WarpLens " + c.tool_version + ", " + c.created);
    for (const capture::Source& s : c.sources)
        out += row("source", s.path + ", SHA-256 " + sha256_hex(s.text));
    for (const std::string& note : c.notes) out += row("note", note);
    return out + "</dl>\n";
}

std::string sha256_base64(std::string_view text) {
    const std::string hex = sha256_hex(text);
    std::string bytes;
    for (size_t at = 0; at < hex.size(); at += 2)
        bytes += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
    return base64(bytes);
}

// Content Security Policy Level 3: nothing is fetched, no script runs, and the one style is ours.
std::string policy_of(std::string_view style) {
    return fmt::format(
        "default-src 'none'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
        sha256_base64(style)
    );
}

std::string sources_part(const Capture& c) {
    if (c.sources.empty()) return "";
    std::string out = "<h2>Sources</h2>\n";
    for (const capture::Source& s : c.sources) {
        out += "<details><summary>" + escape_markup(s.path) + "</summary>\n<pre>";
        std::istringstream lines(s.text);
        int number = 0;
        for (std::string line; std::getline(lines, line);)
            out += fmt::format("<span><i>{}</i>{}</span>", ++number, escape_markup(line));
        out += "</pre></details>\n";
    }
    return out;
}

}  // namespace

std::string base64(std::string_view bytes) {
    constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (size_t i = 0; i < bytes.size(); i += 3) {
        const size_t there = std::min<size_t>(3, bytes.size() - i);
        uint32_t word = 0;
        for (size_t k = 0; k < 3; ++k)
            word = word << 8 | (k < there ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        for (size_t k = 0; k < 4; ++k) out += k <= there ? kLetters[word >> (18 - 6 * k) & 63] : '=';
    }
    return out;
}

std::string page_text(const Capture& c, const PageExtras& extras) {
    std::string unsupported;
    for (const std::string& reason : c.unsupported)
        unsupported += "<article class=\"follows\"><p>" + escape_markup(reason) + "</p></article>\n";
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"generator\" content=\"WarpLens {}\">\n<title>{}: "
        "{}</title>\n<style>{}</style>\n</head>\n"
        "<body>\n<main>\n{}{}{}{}{}{}{}{}{}<footer>WarpLens {}</footer>\n</main>\n</body>\n</html>\n",
        policy_of(kPageStyle),
        escape_markup(c.tool_version),
        escape_markup(kernel_name(c.launch)),
        escape_markup(c.verdict),
        kPageStyle,
        heading(c),
        unsupported,
        findings_part(c),
        patch_part(extras.patch),
        chain_part(extras.chain),
        tiles_part(c),
        outputs_part(c),
        origin_part(c),
        sources_part(c),
        escape_markup(c.tool_version)
    );
}

void write_page(const Capture& capture, const PageExtras& extras, const std::string& path) {
    write_text_file(path, page_text(capture, extras));
}

}  // namespace wl::app
