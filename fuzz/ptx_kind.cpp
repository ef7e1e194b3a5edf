#include "fuzz/ptx_kind.h"

#include "fuzz/ptx_case.h"
#include "fuzz/ptx_mutations.h"
#include "fuzz/random.h"
#include "fuzz/seeds.h"
#include "fuzz/values.h"

#include <array>

namespace wl::fuzz {

namespace {
constexpr std::array<const char*, 4> kSeeds = {"steps.ptx", "steps_last.ptx", "plain.ptx", "language.ptx"};
}  // namespace

Mutant make_ptx(uint64_t number) {
    static const std::vector<std::string> kTexts = [] {
        std::vector<std::string> texts;
        for (const char* name : kSeeds) texts.push_back(text_of_seed(name));
        return texts;
    }();
    Random random(number);
    Mutant mutant;
    mutant.seed = static_cast<int>(below(random, kTexts.size()));
    const std::string& text = kTexts[static_cast<size_t>(mutant.seed)];
    const auto seed = static_cast<unsigned>(random());
    mutant.how = "text";
    switch (random() % 8) {
        case 0: mutant.bytes = changed_bytes(random, text); break;
        case 1: mutant.bytes = crossed_ptx(seed, text, one_of(random, kTexts)); break;
        default: mutant.bytes = mutated_ptx(seed, text);
    }
    return mutant;
}

Tried attempt_ptx(const Mutant& mutant) { return {true, try_ptx(mutant.bytes)}; }

}  // namespace wl::fuzz
