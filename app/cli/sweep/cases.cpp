// Every list of the command line is a factor of a product.
#include "app/cli/sweep/cases.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>

namespace wl::app {

namespace {

using Strings = std::vector<std::string>;

Strings parts_of(const std::string& text, char at) {
    Strings out(1);
    for (const char c : text) c == at ? void(out.emplace_back()) : void(out.back() += c);
    return out;
}

// "S=64,128" as {"S=64", "S=128"}; of several such every combination, as one list of settings each.
std::vector<Strings> settings_of(const Strings& set) {
    std::vector<Strings> all(1);
    for (const std::string& one : set) {
        const size_t equals = one.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == one.size())
            throw Error("--set " + one + ": write NAME=VALUE, or NAME=VALUE,VALUE,... for a run with each");
        std::vector<Strings> longer;
        for (const Strings& before : all)
            for (const std::string& value : parts_of(one.substr(equals + 1), ',')) {
                longer.push_back(before);
                longer.back().push_back(one.substr(0, equals + 1) + value);
            }
        all = std::move(longer);
    }
    return all;
}

// "" is the kernel as it should be.
Strings faults_to_run(const manifest::Kernel& kernel, const Strings& wanted) {
    if (wanted.empty()) return {""};
    Strings known = {"none"}, out;
    for (const manifest::Fault& fault : kernel.faults) known.push_back(fault.name);
    for (const std::string& fault : wanted == Strings{"all"} ? known : wanted) {
        if (std::find(known.begin(), known.end(), fault) == known.end())
            throw Error(fmt::format("--faults {}: {} has {}; or all", fault, kernel.name, join(known, ", ")));
        out.push_back(fault == "none" ? "" : fault);
    }
    return out;
}

// One kernel's runs with one shape, before seeds and schedules.
std::vector<KernelOptions> variants(const KernelOptions& base, const SweepOptions& s) {
    const manifest::Kernel kernel = manifest::load(manifest::resolve(base.kernel));
    std::vector<KernelOptions> out;
    for (const std::string& fault : faults_to_run(kernel, s.faults))
        for (const std::string& preset : presets_to_run(kernel, s.presets))
            for (const std::string& shape : s.shapes.empty() ? Strings{""} : s.shapes)
                for (const Strings& set : settings_of(s.set)) {
                    out.push_back(base);
                    if (!fault.empty()) out.back().faults.push_back(fault);
                    out.back().preset = preset, out.back().shape = shape, out.back().set = set;
                }
    return out;
}

int whole(const std::string& text) {
    int number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc{} && end == text.data() + text.size() ? number : 0;
}

}  // namespace

std::vector<std::string> presets_to_run(const manifest::Kernel& kernel, const Strings& wanted) {
    if (wanted.empty()) return {""};
    if (wanted != Strings{"all"}) return presets_of(kernel, wanted);
    Strings out = presets_of(kernel, {});
    if (!out.front().empty()) out.insert(out.begin(), "");
    return out;
}

Part parse_part(const std::string& text) {
    const Strings parts = parts_of(text, '/');
    const Part part = parts.size() == 2 ? Part{whole(parts[0]), whole(parts[1])} : Part{0, 0};
    if (part.number < 1 || part.of < part.number)
        throw Error("--part " + text + ": write I/N, such as 2/8 for the second of eight parts");
    return part;
}

std::vector<KernelOptions> cases_of(const Command& c) {
    Strings names = c.sweep.kernels;
    if (names.empty())
        for (const std::string& path : manifest::shipped())
            names.push_back(std::filesystem::path(path).stem().string());
    std::vector<KernelOptions> out;
    for (const std::string& name : names) {
        KernelOptions base = c.kernel;
        base.kernel = name, base.remote_program.clear();  // no part of what is run
        for (const KernelOptions& variant : variants(split_faults(base), c.sweep))
            for (uint64_t schedule = 0; schedule < c.sweep.schedules; ++schedule)
                for (uint64_t seed = 0; seed < c.sweep.seeds; ++seed) {
                    out.push_back(variant);
                    out.back().schedule += schedule, out.back().seed += seed;
                }
    }
    return out;
}

std::vector<KernelOptions> cases_of_part(std::vector<KernelOptions> all, Part part) {
    std::vector<KernelOptions> out;
    for (size_t k = static_cast<size_t>(part.number) - 1; k < all.size(); k += static_cast<size_t>(part.of))
        out.push_back(std::move(all[k]));
    return out;
}

std::string identity_of(const std::vector<KernelOptions>& all) {
    std::string words;
    for (const KernelOptions& one : all) words += join(words_of(one), " ") + "\n";
    constexpr size_t kDigits = 16;
    return sha256_hex(words).substr(0, kDigits);
}

std::string kernel_text(const KernelOptions& one) {
    std::string out = one.kernel;
    for (const std::string& fault : one.faults) out += "+" + fault;
    return out;
}

std::string setting_text(const KernelOptions& one) {
    std::string out = one.shape;
    for (const std::string& setting : one.set) out += (out.empty() ? "" : " ") + setting;
    return out;
}

std::string file_name_of(const KernelOptions& one) {
    std::string out = std::filesystem::path(one.kernel).stem().string();
    for (const std::string& fault : one.faults) out += "+" + fault;
    for (const std::string& part : {one.preset, setting_text(one)})
        if (!part.empty()) out += "-" + part;
    out += fmt::format("-seed{}", one.seed);
    if (one.schedule != 0) out += fmt::format("-schedule{}", one.schedule);
    for (char& c : out)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 &&
            std::string_view("+-_=.,").find(c) == std::string_view::npos)
            c = '_';
    return out + ".wlcap";
}

}  // namespace wl::app
