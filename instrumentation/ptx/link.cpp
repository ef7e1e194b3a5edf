// Each module parsed, its names settled, and printed behind the last.
#include "instrumentation/ptx/link.h"

#include "instrumentation/base/error.h"
#include "instrumentation/ptx/module.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

namespace wl::ptx {
namespace {

bool is_own(const std::string& linkage) { return linkage.empty(); }
bool gives_way(const std::string& linkage) { return linkage == ".weak" || linkage == ".common"; }

// Where a visible name is defined, and whether another definition may take its place.
struct Definition {
    size_t module = 0;
    bool gives_way = false;
};
using Definitions = std::map<std::string, Definition>;

void define(Definitions& all, const std::string& name, size_t module, const std::string& linkage) {
    const auto [known, is_new] = all.try_emplace(name, Definition{module, gives_way(linkage)});
    if (is_new || gives_way(linkage)) return;
    if (!known->second.gives_way)
        throw Error("the device code does not link: " + name + " is defined in two files");
    known->second = {module, false};
}

Definitions definitions_of(const std::vector<Module>& modules) {
    Definitions all;
    for (size_t k = 0; k < modules.size(); ++k) {
        for (const Variable& v : modules[k].variables)
            if (!is_own(v.linkage) && !v.is_extern) define(all, v.name, k, v.linkage);
        for (const Function& f : modules[k].functions)
            if (!is_own(f.linkage) && !f.is_declaration) define(all, f.name, k, f.linkage);
    }
    return all;
}

// What another module defines is only declared here.
void leave_to_others(Module& m, size_t number, const Definitions& all) {
    const auto is_elsewhere = [&](const std::string& name) {
        const auto found = all.find(name);
        return found != all.end() && found->second.module != number;
    };
    for (Variable& v : m.variables)
        if (!is_own(v.linkage) && !v.is_extern && is_elsewhere(v.name))
            v.linkage = ".extern", v.is_extern = true, v.init.clear();
    for (Function& f : m.functions) {
        if (is_own(f.linkage) || f.is_declaration || !is_elsewhere(f.name)) continue;
        Function declared;
        declared.name = f.name, declared.is_entry = f.is_entry, declared.noreturn = f.noreturn;
        declared.linkage = ".extern", declared.is_declaration = true;
        declared.params = std::move(f.params), declared.results = std::move(f.results);
        declared.attributes = std::move(f.attributes);
        f = std::move(declared);
    }
}

void rename_own(Module& m, const std::set<std::string>& taken) {
    const auto settle = [&](std::string& name, const std::string& linkage) {
        const std::string was = name;
        for (int k = 1; is_own(linkage) && taken.contains(name); ++k) name = was + "$" + std::to_string(k);
    };
    for (Variable& v : m.variables) settle(v.name, v.linkage);
    for (Function& f : m.functions) settle(f.name, f.linkage);
}

void take_names(const Module& m, std::set<std::string>& taken) {
    for (const Variable& v : m.variables) taken.insert(v.name);
    for (const Function& f : m.functions) taken.insert(f.name);
}

int number_in(const std::string& target) {  // 90 of "sm_90a"
    const size_t digit = target.find_first_of("0123456789");
    return digit == std::string::npos ? 0 : std::atoi(target.c_str() + digit);
}

// One header for all: the newest version, the newest target.
void head_alike(std::vector<Module>& modules) {
    Module& first = modules.front();
    for (const Module& m : modules) {
        if (std::atof(m.version.c_str()) > std::atof(first.version.c_str())) first.version = m.version;
        if (number_in(m.target) > number_in(first.target)) first.target = m.target;
    }
}

// Without the lines that only the first has: down to the last of .version, .target and .address_size.
std::string body_of(const std::string& printed) {
    const size_t last = printed.find(".address_size");
    return printed.substr(std::min(printed.find('\n', last), printed.size()));
}

}  // namespace

std::string linked(const std::vector<std::string>& texts) {
    if (texts.size() == 1) return texts.front();
    std::vector<Module> modules;
    for (const std::string& text : texts) modules.push_back(parse(text));
    if (modules.empty()) return {};
    head_alike(modules);
    const Definitions all = definitions_of(modules);
    std::set<std::string> taken;
    for (const auto& [name, definition] : all) taken.insert(name);
    std::vector<std::string> files;
    std::string out;
    for (size_t k = 0; k < modules.size(); ++k) {
        Module& m = modules[k];
        leave_to_others(m, k, all);
        rename_own(m, taken);
        take_names(m, taken);
        for (Location& l : m.locations)
            if (l.file >= 0) l.file += static_cast<int32_t>(files.size());
        files.insert(files.end(), m.files.begin(), m.files.end());
        m.files = files;
        // Names of functions that were inlined then stand in .loc itself, in the place of a label of
        // .debug_str.
        if (k > 0) m.sections.clear();
        out += k == 0 ? print(m) : body_of(print(m));
    }
    return out;
}

}  // namespace wl::ptx
