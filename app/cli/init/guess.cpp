// Types by the mangled name, names by the source, sizes that differ from each other, so that they can be told
// apart.
#include "app/cli/init/guess.h"

#include "app/cli/init/names.h"
#include "app/cli/init/pointers.h"
#include "app/cli/init/sizes.h"
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/type_names.h"
#include "instrumentation/execution/reach.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace wl::app {
namespace {

using manifest::Argument;

struct Guesser {
    const ptx::Module& module;
    const ptx::Function& entry;
    const SourceText& source;
    const std::string& file;
    const KernelText* text = nullptr;
    const LaunchText* launch = nullptr;
    std::vector<std::string> types = {};
    std::map<std::string, std::string> known = {};     // the host's names and the kernel's, as parameters
    std::map<std::string, std::string> literals = {};  // of arguments that the host passes as numbers
    Guess guess = {};

    std::string name_of_param(size_t i) const {
        if (text && i < text->params.size() && !text->params[i].name.empty()) return text->params[i].name;
        return fmt::format("p{}", i);
    }
    std::string type_of_param(size_t i) const {
        const std::string written = text && i < text->params.size() ? text->params[i].type : "";
        return i < types.size() ? types[i] : written;
    }

    void whole_number(Argument& argument) {
        argument.value = expression_name(argument.name);
        const auto literal = literals.find(argument.name);
        const bool extent = literal == literals.end() && !is_switch(argument.name);
        if (extent) guess.sizes.push_back(argument.value);
        guess.kernel.params.emplace_back(
            argument.value,
            extent                          ? ""
                : literal == literals.end() ? "0"
                                            : literal->second
        );
    }
    void real_number(Argument& argument) {
        const auto literal = literals.find(argument.name);
        argument.value = literal != literals.end()    ? literal->second
            : has_word(argument.name, {"eps"})        ? "1e-5"
            : has_word(argument.name, {"rate", "lr"}) ? "0.01"
                                                      : "1.0";
    }
    // A struct whose members the source tells, where they are numbers and fill its bytes.
    bool members(const ptx::Variable& param, const std::string& type, Argument& argument) {
        const auto found = source.structs.find(type);
        if (found == source.structs.end()) return false;
        uint64_t end = 0, align = 1;
        for (const ParamText& member : found->second) {
            const auto named = type_from_name(member.type);
            if (!named || named->lanes != 1) return false;
            const uint64_t bytes = size_of(named->dtype);
            end = (end + bytes - 1) / bytes * bytes + bytes;
            align = std::max(align, bytes);
        }
        if ((end + align - 1) / align * align != param.bytes) return false;
        for (const ParamText& member : found->second) {
            Argument& field = argument.fields.emplace_back();
            field.name = member.name;
            field.dtype = type_from_name(member.type)->dtype;
            if (is_float(field.dtype))
                real_number(field);
            else
                whole_number(field);
        }
        return true;
    }
    // A struct by value, of which only the size is known: its words.
    void words(const ptx::Variable& param, const std::string& type, Argument& argument) {
        if (members(param, type, argument)) return;
        const DType word = param.align >= 8 && param.bytes % 8 == 0 ? DType::u64
            : param.bytes % 4 == 0                                  ? DType::u32
                                                                    : DType::u8;  // a tag without members
        for (uint64_t at = 0; at < param.bytes; at += size_of(word)) {
            Argument& field = argument.fields.emplace_back();
            field.name = fmt::format("w{}", at / size_of(word));
            field.dtype = word;
            field.value = "0";
        }
        if (param.bytes > 1)  // an object without members has one
            guess.unknown.push_back(fmt::format(
                "{} is a struct of {} bytes: write its fields in place of w0, w1, ...",
                argument.name,
                param.bytes
            ));
    }
    void scalar(const ptx::Variable& param, const std::string& type, Argument& argument) {
        const auto named = type_from_name(type);
        if (named && named->lanes == 1 && size_of(named->dtype) == param.bytes)
            argument.dtype = named->dtype;
        else if (named && size_of(named->dtype) * static_cast<size_t>(named->lanes) == param.bytes)
            return vector(*named, argument);
        else if (param.bytes > 8 || param.bytes == 3 || (!type.empty() && !named))
            return words(param, type, argument);
        else
            argument.dtype = scalar_type(param);
        if (is_float(argument.dtype))
            real_number(argument);
        else
            whole_number(argument);
    }
    static DType scalar_type(const ptx::Variable& param) {
        if (param.type == ptx::Type::f32) return DType::f32;
        if (param.type == ptx::Type::f64) return DType::f64;
        return param.bytes == 8 ? DType::s64
            : param.bytes == 4  ? DType::s32
            : param.bytes == 2  ? DType::s16
                                : DType::u8;
    }
    static void vector(const NamedType& type, Argument& argument) {
        argument.align = type.align();
        for (int i = 0; i < type.lanes; ++i) {
            Argument& field = argument.fields.emplace_back();
            field.name = std::string(1, "xyzw"[i]);
            field.dtype = type.dtype;
            field.value = "1";
        }
    }
    // A table of addresses, taken for those of the rows of one array.
    static void table(const std::string& element, Argument& argument) {
        const std::string pointee = element.substr(0, element.rfind('*'));
        const auto named = type_from_name(pointee);
        Argument& rows = argument.fields.emplace_back();
        rows.name = "row";
        rows.dtype = named ? named->dtype : DType::f32;
        rows.output = pointee.find("const") == pointee.npos;
        rows.fill = rows.output || !is_float(rows.dtype) ? "zeros" : "normal";
        argument.rows_of = argument.name + ".row";
    }
    // As many rows as the grid's last extent, and no row longer than all sizes together.
    void table_shapes() {
        for (Argument& argument : guess.kernel.args) {
            if (argument.rows_of.empty()) continue;
            std::string length;
            for (const std::string& size : guess.sizes) length += (length.empty() ? "" : " * ") + size;
            argument.fields.front().shape = {guess.kernel.launches.front().grid.back(), length};
            guess.unknown.push_back(fmt::format(
                "{} is a table of addresses, taken for those of the rows of one array: give its extents, or "
                "pointers = [{{ ... }}, ...]",
                argument.name
            ));
        }
    }

    void array(const std::string& type, DType accessed, Argument& argument) {
        const size_t star = type.rfind('*');
        const std::string element = star == type.npos ? "" : type.substr(0, star);
        if (element.find('*') != element.npos) return table(element, argument);
        const auto named = type_from_name(element);
        argument.dtype = named ? named->dtype : accessed;
        argument.shape = {"1"};
        if (named && named->lanes > 1) argument.shape.push_back(fmt::format("{}", named->lanes));
        if (!named && !element.empty())
            guess.unknown.push_back(fmt::format(
                "{} is an array of {}, taken for {}: give its element type and shape",
                argument.name,
                element,
                wl::name_of(argument.dtype)
            ));
    }

    // Parameters that no instruction reads, as the descriptors of Numba's arrays and Triton's scratch memory
    // are to a kernel that needs none of them.
    bool is_unread(size_t i) const {
        const std::string& name = entry.params[i].name;
        return module.text.find("[" + name + "]") == std::string::npos &&
            module.text.find("[" + name + "+") == std::string::npos &&
            module.text.find(", " + name + ";") == std::string::npos;
    }

    void arguments() {
        const std::vector<Pointer> pointers = pointer_params(entry);
        for (size_t i = 0; i < entry.params.size(); ++i) {
            Argument argument;
            argument.name = name_of_param(i);
            const std::string type = type_of_param(i);
            const bool written_pointer = type.find('*') != type.npos;
            const bool is_pointer =
                type.empty() ? pointers[i].followed : written_pointer && entry.params[i].bytes == 8;
            if (text == nullptr && !is_pointer && entry.params[i].bytes <= 8 && is_unread(i)) {
                argument.dtype = scalar_type(entry.params[i]);
                argument.value = "0";
            } else if (is_pointer)
                array(type, pointers[i].element, argument);
            else
                scalar(entry.params[i], type, argument);
            guess.types.push_back(
                type.empty() && text == nullptr
                    ? std::string(wl::name_of(argument.dtype)) + (is_pointer ? "*" : "")
                    : type
            );
            if (launch && i < launch->args.size())
                for (const Argument& field : argument.fields)  // p.rows
                    known.emplace(launch->args[i] + "." + field.name, field.value);
            guess.kernel.args.push_back(std::move(argument));
        }
    }

    void read_launch() {
        for (size_t i = 0; launch && i < launch->args.size() && i < entry.params.size(); ++i) {
            const std::string& arg = launch->args[i];
            const bool number = !arg.empty() && arg.find_first_not_of("0123456789.eE+-fuUL") == arg.npos &&
                std::isdigit(static_cast<unsigned char>(arg[0] == '-' ? arg[1] : arg[0])) != 0;
            if (number)
                literals[name_of_param(i)] = arg.substr(0, arg.find_first_of("fuUL"));
            else
                known[arg] = expression_name(name_of_param(i));
        }
        for (size_t i = 0; i < entry.params.size(); ++i)
            known.emplace(name_of_param(i), expression_name(name_of_param(i)));
    }
    // Only whole numbers of the kernel are parameters; arrays and real numbers are none.
    void keep_known() {
        std::erase_if(known, [&](const auto& pair) {
            return std::none_of(guess.kernel.params.begin(), guess.kernel.params.end(), [&](const auto& p) {
                return p.first == pair.second;
            });
        });
    }

    // A parameter that is an extent of the launch's block is no size of the data.
    void take_out_blocks() {
        const auto block = launch && launch->config.size() > 1
            ? manifest_extents(source, launch->config[1], launch->line, known)
            : std::nullopt;
        for (size_t axis = 0; block && axis < block->size(); ++axis) {
            const auto size = std::find(guess.sizes.begin(), guess.sizes.end(), (*block)[axis]);
            if (size == guess.sizes.end()) continue;
            for (auto& [name, value] : guess.kernel.params)
                if (name == *size) value = block->size() > 1 ? "16" : "128";
            guess.sizes.erase(size);
        }
    }

    void values() {
        static const std::array<std::array<int, 4>, 4> kSizes = {
            {{1024, 0, 0, 0}, {128, 96, 0, 0}, {32, 24, 40, 0}, {4, 32, 48, 8}}
        };
        take_out_blocks();
        if (guess.sizes.empty()) {
            guess.kernel.params.insert(guess.kernel.params.begin(), {"N", ""});
            guess.sizes = {"N"};
        }
        const auto& row = kSizes[std::min<size_t>(guess.sizes.size(), 4) - 1];
        for (size_t i = 0; i < guess.sizes.size(); ++i) {
            const int value = i < 4 ? row[i] : 16, odd = value > 8 ? value - 5 : value - 1;
            for (auto& [name, text_value] : guess.kernel.params)
                if (name == guess.sizes[i]) text_value = fmt::format("{}", value);
            guess.ragged.emplace_back(guess.sizes[i], fmt::format("{}", odd));
        }
    }

    void made_up_launch() {
        const auto uses = [&](const char* special) { return module.text.find(special) != module.text.npos; };
        const int64_t required = entry.required_threads[0], most = entry.max_threads[0];
        const std::string& x = guess.sizes.back();  // the last runs along a row
        const std::string& y = guess.sizes.size() > 1 ? guess.sizes[guess.sizes.size() - 2] : x;
        guess.kernel.launches.front().block = {fmt::format(
            "{}",
            required > 0   ? required
                : most > 0 ? std::min<int64_t>(most, 256)
                           : 256
        )};
        guess.kernel.launches.front().grid = {
            fmt::format("ceil_div({}, {})", x, guess.kernel.launches.front().block[0])};
        if (required > 1 && entry.required_threads[1] > 1)
            guess.kernel.launches.front().block.push_back(fmt::format("{}", entry.required_threads[1]));
        else if (required == 0 && uses("%tid.y")) {
            guess.kernel.launches.front().block = {"16", "16"};
            guess.kernel.launches.front().grid = {
                fmt::format("ceil_div({}, 16)", x), fmt::format("ceil_div({}, 16)", y)};
        } else if (uses("%ctaid.y")) {
            guess.kernel.launches.front().grid.push_back(y);
        } else if (guess.sizes.size() > 1) {
            guess.kernel.launches.front().grid = {
                guess.sizes.front()};  // a block a row; what is too much, kernels pass by
        }
        guess.launch_assumed = true;
        guess.unknown.emplace_back("the host's launch was not found or not understood: [launch] is made up");
    }
    void launch_shape() {
        bool made_up = false;
        const auto extents = [&](size_t i) {
            return launch && i < launch->config.size()
                ? manifest_extents(source, launch->config[i], launch->line, known, &made_up)
                : std::nullopt;
        };
        const auto grid = extents(0), block = extents(1);
        if (!grid || !block) return made_up_launch();
        if (made_up) {
            guess.launch_assumed = true;
            guess.unknown.push_back(
                "the host leaves the threads of a block, " + launch->config[1] +
                ", to somebody else: they are made up"
            );
        }
        guess.kernel.launches.front().grid = *grid, guess.kernel.launches.front().block = *block;
        guess.launch_from = fmt::format("{}:{}", file, launch->line);
        if (launch->config.size() < 3 || launch->config[2] == "0") return;
        const auto shared = manifest_expression(source, launch->config[2], launch->line, known);
        if (shared) {
            guess.kernel.launches.front().shared = *shared;
        } else {
            guess.launch_assumed = true;
            guess.unknown.push_back(
                "the bytes of dynamic shared memory, " + launch->config[2] + ", were not understood"
            );
        }
    }

    // What the host's launch does not tell of dynamic shared memory.
    void dynamic_shared() {
        std::string& shared = guess.kernel.launches.front().shared;
        const bool dynamic = std::any_of(module.variables.begin(), module.variables.end(), [](const auto& v) {
            return v.space == ptx::Space::shared && v.is_extern;
        });
        if (!dynamic || shared != "0") return;
        shared = "16 * 1024", guess.launch_assumed = true;
        guess.unknown.emplace_back(
            "the kernel has dynamic shared memory, of which the host's launch tells nothing: shared is made "
            "up"
        );
    }

    // Those that the kernel can come to: libraries leave many more.
    void symbols() {
        const auto function = static_cast<int>(&entry - module.functions.data());
        const std::vector<int> reached = execution::reachable_functions(module, function);
        for (const int index : execution::reachable_variables(module, reached)) {
            const ptx::Variable& v = module.variables[static_cast<size_t>(index)];
            const std::string name = demangle(v.name);
            const bool filled = !v.init.empty() || v.bytes == 0 || v.is_extern || name.find('$') != name.npos;
            if (!filled && (v.space == ptx::Space::constant || v.space == ptx::Space::global))
                guess.unknown.push_back(
                    fmt::format("{}, {} bytes, is zero until [symbol.{}] fills it", name, v.bytes, name)
                );
        }
    }

    Guess all() {
        guess.kernel.launches.emplace_back().key = "launch";
        const std::string name = plain_name(entry.name);
        text = find_kernel(source, name);
        if (launch == nullptr) launch = find_launch(source, name);
        if (launch == nullptr) launch = find_indirect_launch(source, entry.params.size());
        types = mangled_types(entry.name);
        if (types.size() != entry.params.size()) types.clear();
        if (text && text->params.size() != entry.params.size()) text = nullptr;
        read_launch();
        arguments();
        keep_known();
        values();
        launch_shape();
        dynamic_shared();
        table_shapes();
        if (launch) take_host_sizes(guess, source, *launch, known);
        symbols();
        return std::move(guess);
    }
};

}  // namespace

Guess guess_kernel(
    const ptx::Module& module,
    const ptx::Function& entry,
    const SourceText& source,
    const std::string& file,
    const LaunchText* launch
) {
    return Guesser{module, entry, source, file, nullptr, launch}.all();
}

}  // namespace wl::app
