// `warplens check`: which entries can run, and of the others every refused instruction by name and line.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

// Lines 1-5 of the PTX; what follows starts on line 6.
const std::string kHeader =
    ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"far/away.cu\"\n.global .u32 counter;\n";

// `clean` runs; `dirty` holds two refused instructions, one of them in a function that only it reaches.
const std::string kTwoEntries = kHeader +
    ".func helper() {\n"                                                    // 6
    ".reg .u32 %r<3>;\n"                                                    // 7
    ".loc 1 70 5\n"                                                         // 8
    "frobnicate.u32 %r1, %r2;\n"                                            // 9
    "ret;\n}\n"                                                             // 10, 11
    ".global .u64 table[1] = {helper}; .visible .entry clean() { ret; }\n"  // 12
    ".visible .entry dirty(.param .u64 p) {\n"                              // 13
    ".reg .u32 %r<3>;\n.reg .u64 %rd<3>;\n"                                 // 14, 15
    ".loc 1 80 5\n"                                                         // 16
    "ld.weird.u32 %r1, [%rd1];\n"                                           // 17
    "ld.global.u64 %rd2, [table];\n"                                        // 18
    "ret;\n}\n";

struct Folder {
    TemporaryFolder folder;
    std::string file(const std::string& name, const std::string& text) const {
        std::string path = folder.path + "/" + name;
        write_file(path, text);
        return path;
    }
};

void expect_words(const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words)
        EXPECT_NE(text.find(word), std::string::npos) << "missing: " << word << "\nin: " << text;
}

// One line on stderr with every one of the words, nothing on stdout, status 2.
void expect_error(const Said& said, const std::vector<std::string>& words) {
    EXPECT_EQ(said.status, 2) << said.out << said.err;
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(said.err.rfind("warplens: error: ", 0), 0U) << said.err;
    expect_words(said.err, words);
}

TEST(Check, AKernelThatRunsIsOkAndExitsWithZero) {
    const Said said = warplens({"check", source_path("kernels/v2c_3.cu")});
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    expect_words(said.out, {"ok", "v2c_3", "1 of 1 entry can run"});
    EXPECT_EQ(warplens({"check", source_path("tests/ptx/v2c_3.ptx")}).status, 0);
}

TEST(Check, EveryRefusedInstructionHasItsNameItsReasonAndBothLines) {
    const Folder f;
    const Said said = warplens({"check", f.file("two.ptx", kTwoEntries)});
    EXPECT_EQ(said.status, 3) << said.out << said.err;
    expect_words(
        said.out,
        {"PTX 8.0 for sm_80",
         "ld.weird.u32: .weird is in no form of ld",
         "PTX line 17, far/away.cu:80",
         "frobnicate.u32: no such instruction",
         "PTX line 9, far/away.cu:70, in helper",
         "1 of 2 entries can run"}
    );
}

TEST(Check, ParametersHaveTheNamesOfTheSourceAndTheTypesOfTheSymbol) {
    const Folder f;
    const std::string body =
        "void add(const float* x, float* __restrict__ y, double s, int n) { y[0] = x[n] * s; }\n";
    const auto parameters = [&](const std::string& name, const std::string& text) {
        return json::parse(warplens({"check", f.file(name, text), "--json"}).out)
            .at("entries")
            .at(0)
            .at("parameters");
    };
    const json mangled = parameters("a.cu", "__global__ " + body);
    ASSERT_EQ(mangled.size(), 4U);
    EXPECT_EQ(
        mangled.at(0),
        json({
            {"name",  "x"           },
            {"type",  "float const*"},
            {"ptx",   "u64"         },
            {"bytes", 8             }
    })
    );
    EXPECT_EQ(
        mangled.at(2),
        json({
            {"name",  "s"     },
            {"type",  "double"},
            {"ptx",   "f64"   },
            {"bytes", 8       }
    })
    );
    const json plain = parameters("b.cu", "extern \"C\" __global__ " + body);
    EXPECT_EQ(
        plain.at(0),
        json({
            {"name",  "x"           },
            {"type",  "const float*"},
            {"ptx",   "u64"         },
            {"bytes", 8             }
    })
    );
    EXPECT_EQ(
        plain.at(3),
        json({
            {"name",  "n"  },
            {"type",  "int"},
            {"ptx",   "u32"},
            {"bytes", 4    }
    })
    );
    EXPECT_EQ(parameters("two.ptx", kTwoEntries), json::array());
}

TEST(Check, AnEntryAnswersOnlyForWhatItReaches) {
    const Folder f;
    const std::string file = f.file("two.ptx", kTwoEntries);
    EXPECT_EQ(warplens({"check", file, "--entry", "clean"}).status, 0);
    EXPECT_EQ(warplens({"check", file, "--entry", "dirty"}).status, 3);
    const json j = json::parse(warplens({"check", file, "--json"}).out);
    EXPECT_EQ(j.at("verb"), "check");
    EXPECT_EQ(j.at("verdict"), "unsupported");
    EXPECT_EQ(j.at("entries").at(0).at("name"), "clean");
    EXPECT_EQ(j.at("entries").at(0).at("verdict"), "ok");
    EXPECT_EQ(j.at("entries").at(0).at("functions"), json::array({"clean"}));
    EXPECT_EQ(j.at("entries").at(1).at("functions"), json::array({"dirty", "helper"}));
    const json& refused = j.at("entries").at(1).at("unsupported");
    ASSERT_EQ(refused.size(), 2U);
    EXPECT_EQ(refused.at(1).at("instruction"), "frobnicate.u32");
    EXPECT_EQ(refused.at(1).at("function"), "helper");
    EXPECT_EQ(refused.at(1).at("ptx_line"), 9);
    EXPECT_EQ(refused.at(1).at("file"), "far/away.cu");
    EXPECT_EQ(refused.at(1).at("line"), 70);
    EXPECT_EQ(j.at("unsupported").at(0), "unsupported: ld.weird.u32 at far/away.cu:80");
}

TEST(Check, AFunctionReachedThroughATableOfAddressesCounts) {
    const Folder f;
    const std::string table = kHeader +
        ".func bad() { frobnicate; ret; }\n.global .u64 inner[1] = {bad};\n"
        ".global .u64 outer[2] = {0, generic(inner)};\n"
        ".visible .entry k() { .reg .u64 %rd<2>; ld.global.u64 %rd1, [outer]; ret; }\n";
    const Said said = warplens({"check", f.file("table.ptx", table)});
    EXPECT_EQ(said.status, 3) << said.out;
    expect_words(said.out, {"frobnicate", "in bad"});
}

TEST(Check, WhatAnotherFileDefinesIsRefusedByItsName) {
    const Folder f;
    const std::string text = kHeader +
        ".extern .func elsewhere();\n.extern .global .u32 their_counter;\n"
        ".visible .entry k() { .reg .u32 %r<2>; ld.global.u32 %r1, [their_counter]; call.uni elsewhere; ret; "
        "}\n";
    const Said said = warplens({"check", f.file("extern.ptx", text)});
    EXPECT_EQ(said.status, 3) << said.out;
    expect_words(
        said.out,
        {"call.uni elsewhere: elsewhere is declared here and defined in another file",
         "the variable their_counter is declared here and defined in another file",
         "unlinked",
         "runs once linked with what defines their_counter, elsewhere"}
    );
    const json entry =
        json::parse(warplens({"check", f.file("extern.ptx", text), "--json"}).out).at("entries").at(0);
    EXPECT_EQ(entry.at("verdict"), "unlinked");
    EXPECT_EQ(entry.at("missing"), json({"their_counter", "elsewhere"}));
    const Said both = warplens(
        {"check",
         f.file("both.ptx", text + ".visible .entry j() { frobnicate; call elsewhere; }\n"),
         "--entry",
         "j"}
    );
    expect_words(both.out, {"unsupported", "2 refused"});
}

TEST(Check, AddressesOf32BitsAreRefusedAsAWhole) {
    const Folder f;
    const Said said = warplens(
        {"check",
         f.file("narrow.ptx", ".version 6.5\n.target sm_50\n.address_size 32\n.entry k() { ret; }\n")}
    );
    EXPECT_EQ(said.status, 3) << said.out;
    expect_words(said.out, {"addresses of 32 bits", "-m64"});
}

TEST(Check, EqualRefusalsAreOneParagraphAndAllInTheJson) {
    const Folder f;
    std::string text = kHeader + ".visible .entry k() {\n";
    for (int i = 0; i < 20; ++i) text += "frobnicate;\n";
    const std::string file = f.file("many.ptx", text + "ret; }\n");
    expect_words(
        warplens({"check", file}).out,
        {"frobnicate (20 times)", "PTX line 7\n", "PTX line 14\n        and 12 more", "20 refused"}
    );
    const json j = json::parse(warplens({"check", file, "--json"}).out);
    EXPECT_EQ(j.at("entries").at(0).at("unsupported").size(), 20U);
    EXPECT_EQ(j.at("entries").at(0).at("unsupported").at(19).at("ptx_line"), 26);
}

TEST(Check, ASourceIsCompiledWithItsDefinitionsHeadersAndInstances) {
    const Folder f;
    f.file("tile.h", "#define ELEMENT float\n");
    const std::string file = f.file(
        "own.cu",
        "#include \"tile.h\"\n"
        "__global__ void scale(ELEMENT* x) { x[threadIdx.x + OFFSET] *= 2; }\n"
        "template <int N> __global__ void fill(int* x) { x[threadIdx.x] = N; }\n"
    );
    const std::vector<std::string> base{"check", file, "--define", "OFFSET=3", "-I", f.folder.path};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), base.begin(), base.end());
        return warplens(more);
    };
    const Said all = with({"--arch", "sm_80"});
    EXPECT_EQ(all.status, 0) << all.out << all.err;
    expect_words(all.out, {"for sm_80", "scale(float*)", "1 of 1 entry"});
    EXPECT_EQ(with({"--entry", "scale", "--debug"}).status, 0);
    expect_words(with({"--entry", "fill<7>"}).out, {"void fill<7>(int*)", "1 of 1 entry"});
    expect_error(with({"--entry", "scales"}), {"own.cu", "scales", "scale"});
    expect_error(with({"--arch", "hopper"}), {"--arch hopper", "sm_90"});
    expect_error(warplens({"check", file, "-I", f.folder.path}), {"own.cu:2", "OFFSET"});
}

TEST(Check, ALibraryWithoutEntriesAnswersByFunction) {
    const Folder f;
    const std::string functions = ".visible .func good() { ret; }\n.visible .func bad() { frobnicate; }\n";
    const Said said = warplens({"check", f.file("library.ptx", kHeader + functions)});
    EXPECT_EQ(said.status, 3);
    expect_words(said.out, {"frobnicate: no such instruction", "1 of 2 functions, and no entry, can run"});
    const Said empty = warplens({"check", f.file("empty.ptx", kHeader)});
    EXPECT_EQ(empty.status, 0) << empty.err;
    expect_words(empty.out, {"nothing to run"});
}

TEST(Check, AWrongFileIsOneErrorWithItsPlace) {
    const Folder f;
    expect_error(
        warplens({"check", f.file("bad.ptx", kHeader + ".entry k( { ret; }\n")}), {"bad.ptx: PTX line 6:"}
    );
    expect_error(warplens({"check", f.file("text.ptx", "Dear diary,\n")}), {"text.ptx: PTX line 1:"});
    expect_error(warplens({"check", f.file("empty.ptx", "")}), {"empty.ptx", "no .version"});
    expect_error(
        warplens({"check", f.file("none.cu", "__device__ int x;")}), {"none.cu", "no __global__ function"}
    );
    expect_error(
        warplens({"check", f.file("half.ptx", kHeader + ".entry k() { ret")}), {"half.ptx: PTX line 6:"}
    );
    expect_error(warplens({"check", f.folder.path + "/absent.ptx"}), {"absent.ptx"});
    expect_error(warplens({"check", f.folder.path}), {f.folder.path});
    expect_error(warplens({"check", f.file("notes.txt", "x")}), {"notes.txt", ".ptx", ".cu"});
    expect_error(
        warplens({"check", f.file("two.ptx", kTwoEntries), "--define", "A=1"}), {"PTX already", "--define"}
    );
}

}  // namespace
}  // namespace wl::test
