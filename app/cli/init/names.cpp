// Words of symbols and of parameters.
#include "app/cli/init/names.h"

#include "instrumentation/base/demangle.h"
#include "instrumentation/manifest/load_launch.h"

#include <algorithm>
#include <cctype>

namespace wl::app {

std::vector<std::string> mangled_types(const std::string& symbol) {
    const std::string name = demangle(symbol);
    const size_t close = name.rfind(')');
    if (name == symbol || close == name.npos) return {};
    size_t open = close;
    for (int depth = 0; open > 0; --open) {
        if (name[open] == ')') ++depth;
        if (name[open] == '(' && --depth == 0) break;
    }
    std::vector<std::string> types;
    std::string type;
    int depth = 0;
    for (size_t i = open + 1; i <= close; ++i) {
        depth += name[i] == '<' || name[i] == '('              ? 1
            : name[i] == '>' || (name[i] == ')' && i != close) ? -1
                                                               : 0;
        if ((name[i] == ',' && depth == 0) || i == close) {
            const size_t first = type.find_first_not_of(' ');
            if (first != type.npos) types.push_back(type.substr(first));
            type.clear();
        } else {
            type += name[i];
        }
    }
    return types;
}

std::string plain_name(const std::string& symbol) {
    std::string name = demangle(symbol);
    if (name.starts_with("void ")) name.erase(0, 5);
    name = name.substr(0, name.find_first_of("(<"));
    return name.substr(name.rfind(':') == name.npos ? 0 : name.rfind(':') + 1);
}

bool has_word(std::string name, std::initializer_list<const char*> words) {
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    return std::any_of(words.begin(), words.end(), [&](const char* w) { return name.find(w) != name.npos; });
}

std::string pointee(const std::string& type) {
    const size_t star = type.rfind('*');
    std::string of = star == type.npos ? "" : type.substr(0, star);
    while (of.ends_with(' ')) of.pop_back();
    return of;
}

bool points_to_const(const std::string& type) {
    const std::string of = pointee(type);
    return of.ends_with("const") || (of.starts_with("const ") && of.find('*') == of.npos);
}

std::string expression_name(const std::string& name) {
    return manifest::has_meaning(name) ? name + "_" : name;
}

bool is_switch(const std::string& name) {
    return has_word(
        name,
        {"flag",
         "mode",
         "is_",
         "use_",
         "has_",
         "causal",
         "offset",
         "seed",
         "start",
         "begin",
         "iter",
         "step",
         "index",
         "idx",
         "pos",
         "shift",
         "axis",
         "phase"}
    );
}

}  // namespace wl::app
