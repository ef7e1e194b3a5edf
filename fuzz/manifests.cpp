#include "fuzz/manifests.h"

#include "fuzz/answers.h"
#include "fuzz/runs.h"
#include "fuzz/seeds.h"
#include "fuzz/toml_changes.h"
#include "instrumentation/base/error.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

namespace wl::fuzz {
namespace {

constexpr std::array<const char*, 4> kSeeds = {"steps", "launches", "arguments", "plain"};

std::vector<std::byte> answer_of(capture::Capture c) {
    without_clocks(c);
    c.counters.clear();
    return capture::encode(c, "answer");
}

struct Seed {
    std::string text;
    capture::Capture ran;
    std::vector<std::byte> answer;
};

// A folder with the PTX that manifests name, and the mutant as m.toml.
std::string run_folder() {
    static const std::string kFolder = [] {
        const std::string folder = scratch_folder() + "/manifests";
        std::filesystem::create_directory(folder);
        for (const char* name : {"steps.ptx", "plain.ptx", "plain.toml", "steps.toml"})
            std::filesystem::copy_file(seed_path(name), folder + "/" + name);
        return folder;
    }();
    return kFolder;
}

capture::Capture run(const std::string& text) {
    const std::string path = run_folder() + "/m.toml";
    std::ofstream(path, std::ios::binary) << text;
    return briefly(manifest::bind(manifest::load(path), {}));
}

const std::vector<Seed>& seeds() {
    static const std::vector<Seed> kMade = [] {
        std::vector<Seed> made;
        for (const char* name : kSeeds) {
            Seed& seed = made.emplace_back();
            seed.text = text_of_seed(std::string(name) + ".toml");
            seed.ran = run(seed.text);
            seed.answer = answer_of(seed.ran);
        }
        return made;
    }();
    return kMade;
}

}  // namespace

Mutant make_manifest(uint64_t number) {
    Random random(number);
    Mutant mutant;
    mutant.seed = static_cast<int>(below(random, seeds().size()));
    const std::string& text = seeds()[static_cast<size_t>(mutant.seed)].text;
    mutant.same_answer = chance(random, 5);
    mutant.how = mutant.same_answer ? "spelling" : "text";
    mutant.bytes = mutant.same_answer ? respelled_toml(random, text) : changed_toml(random, text);
    return mutant;
}

Tried try_manifest(const Mutant& mutant) {
    Random random(std::hash<std::string>()(mutant.bytes));
    const Seed& seed = seeds()[mutant.seed < 0 ? 0 : static_cast<size_t>(mutant.seed)];
    capture::Capture ran;
    try {
        ran = run(mutant.bytes);
    } catch (const Error& error) {
        if (std::string(error.what()).empty()) return {false, "it is refused without a word"};
        return {
            false, mutant.same_answer ? std::string("only its spelling was changed: ") + error.what() : ""};
    } catch (const Unsupported&) { return {false, {}}; }
    if (mutant.same_answer && answer_of(ran) != seed.answer)
        return {true, "only its spelling was changed, and it has another answer"};
    std::string problem = problem_of_capture(ran);
    if (problem.empty() && random() % 4 == 0) problem = problem_of_answers(ran, seed.ran, random);
    return {true, problem};
}

}  // namespace wl::fuzz
