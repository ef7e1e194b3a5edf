#include "instrumentation/base/output/terminal.h"

#include "instrumentation/base/os/descriptor.h"
#include "instrumentation/base/os/standard_streams.h"
#include "instrumentation/base/output/visible.h"

#include <array>
#include <cstdio>
#include <random>

namespace wl {
namespace {

constexpr std::array<const char*, 6> kCodes = {"0", "1", "2", "31", "32", "33"};  // that we use
constexpr const char* kReset = "0";

std::string escape_of(const char* code) { return std::string("\033[") + code + "m"; }

const std::string& secret() {
    static const std::string kSecret = [] {
        std::random_device random;
        std::string text = "\033";
        for (int words = 0; words < 4; ++words) text += std::to_string(random()) + ".";
        return text;
    }();
    return kSecret;
}

std::string mark_of(const char* code) { return secret() + code + "m"; }

// The escapes of our own marks; all else is shown.
std::string for_terminal(std::string_view text) {
    const std::string& mark = secret();
    std::string out;
    for (size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark)) {
        out += visible(text.substr(0, at));
        text.remove_prefix(at + mark.size());
        for (const char* code : kCodes) {
            const std::string end = std::string(code) + "m";
            if (!text.starts_with(end)) continue;
            out += escape_of(code);
            text.remove_prefix(end.size());
            break;
        }
    }
    return out + visible(text);
}

void put(std::string_view text, FILE* stream) { std::fwrite(text.data(), 1, text.size(), stream); }

}  // namespace

std::string coloured(const char* code, std::string_view text) {
    return mark_of(code).append(text).append(mark_of(kReset));
}

std::string with_its_colours(std::string_view printed) {
    std::string out(printed);
    for (const char* code : kCodes) {
        const std::string escape = escape_of(code), mark = mark_of(code);
        for (size_t at = out.find(escape); at != std::string::npos; at = out.find(escape, at + mark.size()))
            out.replace(at, escape.size(), mark);
    }
    return out;
}

void print_text(std::string_view text) { put(for_terminal(text), stdout); }

void print_notice(std::string_view text) { put(for_terminal(text), stderr); }

void print_data(std::string_view data) {
    put(is_terminal(kOutput) ? visible(data) : std::string(data), stdout);
}

void print_progress(std::string_view text) { put("\r\033[K" + visible_line(text), stderr); }

}  // namespace wl
