// witness_kernels FOLDER COUNT: micro-kernels of the conformance suite, so many spread over all families, and
// every program of tests/programs, as PTX with a manifest and its inputs each: what any executor runs as a
// user's kernel.
#include "instrumentation/base/error.h"
#include "instrumentation/manifest/npy.h"
#include "tests/conformance/case.h"
#include "tests/programs/program.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <vector>

namespace wl {
namespace {

using conformance::Case;
using conformance::Image;

// A kernel as a manifest says it.
struct Manifest {
    std::string folder, name, args;
    int files = 0;
};

std::string write_array(
    Manifest& m, DType dtype, const std::vector<int64_t>& shape, const std::vector<std::byte>& bytes
) {
    const std::string file = fmt::format("{}.{}.npy", m.name, m.files++);
    manifest::write_npy(m.folder + "/" + file, {"", dtype, shape, bytes});
    return file;
}

std::string shape_text(const std::vector<int64_t>& shape) {
    std::string out;
    for (const int64_t extent : shape) out += (out.empty() ? "" : ", ") + std::to_string(extent);
    return "[" + out + "]";
}

void add_argument(Manifest& m, const std::string& rest) {
    m.args +=
        fmt::format("  {{ name = \"a{}\", {} }},\n", std::count(m.args.begin(), m.args.end(), '\n'), rest);
}

void add_array(Manifest& m, DType dtype, const std::vector<std::byte>& bytes, bool fill, bool output) {
    const std::vector<int64_t> shape{static_cast<int64_t>(bytes.size() / size_of(dtype))};
    std::string text = fmt::format("dtype = \"{}\", shape = {}", name_of(dtype), shape_text(shape));
    if (fill) text += fmt::format(", fill = \"{}\"", write_array(m, dtype, shape, bytes));
    if (output) text += ", output = true";
    add_argument(m, text);
}

// Of one element of a buffer that is compared; other buffers keep their bits as words.
DType dtype_of(ptx::Type type, bool compared) {
    if (compared && type == ptx::Type::f16) return DType::f16;
    if (compared && type == ptx::Type::f32) return DType::f32;
    if (compared && type == ptx::Type::f64) return DType::f64;
    return DType::u8;
}

void add_image(Manifest& m, const Image& image, const std::vector<std::byte>& texels) {
    constexpr const char* kModes[] = {"wrap", "clamp", "mirror", "border"};
    const execution::Texture& t = image.texture;
    if (!image.in_array) throw Unsupported("linear memory has no manifest");
    std::vector<int64_t> shape;
    if (t.layers != 0) shape.push_back(t.layers);
    for (int axis = image.dimensions - 1; axis >= 0; --axis)
        shape.push_back(t.extent[static_cast<size_t>(axis)]);
    if (t.channels > 1) shape.push_back(t.channels);
    const char* const layered = t.layers != 0 ? "true" : "false";
    std::string keys = fmt::format("channels = {}, layered = {}", t.channels, layered);
    if (!image.surface) {
        keys += fmt::format(
            ", cube = {}, filter = \"{}\", normalized = {}, numbers = {}, border = [{}, {}, {}, {}], address "
            "= [",
            t.cube,
            t.linear ? "linear" : "point",
            t.normalized,
            t.as_float && !is_float(t.dtype),
            t.border[0],
            t.border[1],
            t.border[2],
            t.border[3]
        );
        for (int axis = 0; axis < image.dimensions; ++axis)
            keys += fmt::format(
                R"({}"{}")",
                axis > 0 ? ", " : "",
                kModes[static_cast<size_t>(t.address[static_cast<size_t>(axis)])]
            );
        keys += ']';
    }
    add_argument(
        m,
        fmt::format(
            R"(dtype = "{}", shape = {}, fill = "{}", {} = {{ {} }}{})",
            name_of(t.dtype),
            shape_text(shape),
            write_array(m, t.dtype, shape, texels),
            image.surface ? "surface" : "texture",
            keys,
            image.surface ? ", output = true" : ""
        )
    );
}

std::string three(Dim3 d) { return fmt::format("[{}, {}, {}]", d.x, d.y, d.z); }

void finish(const Manifest& m, const std::string& ptx, const std::string& launch) {
    std::ofstream(m.folder + "/" + m.name + ".ptx") << ptx;
    std::ofstream(m.folder + "/" + m.name + ".toml")
        << fmt::format("source = \"{}.ptx\"\nargs = [\n{}]\n[launch]\n{}", m.name, m.args, launch);
}

void write_case(const std::string& folder, const std::string& name, const Case& c) {
    Manifest m{folder, name, {}, 0};
    for (const conformance::Buffer& b : c.buffers)
        add_array(m, dtype_of(b.type, b.compared), b.bytes, true, b.compared);
    for (const Image& i : c.images) add_image(m, i, i.texels.bytes);
    finish(
        m,
        fmt::format("// {}\n{}{}", c.name, conformance::module_header(), entry_text(c, name)),
        fmt::format("grid = {}\nblock = {}\n", three(c.grid), three(c.block))
    );
}

void write_program(const std::string& folder, const programs::Program& p) {
    using Kind = programs::Argument::Kind;
    Manifest m{folder, p.name, {}, 0};
    for (const programs::Argument& a : p.arguments) {
        switch (a.kind) {
            case Kind::value:
                add_argument(
                    m,
                    fmt::format(
                        "dtype = \"{}\", value = {}", name_of(a.type), to_double(a.type, a.bytes.data())
                    )
                );
                break;
            case Kind::image: add_image(m, a.image, a.bytes); break;
            default:
                add_array(
                    m,
                    a.type,
                    a.bytes,
                    a.kind == Kind::input || a.kind == Kind::changed,
                    a.kind != Kind::input
                );
        }
    }
    finish(
        m,
        programs::ptx_of(p),
        fmt::format(
            "grid = {}\nblock = {}\nshared = {}\ncooperative = {}\nstack = 4096\n",
            three(p.grid),
            three(p.block),
            p.dynamic_shared,
            p.cooperative
        )
    );
}

bool is_suitable(const Case& c) {
    const bool in_arrays =
        std::all_of(c.images.begin(), c.images.end(), [](const Image& i) { return i.in_array; });
    return c.value.empty() && in_arrays && (!c.risky || !c.images.empty());
}

// Of each row the first case that can be one: neither dangerous nor with a parameter by value. Of textures,
// which differ more by what they are than by the instruction, one in sixteen.
std::vector<Case> suitable_cases() {
    std::vector<Case> out;
    for (const ptx::Family& family : ptx::families())
        for (const ptx::Form& form : family.forms) {
            std::vector<Case> all = conformance::cases_of(form);
            std::erase_if(all, [](const Case& c) { return !is_suitable(c); });
            for (size_t k = 0; k < all.size(); k += 16) {
                if (k > 0 && all[k].images.empty()) break;
                out.push_back(std::move(all[k]));
            }
        }
    return out;
}

void write_all(const std::string& folder, size_t count) {
    for (const char* part : {"/conformance", "/programs"}) std::filesystem::create_directories(folder + part);
    const std::vector<Case> all = suitable_cases();
    const size_t wanted = std::min(count, all.size());
    size_t written = 0;
    for (size_t k = 0; k < wanted; ++k) {
        try {
            write_case(folder + "/conformance", fmt::format("c{:03}", k), all[k * all.size() / wanted]);
            ++written;
        } catch (const Unsupported&) {}
    }
    fmt::print("{} of {} cases that can be one\n", written, all.size());
    for (const programs::Program& p : programs::all_programs()) {
        try {
            write_program(folder + "/programs", p);
        } catch (const Unsupported& u) { fmt::print("{}: {}\n", p.name, u.what()); }
    }
}

}  // namespace
}  // namespace wl

int main(int argc, char** argv) {
    if (argc != 3) return fmt::print(stderr, "usage: witness_kernels FOLDER COUNT\n"), 2;
    try {
        wl::write_all(argv[1], std::stoul(argv[2]));
    } catch (const std::exception& e) { return fmt::print(stderr, "witness_kernels: {}\n", e.what()), 2; }
    return 0;
}
