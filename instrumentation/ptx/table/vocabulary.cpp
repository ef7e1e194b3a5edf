// What each word of a mnemonic means: one word, one field of Modifiers.
#include "instrumentation/ptx/parse/decode.h"
#include "instrumentation/ptx/table/names.h"

#include <array>

namespace wl::ptx {
namespace {

struct FlagWord {
    std::string_view word;
    bool Modifiers::*flag;
};
constexpr std::array<FlagWord, 25> kFlags = {
    {
     {"ftz", &Modifiers::ftz},
     {"sat", &Modifiers::sat},
     {"approx", &Modifiers::approx},
     {"full", &Modifiers::full},
     {"relu", &Modifiers::relu},
     {"satfinite", &Modifiers::satfinite},
     {"xorsign", &Modifiers::xorsign},
     {"NaN", &Modifiers::nan},
     {"abs", &Modifiers::abs},
     {"noftz", &Modifiers::noftz},
     {"oob", &Modifiers::oob},
     {"cc", &Modifiers::cc},
     {"uni", &Modifiers::uni},
     {"aligned", &Modifiers::aligned},
     {"sync", &Modifiers::sync},
     {"trans", &Modifiers::trans},
     {"shiftamt", &Modifiers::shift_amount},
     {"volatile", &Modifiers::is_volatile},
     {"nc", &Modifiers::non_coherent},
     {"noinc", &Modifiers::noinc},
     {"noComplete", &Modifiers::no_complete},
     {"parity", &Modifiers::parity},
     {"mmio", &Modifiers::mmio},
     {"L2::cache_hint", &Modifiers::cache_hint},
     {"expect_tx", &Modifiers::expect_tx},
     }
};

template <class E>
struct EnumWord {
    std::string_view word;
    E value;
};

constexpr std::array<EnumWord<Rounding>, 10> kRoundings = {
    {
     {"rn", Rounding::rn},
     {"rz", Rounding::rz},
     {"rm", Rounding::rm},
     {"rp", Rounding::rp},
     {"rna", Rounding::rna},
     {"rni", Rounding::rni},
     {"rzi", Rounding::rzi},
     {"rmi", Rounding::rmi},
     {"rpi", Rounding::rpi},
     {"rs", Rounding::rs},
     }
};
constexpr std::array<EnumWord<Compare>, 18> kCompares = {
    {
     {"eq", Compare::eq},
     {"ne", Compare::ne},
     {"lt", Compare::lt},
     {"le", Compare::le},
     {"gt", Compare::gt},
     {"ge", Compare::ge},
     {"lo", Compare::lo},
     {"ls", Compare::ls},
     {"hi", Compare::hi},
     {"hs", Compare::hs},
     {"equ", Compare::equ},
     {"neu", Compare::neu},
     {"ltu", Compare::ltu},
     {"leu", Compare::leu},
     {"gtu", Compare::gtu},
     {"geu", Compare::geu},
     {"num", Compare::num},
     {"nan", Compare::nan},
     }
};
constexpr std::array<EnumWord<BoolOp>, 4> kBoolOps = {
    {{"and", BoolOp::and_}, {"or", BoolOp::or_}, {"xor", BoolOp::xor_}, {"popc", BoolOp::popc}}
};
constexpr std::array<EnumWord<AtomOp>, 10> kAtomOps = {
    {
     {"and", AtomOp::and_},
     {"or", AtomOp::or_},
     {"xor", AtomOp::xor_},
     {"cas", AtomOp::cas},
     {"exch", AtomOp::exch},
     {"add", AtomOp::add},
     {"inc", AtomOp::inc},
     {"dec", AtomOp::dec},
     {"min", AtomOp::min},
     {"max", AtomOp::max},
     }
};
constexpr std::array<EnumWord<Space>, 10> kSpaces = {
    {
     {"global", Space::global},
     {"shared", Space::shared},
     {"shared::cta", Space::shared},
     {"shared::cluster", Space::shared},
     {"local", Space::local},
     {"const", Space::constant},
     {"param", Space::param},
     {"param::entry", Space::param},
     {"param::func", Space::param},
     {"generic", Space::generic},
     }
};
constexpr std::array<EnumWord<Mode>, 31> kModes = {
    {
     {"lo", Mode::lo}, {"hi", Mode::hi},
     {"wide", Mode::wide}, {"up", Mode::up},
     {"down", Mode::down}, {"bfly", Mode::bfly},
     {"idx", Mode::idx}, {"all", Mode::all},
     {"any", Mode::any}, {"ballot", Mode::ballot},
     {"clamp", Mode::clamp}, {"wrap", Mode::wrap},
     {"l", Mode::l}, {"r", Mode::r},
     {"f4e", Mode::f4e}, {"b4e", Mode::b4e},
     {"rc8", Mode::rc8}, {"ecl", Mode::ecl},
     {"ecr", Mode::ecr}, {"rc16", Mode::rc16},
     {"finite", Mode::finite}, {"infinite", Mode::infinite},
     {"number", Mode::number}, {"notanumber", Mode::notanumber},
     {"normal", Mode::normal}, {"subnormal", Mode::subnormal},
     {"arrive", Mode::arrive}, {"red", Mode::red},
     {"to", Mode::to}, {"inc", Mode::inc},
     {"dec", Mode::dec},
     }
};

struct TextWords {
    std::string_view words;  // blank-separated
    std::string_view Modifiers::*field;
};
constexpr std::array<TextWords, 6> kTexts = {
    {
     {"weak relaxed acquire release acq_rel sc", &Modifiers::semantics},
     {"cta cluster gpu sys", &Modifiers::scope},
     {"ca cg cs lu cv wb wt L1 L2", &Modifiers::cache},
     {"L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::evict_last "
         "L2::evict_normal L2::evict_first L2::evict_unchanged",
         &Modifiers::eviction},
     {"L2::64B L2::128B L2::256B", &Modifiers::prefetch_size},
     {"1d 2d 3d a1d a2d cube acube 2dms a2dms", &Modifiers::geometry},
     }
};

bool contains(std::string_view words, std::string_view word) {
    const size_t at = words.find(word);
    const bool starts = at == 0 || (at != std::string_view::npos && words[at - 1] == ' ');
    return starts && (at + word.size() == words.size() || words[at + word.size()] == ' ');
}

template <class Table, class E>
bool take(const Table& table, std::string_view word, E& field) {
    if (field != E::none) return false;
    for (const auto& entry : table)
        if (entry.word == word) {
            field = entry.value;
            return true;
        }
    return false;
}

bool is_video(Op op) { return op >= Op::vadd && op <= Op::vset4; }
bool is_atomic(Op op) {
    return op == Op::atom || op == Op::red || op == Op::redux || op == Op::red_async || op == Op::multimem ||
        op == Op::sured || op == Op::cp_reduce_async_bulk || is_video(op);
}
bool compares(Op op) {
    return op == Op::set || op == Op::setp || op == Op::vset || op == Op::vset2 || op == Op::vset4;
}
bool combines(Op op) {
    return op == Op::set || op == Op::setp || op == Op::lop3 || op == Op::bar || op == Op::mma ||
        op == Op::mma_sp || op == Op::wmma_mma || op == Op::wgmma;
}
bool is_texture(Op op) { return op >= Op::tex && op <= Op::suq; }
bool is_matrix_multiply(Op op) {
    return op == Op::mma || op == Op::mma_sp || op == Op::wmma_mma || op == Op::wgmma;
}

// Words that mean something else in some instructions.
bool take_by_op(Op op, std::string_view word, Modifiers& m) {
    if (compares(op) && take(kCompares, word, m.compare)) return true;
    if (is_atomic(op) && take(kAtomOps, word, m.atom_op)) return true;
    const bool popc_of_matrix = is_matrix_multiply(op) && word == "popc";  // .and.popc: the kind of product
    if (combines(op) && !popc_of_matrix && take(kBoolOps, word, m.bool_op)) return true;
    const bool other_mode =
        (op == Op::bar && (word == "sync" || word == "red")) || (op == Op::vote && word == "uni");
    if (other_mode) {
        m.mode = word == "sync" ? Mode::sync : word == "red" ? Mode::red : Mode::uni;
        return true;
    }
    if (op == Op::membar && word == "gl") {
        m.scope = "gpu";
        return true;
    }
    return false;
}

bool take_flag(std::string_view word, Modifiers& m) {
    for (const FlagWord& f : kFlags)
        if (f.word == word) {
            m.*f.flag = true;
            return true;
        }
    return false;
}

bool take_text(std::string_view word, Modifiers& m) {
    for (const TextWords& t : kTexts)
        if (contains(t.words, word) && (m.*t.field).empty()) {
            m.*t.field = word;
            return true;
        }
    return false;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool take_shape(std::string_view word, Modifiers& m) {
    if (word.size() == 2 && (word[0] == 'v' || word[0] == 'x') && is_digit(word[1])) {
        m.vector = static_cast<uint8_t>(word[1] - '0');
        return true;
    }
    if (word == "row" || word == "col") {
        (m.layout_a.empty() ? m.layout_a : m.layout_b) = word;
        return true;
    }
    const bool shape = word.size() > 1 && word[0] == 'm' && is_digit(word[1]);
    if (shape) m.shape = word;
    return shape;
}

bool take_space(std::string_view word, Modifiers& m) {
    if (word == "shared::cluster" && m.space == Space::none) m.cluster = true;
    return take(kSpaces, word, m.space) || take(kSpaces, word, m.source_space);
}

}  // namespace

std::string_view name_of(Compare comparison) {
    for (const EnumWord<Compare>& word : kCompares)
        if (word.value == comparison) return word.word;
    return {};
}

Modifiers modifiers_of(Op op, const std::vector<std::string_view>& words) {
    Modifiers m;
    for (std::string_view word : words) {
        if (take_by_op(op, word, m) || take_flag(word, m)) continue;
        const bool mode = !is_texture(op) && (take(kModes, word, m.mode) || take(kModes, word, m.mode2));
        if (mode || take(kRoundings, word, m.rounding) || take_space(word, m) || take_shape(word, m) ||
            take_text(word, m))
            continue;
        (m.kind.empty() ? m.kind : m.detail) = word;
    }
    if (op == Op::cvta && m.mode == Mode::none) m.mode = Mode::from;
    return m;
}

}  // namespace wl::ptx
