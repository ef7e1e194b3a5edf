// Arguments of a manifest, key by key.
#include "instrumentation/manifest/arguments.h"

#include "instrumentation/base/text.h"
#include "instrumentation/base/type_names.h"
#include "instrumentation/manifest/fill.h"
#include "instrumentation/manifest/tensor_map.h"
#include "instrumentation/manifest/texture.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <sstream>

namespace wl::manifest {
namespace {

NamedType read_dtype(const Section& section) {
    const std::string name =
        required(section, "dtype", text(section, "dtype"), "the element type, such as \"f16\"");
    if (const auto type = type_from_name(name)) return *type;
    std::vector<std::string> known;
    for (const TypeNames& row : type_names()) {
        std::istringstream names(row.names);
        for (std::string word; std::getline(names >> std::ws, word, ',');) known.push_back(word);
    }
    const std::string nearest = nearest_word(name, known);
    fail(
        *section.document,
        line_of(section, "dtype"),
        nearest.empty() ? "unknown dtype \"" + name + "\"; there are\n" + type_names_text(2)
                        : unknown(name, "dtype", known)
    );
}

// A key that this kind of argument does not have.
void forbid(const Section& section, const std::string& kind, const std::vector<std::string>& forbidden) {
    for (const std::string& key : forbidden)
        if (section.table->contains(key))
            fail(
                *section.document,
                line_of(section, key),
                fmt::format("{} is not for {}.", full_name(section, key), kind)
            );
}

void read_array(const Section& section, Argument& argument) {
    forbid(section, "an array", {"value"});
    if (argument.shape.empty())
        fail(
            *section.document,
            line_of(section, "shape"),
            full_name(section, "shape") +
                " is empty: an array has at least one extent, and a scalar no shape."
        );
    argument.fill = text(section, "fill").value_or("");
    argument.output = flag(section, "output").value_or(false);
    if (!argument.fill.empty())
        parse_fill(argument.fill, place_of(section, "fill"));
    else if (!argument.output)
        required<std::string>(
            section,
            "fill",
            std::nullopt,
            "an array has a fill, such as \"normal\", or output = true, or both"
        );
}

// A vector by value, such as a float4: its elements x, y, z and w, all of one value or each of its own.
void read_vector(const Section& section, const NamedType& type, Argument& argument) {
    const bool list = section.table->contains("value") && section.table->get("value")->is_array();
    std::vector<std::string> values;
    if (list)
        values = *expressions(section, "value");
    else
        values.assign(
            static_cast<size_t>(type.lanes),
            required(section, "value", expression(section, "value"), "a scalar has a value, an array a shape")
        );
    if (values.size() != static_cast<size_t>(type.lanes))
        fail(
            *section.document,
            line_of(section, "value"),
            fmt::format(
                "{} has {} values for {} elements.", full_name(section, "value"), values.size(), type.lanes
            )
        );
    argument.align = type.align();
    for (size_t i = 0; i < values.size(); ++i) {
        Argument& element = argument.fields.emplace_back();
        element.name = std::string(1, "xyzw"[i]);
        element.dtype = type.dtype;
        element.value = values[i];
        element.line = argument.line;
    }
}

void read_value(const Section& section, Argument& argument);
Argument read_argument(const Section& section);

// What a table of addresses points to: arrays that stand here, or names of others.
void read_pointers(const Section& section, Argument& argument) {
    const bool rows = section.table->contains("rows_of");
    const std::string key = rows ? "rows_of" : "pointers";
    forbid(
        section,
        "an array of addresses",
        {"dtype", "shape", "fill", "value", "output", "texture", "surface", "fields", "view", "bytes"}
    );
    if (rows && section.table->contains("pointers")) forbid(section, "the rows of one array", {"pointers"});
    const toml::node* node = section.table->get(key);
    std::vector<const toml::node*> items;
    if (rows)
        items.push_back(node);
    else if (node->is_array())
        for (const toml::node& item : *node->as_array()) items.push_back(&item);
    for (size_t i = 0; i < items.size(); ++i) {
        const std::string name = full_name(section, key) + (rows ? "" : fmt::format("[{}]", i));
        if (items[i]->is_string()) {
            argument.pointers.push_back(**items[i]->as_string());
            continue;
        }
        if (!items[i]->is_table()) break;
        Argument pointee = read_argument({section.document, items[i]->as_table(), name});
        if (pointee.shape.empty())
            fail(*section.document, pointee.line, name + " is no array: an address is that of one.");
        argument.pointers.push_back(argument.name + "." + pointee.name);
        argument.fields.push_back(std::move(pointee));
    }
    if (items.empty() || argument.pointers.size() != items.size())
        fail(
            *section.document,
            line_of(section, key),
            full_name(section, key) +
                (rows ? " is an array { name = ..., dtype = ..., ... }, or the name of one."
                      : " is a list of arrays { name = ..., dtype = ..., ... }, or of their names.")
        );
    if (rows) argument.rows_of = argument.pointers.front(), argument.pointers.clear();
}

// An address inside another argument's array.
void read_view(const Section& section, Argument& argument) {
    forbid(
        section,
        "a view of an array",
        {"dtype", "shape", "fill", "value", "output", "texture", "surface", "fields", "bytes", "align"}
    );
    argument.pointers = {*text(section, "view")};
    argument.value = expression(section, "at").value_or("0");
}

// An object by value, two hexadecimal digits a byte: so many fields of a byte each.
void read_bytes(const Section& section, Argument& argument) {
    forbid(
        section,
        "an object given as bytes",
        {"dtype", "shape", "fill", "value", "output", "texture", "surface", "fields", "at"}
    );
    const std::string digits = *text(section, "bytes");
    const bool fine = !digits.empty() && digits.size() % 2 == 0 &&
        digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
    if (!fine)
        fail(
            *section.document,
            line_of(section, "bytes"),
            full_name(section, "bytes") + " must be hexadecimal digits, two a byte, the first byte first."
        );
    for (size_t i = 0; i < digits.size(); i += 2) {
        Argument& byte = argument.fields.emplace_back();
        byte.name = "b" + std::to_string(i / 2), byte.dtype = DType::u8, byte.line = argument.line;
        byte.value = std::to_string(std::stoi(digits.substr(i, 2), nullptr, 16));
    }
    const int align = whole(section, "align").value_or(1);
    if (align < 1 || align > 128 || (align & (align - 1)) != 0)
        fail(
            *section.document,
            line_of(section, "align"),
            full_name(section, "align") + " must be a power of two up to 128."
        );
    argument.align = static_cast<size_t>(align);
}

Argument read_argument(const Section& section) {
    check_keys(
        section,
        {"name",
         "dtype",
         "shape",
         "fill",
         "value",
         "fields",
         "pointers",
         "rows_of",
         "view",
         "at",
         "bytes",
         "align",
         "output",
         "texture",
         "surface"}
    );
    Argument argument;
    argument.line = line_of(section);
    argument.name = required(section, "name", text(section, "name"), "every argument has one");
    check_name(section, "name", argument.name);
    if (section.table->contains("pointers") || section.table->contains("rows_of")) {
        read_pointers(section, argument);
        return argument;
    }
    if (section.table->contains("view") || section.table->contains("bytes")) {
        (section.table->contains("view") ? read_view : read_bytes)(section, argument);
        return argument;
    }
    forbid(section, "this argument: at is of a view, align of bytes", {"at", "align"});
    if (section.table->contains("fields")) {
        forbid(
            section,
            "a struct, whose fields say it",
            {"dtype", "shape", "fill", "value", "output", "texture", "surface"}
        );
        argument.fields = read_arguments(section, "fields");
        if (argument.fields.empty())
            fail(*section.document, argument.line, full_name(section, "fields") + " is empty.");
        return argument;
    }
    read_value(section, argument);
    return argument;
}

// An array or a scalar.
void read_value(const Section& section, Argument& argument) {
    const NamedType type = read_dtype(section);
    argument.dtype = type.dtype;
    if (const auto shape = expressions(section, "shape")) {
        argument.shape = *shape;
        read_array(section, argument);
        if (type.lanes > 1) argument.shape.push_back(std::to_string(type.lanes));
        argument.texture = read_texture(section, argument);
    } else {
        forbid(section, "a scalar; an array has a shape", {"fill", "output", "texture", "surface"});
        if (type.lanes > 1) {
            read_vector(section, type, argument);
            return;
        }
        argument.value = required(
            section, "value", expression(section, "value"), "a scalar has a value, an array a shape"
        );
    }
}

}  // namespace

std::vector<Argument> read_arguments(const Section& parent, const std::string& key) {
    const auto sections = required(
        parent, key, subsections(parent, key), "the kernel's parameters in their order, [] when it has none"
    );
    std::vector<Argument> arguments;
    std::set<std::string> names;
    for (const Section& section : sections) {
        const bool is_map = section.table->contains("tensor_map");
        arguments.push_back(is_map ? read_tensor_map(section, arguments) : read_argument(section));
        if (!names.insert(arguments.back().name).second)
            fail(
                *section.document,
                line_of(section, "name"),
                fmt::format("{} is the second argument named \"{}\".", section.name, arguments.back().name)
            );
    }
    return arguments;
}

std::vector<LaunchArgument> read_launch_arguments(
    const Section& launch, const std::vector<Argument>& arguments
) {
    std::vector<std::string> known;
    for (const Argument& a : arguments) known.push_back(a.name);
    const toml::node* node = launch.table->get("args");
    launch.document->lines[full_name(launch, "args")] = line_of(launch, "args");
    if (!node->is_array())
        fail(
            *launch.document,
            line_of(launch, "args"),
            full_name(launch, "args") + " must be a list: names of args, and scalars { name, dtype, value }."
        );
    std::vector<LaunchArgument> out;
    for (const toml::node& item : *node->as_array()) {
        const std::string name = fmt::format("{}[{}]", full_name(launch, "args"), out.size());
        const int line = static_cast<int>(item.source().begin.line);
        launch.document->lines[name] = line;
        LaunchArgument& argument = out.emplace_back();
        if (item.is_string()) {
            argument.of = **item.as_string();
            if (std::find(known.begin(), known.end(), argument.of) == known.end())
                fail(*launch.document, line, unknown(argument.of, "argument in " + name, known));
            continue;
        }
        if (!item.is_table())
            fail(*launch.document, line, name + " must be a name of args, or { name, dtype, value }.");
        argument.own = read_argument({launch.document, item.as_table(), name});
        const bool view = !argument.own.value.empty();
        if (!argument.own.shape.empty() || (!argument.own.pointers.empty() && !view) ||
            !argument.own.rows_of.empty())
            fail(
                *launch.document,
                line,
                name + " is an array: launches share theirs, so that it stands in args at the top."
            );
    }
    return out;
}

Argument read_symbol(const Section& section, const std::string& name) {
    check_keys(section, {"dtype", "shape", "fill", "value"});
    Argument symbol;
    symbol.line = line_of(section);
    symbol.name = name;
    read_value(section, symbol);
    return symbol;
}

}  // namespace wl::manifest
