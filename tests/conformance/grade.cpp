// Compares element by element; a case that faults in the emulator differs, whatever its bytes.
#include "tests/conformance/grade.h"

#include "instrumentation/base/text.h"
#include "tests/conformance/bounds.h"
#include "tests/conformance/emulate.h"

#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <sstream>

namespace wl::conformance {
namespace {

struct Element {
    DType type = DType::f32;
    size_t bytes = 4;
};

std::optional<Element> floating(ptx::Type t) {
    using ptx::Type;
    switch (t) {
        case Type::f16:
        case Type::f16x2: return Element{DType::f16, 2};
        case Type::bf16:
        case Type::bf16x2: return Element{DType::bf16, 2};
        case Type::f32: return Element{DType::f32, 4};
        case Type::f64: return Element{DType::f64, 8};
        default: return {};
    }
}

// Values of element i of every input.
std::vector<double> operands_at(const Case& c, Element e, size_t i) {
    std::vector<double> values;
    for (const Buffer& b : c.buffers)
        if (!b.compared && (i + 1) * e.bytes <= b.bytes.size())
            values.push_back(to_double(e.type, b.bytes.data() + i * e.bytes));
    return values;
}

std::string hex(const std::byte* data, size_t bytes) {
    std::string text;
    for (size_t i = bytes; i-- > 0;) text += fmt::format("{:02x}", static_cast<unsigned>(data[i]));
    return text;
}

// Both sides of one compared buffer.
struct Sides {
    const std::byte *gpu = nullptr, *emulator = nullptr;
};

size_t wrong_elements(const Case& c, const Buffer& b, Sides sides, std::string& first) {
    const auto element = floating(b.type);
    const bool bounded = element && has_bound(*c.form);
    const size_t bytes = bounded ? element->bytes : std::max<size_t>(1, ptx::bytes_of(b.type));
    size_t wrong = 0;
    for (size_t i = 0; (i + 1) * bytes <= b.bytes.size(); ++i) {
        const std::byte *gpu = sides.gpu + i * bytes, *own = sides.emulator + i * bytes;
        bool equal = std::memcmp(gpu, own, bytes) == 0;
        if (!equal && bounded) {
            const auto operands = operands_at(c, *element, i);
            equal = agree(
                c.form->op,
                element->type,
                operands,
                {to_double(element->type, gpu), to_double(element->type, own), false}
            );
        }
        if (!equal && wrong++ == 0)
            first =
                fmt::format("element {}: 0x{} on the GPU, 0x{} here", i, hex(gpu, bytes), hex(own, bytes));
    }
    return wrong;
}

size_t element_count(const Case& c) {
    size_t count = 0;
    for (const Buffer* b : compared(c))
        count += b->bytes.size() / std::max<size_t>(1, ptx::bytes_of(b->type));
    return count;
}

void judge(const Case& c, const Answer& answer, Grade& g) {
    const Emulated own = emulate(c);
    if (!own.refusal.empty()) {
        if (g.unsupported++ == 0) g.refused = c.name;
        g.lines.push_back(c.name + ": " + own.refusal);
        return;
    }
    g.elements += element_count(c);
    size_t at = 0, wrong = 0;
    std::string first;
    for (const Buffer* b : compared(c)) {
        std::string here;
        wrong += wrong_elements(c, *b, {answer.bytes.data() + at, own.bytes.data() + at}, here);
        if (first.empty()) first = here;
        at += b->bytes.size();
    }
    if (wrong == 0 && own.incident.empty()) return;
    if (g.differing++ == 0) g.different = c.name;
    g.wrong += wrong;
    g.lines.push_back(fmt::format(
        "{}: {} of {} elements differ; {} {}", c.name, wrong, element_count(c), first, own.incident
    ));
}

}  // namespace

std::string key_of(const ptx::Form& form) {
    return fmt::format("{} | {} | {} | {}", form.name, form.types, form.modifiers, form.operands);
}

std::string shortfall(const Grade& g) {
    std::vector<std::string> parts;
    if (g.unsupported > 0)
        parts.push_back(fmt::format("unsupported: {} of {} cases, as {}", g.unsupported, g.cases, g.refused));
    if (g.differing > 0)
        parts.push_back(fmt::format(
            "differs: {} of {} cases, {} of {} elements, as {}",
            g.differing,
            g.cases,
            g.wrong,
            g.elements,
            g.different
        ));
    return parts.empty() ? "" : parts.size() == 1 ? parts[0] : parts[0] + "; " + parts[1];
}

std::vector<Grade> grade(const ptx::Family& family, const Golden& golden, bool run) {
    std::vector<Grade> grades;
    std::set<std::string> names;  // of two rows that span one mnemonic the decoder takes the first
    for (const ptx::Form& form : family.forms) {
        Grade& g = grades.emplace_back();
        g.form = &form;
        for (const Case& c : cases_of(form)) {
            if (!names.insert(c.name).second) continue;
            ++g.generated;
            const auto answer = golden.answers.find(c.name);
            if (answer == golden.answers.end()) continue;
            if (answer->second.hash != hash_of(c)) {
                ++g.stale;
                continue;
            }
            ++g.cases;
            if (run) judge(c, answer->second, g);
        }
    }
    return grades;
}

std::map<std::string, std::string> read_notes(const std::string& path) {
    std::map<std::string, std::string> notes;
    std::istringstream text(read_text_file(path));
    for (std::string line; std::getline(text, line);) {
        const size_t at = line.find(" : ");
        if (line.starts_with('#') || at == std::string::npos) continue;
        notes[line.substr(0, at)] = line.substr(at + 3);
    }
    return notes;
}

}  // namespace wl::conformance
