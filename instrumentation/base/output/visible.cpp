#include "instrumentation/base/output/visible.h"

#include <array>
#include <cstdint>

namespace wl {
namespace {

struct Character {
    uint32_t code = 0;
    size_t bytes = 0;  // 0: no UTF-8 begins here
};

// RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
Character character_at(std::string_view text, size_t at) {
    struct Form {
        uint32_t mask, lead, least;
    };
    constexpr std::array<Form, 4> kForms = {
        {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}}
    };
    const auto first = static_cast<unsigned char>(text[at]);
    for (size_t more = 0; more < kForms.size(); ++more) {
        const Form& form = kForms[more];
        if ((first & form.mask) != form.lead || at + more >= text.size()) continue;
        uint32_t code = first & ~form.mask;
        for (size_t k = 1; k <= more; ++k) {
            const auto next = static_cast<unsigned char>(text[at + k]);
            if ((next & 0xc0U) != 0x80U) return {};
            code = code << 6 | (next & 0x3fU);
        }
        const bool surrogate = code >= 0xd800 && code < 0xe000;
        return code < form.least || surrogate || code > 0x10ffff ? Character{} : Character{code, more + 1};
    }
    return {};
}

bool steers(uint32_t code) {
    const bool control = (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0);
    const bool turns = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return control || turns || code == 0xfffe || code == 0xffff;
}

std::string hex(uint32_t value, int digits) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    for (int k = digits - 1; k >= 0; --k) out += kDigits[value >> (4 * k) & 15];
    return out;
}

std::string shown(std::string_view text, bool one_line) {
    std::string out;
    out.reserve(text.size());
    for (size_t at = 0; at < text.size();) {
        const Character c = character_at(text, at);
        const bool ends_line = c.code == '\r' && (at + 1 == text.size() || text[at + 1] == '\n');
        const bool layout = one_line && (c.code == '\n' || c.code == '\t');
        if (c.bytes == 0)
            out += "\\x" + hex(static_cast<unsigned char>(text[at]), 2);
        else if (!ends_line && (layout || steers(c.code)))
            out += "\\u" + hex(c.code, 4);
        else if (!ends_line)
            out.append(text.substr(at, c.bytes));
        at += c.bytes == 0 ? 1 : c.bytes;
    }
    return out;
}

}  // namespace

std::string visible(std::string_view text) { return shown(text, false); }

std::string visible_line(std::string_view text) { return shown(text, true); }

std::string escape_markup(std::string_view text) {
    std::string out;
    for (const char c : visible(text)) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += c;
        }
    }
    return out;
}

}  // namespace wl
