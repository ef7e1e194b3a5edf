// An allocation becomes an array with the element type of the pointer that leads to it, as many elements as
// the allocation has, and what it held.
#include "app/cli/init/program/memory.h"

#include "app/cli/init/names.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/type_names.h"
#include "instrumentation/execution/windows.h"
#include "instrumentation/manifest/expression.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fmt/format.h>

namespace wl::app {
namespace {

using launches::Memory;
using manifest::Argument;
using runtime::DescribedMemory;

constexpr size_t kMostAddresses = 4096;  // of a table

[[noreturn]] void refuse(const Memories& m, const std::string& why) {
    throw Unsupported(fmt::format("{}, launch {}: {}", m.kernel, m.seen->launch.number, why));
}

const Memory* contents_of(const SeenLaunch& seen, uint64_t base) {
    for (const Memory& memory : seen.launch.memory)
        if (memory.base == base) return &memory;
    return nullptr;
}

uint64_t word_at(const std::vector<std::byte>& bytes, size_t at) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    return word;
}

// What the elements are: a number or vector, or one of several equal members.
struct Element {
    DType dtype = DType::u8;
    int64_t lanes = 1;
    bool known = false;
};

std::optional<Element> element_of_struct(const SourceText& source, const std::string& name) {
    std::string bare = name;
    for (const char* word : {"const ", "struct "})
        if (bare.starts_with(word)) bare.erase(0, std::strlen(word));
    for (const char* word : {" const", " volatile"})
        if (bare.ends_with(word)) bare.resize(bare.size() - std::strlen(word));
    const auto found = source.structs.find(bare);
    if (found == source.structs.end() || found->second.empty()) return std::nullopt;
    const auto first = type_from_name(found->second.front().type);
    const bool alike =
        first && std::all_of(found->second.begin(), found->second.end(), [&](const auto& member) {
            const auto type = type_from_name(member.type);
            return type && type->dtype == first->dtype && type->lanes == 1;
        });
    return alike ? std::optional(Element{first->dtype, static_cast<int64_t>(found->second.size()), true})
                 : std::nullopt;
}

Element element_for(const Memories& m, const ArrayHint& hint, uint64_t bytes) {
    const std::string of = pointee(hint.type);
    Element out;
    if (const auto named = type_from_name(of))
        out = {named->dtype, named->lanes, true};
    else if (const auto members = element_of_struct(m.source, of))
        out = *members;
    else if ((of.empty() || of.find("void") != of.npos) && hint.param != nullptr && hint.param->followed)
        out.dtype = hint.param->accessed;
    if (bytes % (size_of(out.dtype) * static_cast<uint64_t>(out.lanes)) != 0) out.lanes = 1;
    if (bytes % size_of(out.dtype) != 0) out.dtype = DType::u8;
    return out;
}

// NumPy has no such type: its bits are kept as whole numbers, which fills take for them.
DType carrier(DType type) {
    return type == DType::bf16                       ? DType::u16
        : type == DType::e4m3 || type == DType::e5m2 ? DType::u8
        : type == DType::tf32                        ? DType::f32
                                                     : type;
}

bool is_zero(const std::vector<std::byte>& bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

uint64_t unwritten_bytes(const DescribedMemory& memory) {
    uint64_t sum = 0;
    for (const auto& [begin, end] : memory.unwritten) sum += end - begin;
    return sum;
}

void fill_from(
    Memories& m, Argument& a, const std::vector<std::byte>& bytes, const std::vector<int64_t>& shape
) {
    if (is_zero(bytes)) {
        a.fill = "zeros";
        return;
    }
    a.fill = fmt::format("{}.{}.npy", m.stem, a.name);
    m.out.files[a.name] = {a.name, carrier(a.dtype), shape, bytes};
}

// What it held before the launch, as far as somebody had written it.
void fill(Memories& m, Argument& a, const DescribedMemory& memory, const Memory& held) {
    std::vector<int64_t> shape;
    for (const std::string& extent : a.shape) shape.push_back(std::stoll(extent));
    const uint64_t unwritten = unwritten_bytes(memory);
    std::string& remark = m.out.remarks[a.name];
    const bool in_part = memory.wrote && memory.left_unwritten > 0 && !memory.read;
    if (unwritten >= memory.bytes && in_part) {
        a.fill = "zeros";
        remark = fmt::format(
            "the launch left {} of its {} bytes unwritten: they are zeros here",
            memory.left_unwritten,
            memory.bytes
        );
        return;
    }
    if (unwritten >= memory.bytes) {
        a.output = true;
        remark = "nobody had written it before the launch";
        if (!memory.wrote) m.out.not_compared.push_back(a.name);
        return;
    }
    fill_from(m, a, held.before, shape);
    if (unwritten > 0) {
        remark =
            fmt::format("{} of its {} bytes nobody had written before the launch", unwritten, memory.bytes);
        m.out.notes.push_back(fmt::format(
            "{}: {}; a manifest takes all of an array for written, so that a read of these is not found",
            a.name,
            remark
        ));
    }
}

// Its words are addresses, or null.
enum class Words : uint8_t { data, addresses, mixed };

Words words_of(const Memories& m, const std::vector<std::byte>& bytes, size_t& first_address) {
    size_t addresses = 0, others = bytes.size() % sizeof(uint64_t);
    for (size_t at = 0; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
        const uint64_t word = word_at(bytes, at);
        if (word == 0) continue;
        if (!target_of(m, word, false)) {
            ++others;
            continue;
        }
        if (addresses++ == 0) first_address = at;
    }
    return addresses == 0 ? Words::data : others == 0 ? Words::addresses : Words::mixed;
}

// Where its type says what it holds, a number that looks like an address is one.
bool may_hold_addresses(const Memories& m, const ArrayHint& hint) {
    const std::string of = pointee(hint.type);
    if (element_of_struct(m.source, of)) return false;
    const auto named = type_from_name(of);
    return !named || named->dtype == DType::u64 || named->dtype == DType::s64;
}

void add_table(
    Memories& m, Argument& a, const DescribedMemory& memory, const Memory& held, const ArrayHint& hint
) {
    if (memory.wrote)
        refuse(
            m,
            fmt::format("it writes to {}, an array of addresses: a manifest has no output of these", a.name)
        );
    if (held.before.size() / sizeof(uint64_t) > kMostAddresses)
        refuse(
            m,
            fmt::format(
                "{} is an array of {} addresses; a manifest lists at most {}",
                a.name,
                held.before.size() / sizeof(uint64_t),
                kMostAddresses
            )
        );
    for (size_t at = 0; at < held.before.size(); at += sizeof(uint64_t)) {
        const uint64_t word = word_at(held.before, at);
        if (word == 0) {
            a.pointers.emplace_back("null");
            continue;
        }
        const std::string name = fmt::format("{}_{}", a.name, at / sizeof(uint64_t));
        a.pointers.push_back(
            argument_at(m, *target_of(m, word, false), {name, pointee(hint.type), false, nullptr})
        );
    }
}

// The same memory as the launch before left it.
void require_unchanged(const Memories& m, const std::string& name, uint64_t base, const Memory& held) {
    const auto known = m.left.find(base);
    if (known == m.left.end() || known->second == held.before) return;
    refuse(
        m,
        "between this launch and the one before the program changed " + name +
            ": a sequence of launches has no place for that; describe the launches one by one"
    );
}

std::string no_contents(const DescribedMemory& memory) {
    return memory.freed ? memory.name + ", which the program had freed"
                        : memory.name + ", which was not kept";
}

// Words of 8 bytes that lie in the heap of device-side malloc.
void require_no_heap(const Memories& m, const std::string& name, const Memory& held) {
    if (!m.seen->about.has_heap) return;
    constexpr uint64_t kHeap = execution::kGlobalBase - (uint64_t{1} << 40), kMostHeap = uint64_t{1} << 36;
    for (size_t at = 0; at + sizeof(uint64_t) <= held.before.size(); at += sizeof(uint64_t))
        if (word_at(held.before, at) - kHeap < kMostHeap)
            refuse(m, name + " holds addresses of memory that a kernel allocated by malloc");
}

}  // namespace

std::optional<Target> target_of(const Memories& m, uint64_t word, bool end) {
    for (const DescribedMemory& memory : m.seen->about.memory) {
        const uint64_t offset = word - memory.base;
        if (offset < memory.bytes || (end && offset == memory.bytes && word != 0 && memory.bytes > 0))
            return Target{&memory, offset};
    }
    return std::nullopt;
}

std::string fresh_name(Memories& m, const std::string& wanted) {
    std::string name;
    for (const char c : wanted) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    if (!manifest::is_identifier(name)) name.insert(0, "p");
    std::string own = name;
    for (int n = 2; !m.names.insert(own).second; ++n) own = fmt::format("{}_{}", name, n);
    return own;
}

std::string array_at(Memories& m, const Target& target, const ArrayHint& hint) {
    const DescribedMemory& memory = *target.memory;
    const Memory* held = memory.freed ? nullptr : contents_of(*m.seen, memory.base);
    if (held == nullptr) refuse(m, fmt::format("{} points into {}", hint.name, no_contents(memory)));
    const auto known = m.arrays.find(memory.base);
    if (known != m.arrays.end()) {
        Argument& a = m.out.kernel.args[known->second];
        require_unchanged(m, a.name, memory.base, *held);
        a.output = a.output || (hint.may_be_written && a.pointers.empty());
        return a.name;
    }
    Argument a;
    a.name = fresh_name(m, hint.name);
    require_no_heap(m, a.name, *held);
    size_t first = 0;
    const Words words = may_hold_addresses(m, hint) ? words_of(m, held->before, first) : Words::data;
    if (words == Words::mixed)
        refuse(
            m,
            fmt::format(
                "{} holds addresses among other data (byte {} is that of {}): a manifest has arrays of "
                "addresses, and "
                "arrays of numbers",
                a.name,
                first,
                target_of(m, word_at(held->before, first), false)->memory->name
            )
        );
    const size_t index = m.out.kernel.args.size();
    m.arrays[memory.base] = index;
    if (words == Words::addresses) {
        m.out.kernel.args.push_back(a);
        add_table(m, a, memory, *held, hint);
        m.out.kernel.args[index] = a;
        return a.name;
    }
    const Element element = element_for(m, hint, memory.bytes);
    a.dtype = element.dtype;
    const uint64_t each = size_of(a.dtype) * static_cast<uint64_t>(element.lanes);
    a.shape = {fmt::format("{}", memory.bytes / each)};
    if (element.lanes > 1) a.shape.push_back(fmt::format("{}", element.lanes));
    a.output = memory.wrote || hint.may_be_written;
    fill(m, a, memory, *held);
    if (!element.known && !pointee(hint.type).empty() && m.out.remarks[a.name].empty())
        m.out.remarks[a.name] = pointee(hint.type) + " taken for " + std::string(name_of(a.dtype));
    m.out.kernel.args.push_back(std::move(a));
    return m.out.kernel.args.back().name;
}

std::string argument_at(Memories& m, const Target& target, const ArrayHint& hint) {
    const auto key = std::pair(target.memory->base, target.offset);
    if (const auto known = m.views.find(key); known != m.views.end()) {
        array_at(m, {target.memory, 0}, hint);
        return known->second;
    }
    ArrayHint whole = hint;
    if (target.offset != 0) whole.name += "_memory";
    std::string array = array_at(m, {target.memory, 0}, whole);
    if (target.offset == 0) return array;
    Argument view;
    view.name = m.views[key] = fresh_name(m, hint.name);
    view.pointers = {array}, view.value = fmt::format("{}", target.offset);
    m.out.kernel.args.push_back(view);
    return view.name;
}

void note_left(Memories& m) {
    for (const auto& [base, index] : m.arrays) {
        const Memory* held = contents_of(*m.seen, base);
        if (held == nullptr) continue;
        m.left[base] = launches::left_in(*held);
        for (const DescribedMemory& memory : m.seen->about.memory)
            if (memory.base == base && memory.wrote && m.out.kernel.args[index].pointers.empty())
                m.out.kernel.args[index].output = true;
    }
}

}  // namespace wl::app
