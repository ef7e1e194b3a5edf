// mma.sync of random matrices with narrow and wide exponents, bit for bit as an H200 answered
// (tests/golden/tensor_core_random_sm90.npz).
#include "instrumentation/base/fragment_layout.h"
#include "instrumentation/manifest/python.h"
#include "tests/emulator/emulator_kernel.h"

#include <gtest/gtest.h>
#include <map>

namespace wl::emulator::test {
namespace {

struct Product {
    std::string mnemonic;  // "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
    MatrixShape shape;
    std::map<char, std::string> type;  // by operand: a, b, c, d
};

Product product_of(const std::string& mnemonic) {
    std::vector<std::string> words(1);
    for (const char c : mnemonic) {
        if (c == '.')
            words.emplace_back();
        else
            words.back() += c;
    }
    const size_t n = words.size();
    return {
        mnemonic,
        matrix_shape_from_name(words.at(3)).value(),
        {{'d', words[n - 4]}, {'a', words[n - 3]}, {'b', words[n - 2]}, {'c', words[n - 1]}}
    };
}

int bits_of_type(const std::string& type) {
    if (type == "f64") return 64;
    if (type == "f16" || type == "bf16") return 16;
    return type[0] == 'e' ? 8 : 32;
}

FragmentLayout layout_of(const Product& p, char operand) {
    FragmentForm f;
    f.operand = operand == 'a' ? MatrixOperand::a : operand == 'b' ? MatrixOperand::b : MatrixOperand::c;
    f.shape = p.shape;
    f.bits = bits_of_type(p.type.at(operand));
    return fragment_layout(f);
}

// Registers as [product][register][lane], each of `register_bits`.
std::vector<uint64_t> spread(const FragmentLayout& l, const Tensor& matrices) {
    const auto elements = static_cast<size_t>(l.rows * l.columns);
    const size_t products = matrices.bytes.size() / (elements * static_cast<size_t>(l.bits) / 8);
    const auto registers = static_cast<size_t>(l.registers);
    const int per = l.register_bits / l.bits;
    std::vector<uint64_t> out(products * registers * 32);
    for (size_t n = 0; n < products; ++n)
        for (int lane = 0; lane < 32; ++lane)
            for (int e = 0; e < l.elements; ++e) {
                const FragmentPlace& at = l.at(lane, e);
                const size_t element = n * elements + static_cast<size_t>(at.row * l.columns + at.column);
                uint64_t bits = 0;
                const auto bytes = static_cast<size_t>(l.bits) / 8;
                std::memcpy(&bits, matrices.bytes.data() + element * bytes, bytes);
                out[(n * registers + static_cast<size_t>(e / per)) * 32 + static_cast<size_t>(lane)] |= bits
                    << (l.bits * (e % per));
            }
    return out;
}

std::string fragment_text(const Product& p, char operand, std::string& code, bool load) {
    const FragmentLayout l = layout_of(p, operand);
    const bool wide = l.register_bits == 64;
    const std::string type = wide ? "f64" : p.type.at(operand) == "f32" ? "f32" : "b32";
    const size_t parameter = std::string("dabc").find(operand);
    const std::string pointer = "%q" + std::string(1, operand), name = "%v" + std::string(1, operand);
    code += fmt::format(
        ".reg .{0} {1}<{2}>;\n.reg .b64 {3};\nmul.wide.u32 {3}, %r1, {4};\nadd.u64 {3}, {3}, %rd{5};\n"
        "mul.wide.u32 %rd60, %r0, 8;\nadd.u64 {3}, {3}, %rd60;\n",
        type,
        name,
        l.registers,
        pointer,
        l.registers * 256,
        parameter
    );
    std::string registers;
    for (int r = 0; r < l.registers; ++r) {
        registers += fmt::format("{}{}{}", r == 0 ? "{" : ", ", name, r);
        if (load) code += fmt::format("ld.global.{} {}{}, [{}+{}];\n", type, name, r, pointer, r * 256);
    }
    return registers + "}";
}

// Registers are kept in cells of 8 bytes, whatever their size.
std::string text_of(const Product& p) {
    std::string code;
    const std::string a = fragment_text(p, 'a', code, true), b = fragment_text(p, 'b', code, true),
                      c = fragment_text(p, 'c', code, true), d = fragment_text(p, 'd', code, false);
    code += fmt::format("{} {}, {}, {}, {};\n", p.mnemonic, d, a, b, c);
    const FragmentLayout l = layout_of(p, 'd');
    const std::string type = l.register_bits == 64 ? "f64" : p.type.at('d') == "f32" ? "f32" : "b32";
    for (int r = 0; r < l.registers; ++r)
        code += fmt::format("st.global.{} [%qd+{}], %vd{};\n", type, r * 256, r);
    return kernel(code);
}

TEST(TensorCore, RandomProductsAreThoseOfTheGpu) {
    std::map<std::string, std::map<char, Tensor>> cases;
    for (Tensor& t : manifest::read_npz(WL_SOURCE_DIR "/tests/golden/tensor_core_random_sm90.npz")) {
        const size_t dot = t.name.rfind('.');
        const char operand = t.name.back();
        cases[t.name.substr(0, dot)][operand] = std::move(t);
    }
    EXPECT_EQ(cases.size(), 32u);
    for (const auto& [name, operand] : cases) {
        const Product p = product_of(name.substr(0, name.rfind('.')));
        const std::vector<uint64_t> want = spread(layout_of(p, 'd'), operand.at('d'));
        const auto products =
            static_cast<uint32_t>(want.size() / 32) / static_cast<uint32_t>(layout_of(p, 'd').registers);
        KernelRun run(text_of(p), 32, products);
        run.in("d", std::vector<uint64_t>(want.size()));
        for (const char which : {'a', 'b', 'c'})
            run.in(std::string(1, which), spread(layout_of(p, which), operand.at(which)));
        run.go();
        EXPECT_TRUE(run.result.incidents.empty()) << name;
        const auto got = run.get<uint64_t>("d");
        size_t different = 0;
        for (size_t k = 0; k < want.size(); ++k) different += got[k] != want[k] ? 1 : 0;
        EXPECT_EQ(different, 0u) << name << " of " << want.size() << " registers";
    }
}

}  // namespace
}  // namespace wl::emulator::test
