// Arguments that are addresses: tables of them, and views inside arrays. What each is of is known when all
// are bound, where that lies when the problem is laid out.
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/manifest/binding.h"
#include "instrumentation/manifest/expression.h"
#include "instrumentation/manifest/params.h"

#include <fmt/format.h>
#include <tuple>

namespace wl::manifest {
namespace {

constexpr const char* kNull = "null";  // in a table of addresses

// The address of each element along an array's first extent.
void point_to_rows(const BoundArgument& array, const std::string& name, BoundArgument& table) {
    const auto rows = static_cast<uint64_t>(array.data.shape.front());
    const uint64_t bytes = array.data.bytes.size() / rows;
    for (uint64_t row = 0; row < rows; ++row) table.pointers.emplace_back(name, row * bytes);
}

// Of a problem, what addresses may be taken of: arrays, and views of these.
struct Places {
    std::map<std::string, const BoundArgument*> arrays, views;
};

void collect_views(const BoundArgument& a, Places& places) {
    if (!a.array && !a.pointers.empty()) places.views[a.data.name] = &a;
    for (const BoundArgument& field : a.fields) collect_views(field, places);
}

Places places_of(const Problem& problem) {
    Places places;
    for (const BoundArgument* a : arrays(problem)) places.arrays[a->data.name] = a;
    for (const BoundArgument& a : problem.args) collect_views(a, places);
    return places;
}

[[noreturn]] void no_such_array(const std::string& where, const std::string& name, const Places& places) {
    std::vector<std::string> names;
    for (const auto& [known, array] : places.arrays) names.push_back(known);
    throw Error(
        where + ": there is no array \"" + name + "\" to point to; " +
        (names.empty() ? "there is none." : "there are " + join(names, ", ") + ".")
    );
}

// A view's array, and that the view lies in it or right at its end.
void check_views(const std::string& where, const BoundArgument& a, const Places& places) {
    for (const BoundArgument& field : a.fields) check_views(where, field, places);
    if (a.array || a.pointers.empty()) return;
    const auto& [name, at] = a.pointers.front();
    const auto found = places.arrays.find(name);
    if (found == places.arrays.end()) no_such_array(where, name, places);
    if (at > found->second->data.bytes.size())
        throw Error(fmt::format(
            R"({}: the view "{}" begins at byte {}, and "{}" has {} bytes.)",
            where,
            a.data.name,
            at,
            name,
            found->second->data.bytes.size()
        ));
}

// Of an array that stands in the table itself the whole name: the table may be a field of something.
std::string own_name(const std::string& name, const Argument& table, const BoundArgument& bound) {
    for (size_t i = 0; i < table.fields.size(); ++i)
        if (table.name + "." + table.fields[i].name == name) return bound.fields[i].data.name;
    return name;
}

void find_arrays(
    const std::string& where, const Argument& argument, BoundArgument& bound, const Places& places
) {
    for (size_t i = 0; i < argument.fields.size(); ++i)
        find_arrays(where, argument.fields[i], bound.fields[i], places);
    if (!bound.array) return;
    for (auto& [name, at] : bound.pointers) {
        if (name == kNull) {
            name.clear();
            continue;
        }
        if (const auto view = places.views.find(name); view != places.views.end())
            std::tie(name, at) = view->second->pointers.front();
        else if (!places.arrays.contains(name))
            no_such_array(where, name, places);
    }
    if (argument.rows_of.empty() || !bound.fields.empty()) return;
    const auto rows = places.arrays.find(argument.rows_of);
    if (rows == places.arrays.end()) no_such_array(where, argument.rows_of, places);
    point_to_rows(*rows->second, argument.rows_of, bound);
    bound.data.shape = {static_cast<int64_t>(bound.pointers.size())};
    bound.data.bytes.assign(bound.pointers.size() * sizeof(uint64_t), std::byte{0});
}

}  // namespace

bool is_view(const Argument& argument) { return argument.pointers.size() == 1 && !argument.value.empty(); }

void bind_pointers(const Argument& argument, BoundArgument& bound) {
    bound.array = bound.filled = true;
    bound.data.dtype = DType::u64;
    for (const std::string& of : argument.pointers)
        bound.pointers.emplace_back(own_name(of, argument, bound), 0);
    if (!argument.rows_of.empty() && !bound.fields.empty())
        point_to_rows(bound.fields.front(), bound.fields.front().data.name, bound);
    bound.data.shape = {static_cast<int64_t>(bound.pointers.size())};
    bound.data.bytes.assign(bound.pointers.size() * sizeof(uint64_t), std::byte{0});
}

void bind_view(const Binding& b, const Argument& argument, const std::string& key, BoundArgument& bound) {
    const int64_t at = evaluate_whole(argument.value, b.variables, b.at(key + ".at"), 0);
    bound.data.dtype = DType::u64;
    bound.data.bytes.resize(sizeof(uint64_t));
    bound.pointers.emplace_back(argument.pointers.front(), static_cast<uint64_t>(at));
}

void bind_names(const Binding& b, Problem& problem) {
    const Places places = places_of(problem);
    for (size_t i = 0; i < problem.args.size(); ++i) {
        const std::string where = b.at(fmt::format("args[{}]", i));
        check_views(where, problem.args[i], places);
        find_arrays(where, b.kernel.args[i], problem.args[i], places);
    }
    for (const BoundLaunch& launch : problem.launches)
        for (const Parameter& p : launch.parameters)
            if (p.argument < 0) check_views(b.at(launch.key + ".args"), p.own, places);
}

}  // namespace wl::manifest
