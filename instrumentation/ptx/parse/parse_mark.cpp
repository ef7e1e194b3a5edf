// Probe marks: `//@wl tile "scores" 10 %rd1 %r2 %r3 %r4` (instrumentation/probe/warplens.cuh).
#include "instrumentation/ptx/parse/expression.h"
#include "instrumentation/ptx/parse/parser.h"

#include <array>

namespace wl::ptx {
namespace {

struct MarkForm {
    std::string_view word;
    Mark::Kind kind;
    bool has_dtype;
    size_t operands;
    bool has_order;
};
// clang-format off
constexpr std::array<MarkForm, 6> kForms = {{
    {"stage", Mark::Kind::stage, false, 0, false},
    {"tile", Mark::Kind::tile, true, 4, false},            // ptr rows cols ld
    {"warp_tile", Mark::Kind::warp_tile, true, 4, false},  // ptr rows cols ld
    {"fragment", Mark::Kind::fragment, true, 3, false},    // index count value
    {"lanes", Mark::Kind::lanes, true, 1, false},          // value
    {"layout", Mark::Kind::layout, true, 4, true},         // ptr rows cols ld
}};
// clang-format on

const MarkForm& find_form(const Token& where, std::string_view word) {
    for (const MarkForm& form : kForms)
        if (form.word == word) return form;
    fail_at(where, "no probe mark of this name");
}

int64_t small_number(Parser& p, int64_t limit, std::string_view what) {
    const Token where = p.lexer.token;
    if (where.kind != Token::Kind::number) fail_at(where, "expected " + std::string(what));
    const Constant c = parse_number(where);
    if (c.floating || c.bits >= static_cast<uint64_t>(limit)) fail_at(where, "no " + std::string(what));
    advance(p.lexer);
    return static_cast<int64_t>(c.bits);
}

Operand mark_operand(Parser& p) {
    const Token token = p.lexer.token;
    if (token.kind == Token::Kind::word) {
        Operand o = parse_operand(p);
        if (o.kind != Operand::Kind::reg && o.kind != Operand::Kind::symbol)
            fail_at(token, "a mark's operand is a register or a number");
        return o;
    }
    const bool minus = accept(p.lexer, "-");
    if (p.lexer.token.kind != Token::Kind::number)
        fail_at(p.lexer.token, "a mark's operand is a register or a number");
    const Constant c = parse_number(p.lexer.token);
    advance(p.lexer);
    if (minus && c.floating) fail_at(token, "a mark's operand is a register or a number");
    Operand o;
    o.kind = Operand::Kind::immediate;
    o.floating = c.floating;
    o.wide = c.wide;
    o.bits = minus ? 0 - c.bits : c.bits;
    return o;
}

void parse_mark_text(Parser& p) {
    Instruction instruction;
    instruction.op = Op::mark;
    instruction.text_line = p.lexer.line;
    const Token where = p.lexer.token;
    const MarkForm& form = find_form(where, take_word(p.lexer, "the kind of a mark"));
    instruction.mnemonic = "//@wl " + std::string(form.word);
    Mark mark;
    mark.kind = form.kind;
    if (p.lexer.token.kind != Token::Kind::string) fail_at(p.lexer.token, "expected the name of a mark");
    mark.name = unescape(p.lexer.token);
    advance(p.lexer);
    if (form.has_dtype) mark.dtype = static_cast<DType>(small_number(p, kDTypes, "element type"));
    for (size_t i = 0; i < form.operands; ++i) instruction.operands.push_back(mark_operand(p));
    if (form.has_order && p.lexer.token.kind == Token::Kind::string) {
        mark.layout = unescape(p.lexer.token);
        advance(p.lexer);
    } else if (form.has_order)
        mark.order = static_cast<int>(small_number(p, 2, "order (0 row-major, 1 column-major)"));
    if (p.lexer.token.kind != Token::Kind::end) fail_at(p.lexer.token, "too many operands of a mark");
    instruction.mark = static_cast<int32_t>(p.function.marks.size());
    p.function.marks.push_back(std::move(mark));
    emit(p, std::move(instruction));
}

}  // namespace

void parse_mark(Parser& p) {
    const Token mark = p.lexer.token;
    const Lexer rest = p.lexer;
    p.lexer = start(mark.text, mark.line);
    parse_mark_text(p);
    p.lexer = rest;
    advance(p.lexer);
}

}  // namespace wl::ptx
