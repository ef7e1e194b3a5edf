// What decided about the steps of a slice: indices, conditions, loops, and writes that were left out.
#include "tests/travel/slices.h"

namespace wl::travel {
namespace {

std::set<std::string> deciders_at(const Route& route, const Slice& s, int line) {
    std::set<std::string> found;
    for (const Decider& d : s.deciders)
        if (route.sites[d.of].line == line)
            found.insert(
                (d.kind == Decider::Kind::address ? "address " : "guard ") +
                std::to_string(route.sites[d.step.site].line)
            );
    return found;
}

int line_of(const std::string& text) {
    const std::string source = kSource;
    const size_t at = source.find(text);
    EXPECT_NE(at, std::string::npos) << text;
    return 1 +
        static_cast<int>(std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

SliceOptions with_deciders(bool deep = false) {
    SliceOptions options;
    options.deciders = true, options.deep = deep;
    return options;
}

TEST_F(Slices, ToldApartAreTheIndexOfALoadAndTheConditionOfAWrite) {
    const std::string index = std::to_string(line_of("const int index")),
                      guard = std::to_string(line_of("if (in[63"));
    for (const bool debug : {false, true}) {
        // in[8] is 1: out[256 + 8] is 3 * in[9], for in[55] is 6.
        const Slice s = of("chosen", 64, 256 + 8, debug, with_deciders());
        EXPECT_EQ(input(s, "in").bytes, 4u) << "index and condition are no values of the chain";
        EXPECT_EQ(input(s, "in").first, 36u);
        const auto load = deciders_at(route, s, line_of("float x = in[index]"));
        EXPECT_TRUE(load.contains("address " + index)) << debug;
        EXPECT_FALSE(load.contains("guard " + guard)) << debug;
        const auto write = deciders_at(route, s, line_of("out[256 + i] = x"));
        EXPECT_TRUE(write.contains("guard " + guard)) << debug;
        EXPECT_EQ(write.contains("address " + index), !debug) << "optimised code shares 4 * i";
        const auto behind = deciders_at(
            route,
            of("chosen", 64, 8, debug, with_deciders()),
            line_of("    out[i] = x;\n}\nextern \"C\" __global__ void counted")
        );
        EXPECT_FALSE(behind.contains("guard " + guard)) << "it is executed either way";
    }
}

TEST_F(Slices, AWriteThatIsLeftOutIsAskedForWhereThatIsWanted) {
    const int line = line_of("if (i % 2 == 0) x = weigh");
    for (const bool debug : {false, true})
        for (const bool kept : {false, true}) {
            SliceOptions options = with_deciders(true);
            options.kept = kept;
            const Slice s = of("calls", 64, 3, debug, options);  // of an odd thread
            const bool found = std::any_of(s.deciders.begin(), s.deciders.end(), [&](const Decider& d) {
                return route.sites[d.step.site].line == line;
            });
            EXPECT_EQ(found, kept) << debug;
        }
}

TEST_F(Slices, AnIndexIsFollowedToTheMemoryThatItWasReadFromAndFurtherWhenAsked) {
    const auto reads_of = [&](bool deep) {
        const Slice s = of("chosen", 64, 8, false, with_deciders(deep));
        std::set<uint64_t> offsets;
        for (const Decider& d : s.deciders)
            if (d.kind == Decider::Kind::address && d.step.read_bytes == 4)
                if (const auto at = emulator::allocation_at(*route.traveller, d.step.read_address); at)
                    offsets.insert(at->second);
        return offsets;
    };
    EXPECT_EQ(reads_of(false), std::set<uint64_t>{4 * 8}) << "in[8] gives the index";
    EXPECT_TRUE(reads_of(true).contains(4 * 8));
}

TEST_F(Slices, AnIndexOutOfSharedMemoryEndsThereUnlessMoreIsAsked) {
    const auto reads = [&](bool deep) {
        const Slice s = of("indirect", 64, 6, false, with_deciders(deep));
        std::set<std::string> memories;
        for (const Decider& d : s.deciders) {
            if (d.kind != Decider::Kind::address || d.step.read_bytes == 0) continue;
            const auto at = emulator::allocation_at(*route.traveller, d.step.read_address);
            memories.insert(at ? at->first + " " + std::to_string(at->second / 4) : "shared");
        }
        return memories;
    };
    EXPECT_EQ(reads(false), std::set<std::string>{"shared"});
    EXPECT_TRUE(reads(true).contains("in 57")) << "index[57] was made of in[57]";
}

TEST_F(Slices, TheConditionOfASelectIsAGuard) {
    const Slice s = of("indirect", 64, 5, false, with_deciders());  // in[205] is 2, so that z is taken
    EXPECT_EQ(input(s, "in").bytes, 4u);
    EXPECT_EQ(input(s, "in").first, 4u * 105);
    std::set<uint64_t> offsets;
    for (const Decider& d : s.deciders)
        if (d.kind == Decider::Kind::guard && d.step.read_bytes != 0)
            if (const auto at = emulator::allocation_at(*route.traveller, d.step.read_address); at)
                offsets.insert(at->second / 4);
    EXPECT_EQ(offsets, std::set<uint64_t>{205});
}

TEST_F(Slices, TheGuardOfALoopsBodyIsTheLoopsOwnCondition) {
    const Slice s = of("counted", 64, 5, false, with_deciders());
    EXPECT_EQ(input(s, "in").bytes, 20u);
    const std::string loop = std::to_string(line_of("for (int k = 0; k < i; ++k)\n        x +="));
    const auto body = deciders_at(route, s, line_of("        x += in[k]"));
    EXPECT_TRUE(body.contains("guard " + loop));
    uint64_t times = 0;
    for (const Decider& d : s.deciders)
        if (d.kind == Decider::Kind::guard && !route.instructions[d.step.site]->operands.empty())
            times += d.step.times;
    EXPECT_GT(times, 0u);
}

}  // namespace
}  // namespace wl::travel
