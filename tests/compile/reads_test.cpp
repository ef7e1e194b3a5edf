// A kept compilation is given again as long as every file is as it was that the compiler read, and no file
// has come to be where it looked for one in vain; nvcc takes every name for a name.
#include "instrumentation/compile/reads.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/scratch.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/compile.h"
#include "instrumentation/compile/dependencies.h"
#include "instrumentation/compile/plain_names.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>

namespace wl::compile {
namespace {

namespace fs = std::filesystem;

const std::string kKernel = "extern \"C\" __global__ void scale(float* x) { x[threadIdx.x] *= FACTOR; }\n";
const std::string kTwo = "#pragma once\n#define FACTOR 2.5f\n", kFive = "#pragma once\n#define FACTOR 5.5f\n";
constexpr const char* kTwoInPtx = "0f40200000";
constexpr const char* kFiveInPtx = "0f40B00000";

struct Reads : testing::Test {
    Scratch scratch;
    std::map<std::string, std::string> before;  // variables of the environment; "": it was not set

    void SetUp() override {
        set("XDG_CACHE_HOME", at("cache"));
        set("WARPLENS_CLANG", "none");
    }
    void TearDown() override {
        for (const auto& [name, value] : before)
            value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
    }
    void set(const std::string& name, const std::string& value) {
        const char* was = std::getenv(name.c_str());
        before.try_emplace(name, was != nullptr ? was : "");
        setenv(name.c_str(), value.c_str(), 1);
    }
    std::string at(const std::string& name) const { return scratch.path + "/" + name; }
    std::string write(const std::string& name, const std::string& text) const {
        fs::create_directories(fs::path(at(name)).parent_path());
        std::ofstream(at(name), std::ios::binary) << text;
        return at(name);
    }
    CompileOptions source(const std::string& text) const {
        CompileOptions options;
        options.source_path = write("src/scale.cu", text);
        options.display_path = "scale.cu";
        return options;
    }
};

// Each of these hides an include from who reads lines.
TEST_F(Reads, AHeaderThatAnyWayLedToCounts) {
    const std::map<std::string, std::string> ways{
        {"plain",     "#include \"h.h\"\n"                                   },
        {"BOM",       "\xef\xbb\xbf#include \"h.h\"\n"                       },
        {"comment",   "/* c */ #include \"h.h\"\n"                           },
        {"inside",    "#/**/include \"h.h\"\n"                               },
        {"digraph",   "%:include \"h.h\"\n"                                  },
        {"spliced",   "#inc\\\nlude \"h.h\"\n"                               },
        {"macro",     "#define WHICH \"h.h\"\n#include WHICH\n"              },
        {"in string", "static const char* t = \"/*\";\n#include/**/\"h.h\"\n"}
    };
    for (const auto& [way, include] : ways) {
        write("src/h.h", kTwo);
        const CompileOptions options = source(include + kKernel);
        EXPECT_NE(compile(options).ptx.find(kTwoInPtx), std::string::npos) << way;
        EXPECT_TRUE(compile(options).cached) << way << ": nothing has changed";
        write("src/h.h", kFive);
        const Compiled again = compile(options);
        EXPECT_FALSE(again.cached) << way;
        EXPECT_NE(again.ptx.find(kFiveInPtx), std::string::npos) << way;
        fs::remove_all(at("cache"));
    }
}

TEST_F(Reads, AHeaderThatComesToBeEarlierCounts) {
    write("second/h.h", kTwo);
    fs::create_directories(at("first"));
    CompileOptions options = source("#/**/include <h.h>\n" + kKernel);
    options.include = {at("first"), at("second")};
    EXPECT_NE(compile(options).ptx.find(kTwoInPtx), std::string::npos);
    EXPECT_TRUE(compile(options).cached);
    write("first/h.h", kFive);
    EXPECT_NE(compile(options).ptx.find(kFiveInPtx), std::string::npos);
    fs::remove(at("first/h.h"));
    EXPECT_NE(compile(options).ptx.find(kTwoInPtx), std::string::npos) << "and goes again";
}

TEST_F(Reads, WhatWasAskedForInVainCounts) {
    const CompileOptions options = source(
        "#define WHICH \"own.h\"\n#if __has_include(WHICH)\n#include WHICH\n#else\n#define FACTOR "
        "2.5f\n#endif\n" +
        kKernel
    );
    EXPECT_NE(compile(options).ptx.find(kTwoInPtx), std::string::npos);
    EXPECT_TRUE(compile(options).cached);
    write("src/own.h", kFive);
    EXPECT_NE(compile(options).ptx.find(kFiveInPtx), std::string::npos);
}

TEST_F(Reads, AFileThatIsWrittenAnewAsItWasCounts) {
    write("src/h.h", kTwo);
    const auto written = fs::last_write_time(at("src/h.h"));
    const CompileOptions options = source("#/**/include \"h.h\"\n" + kKernel);
    compile(options);
    write("src/h.h", kTwo);
    EXPECT_TRUE(compile(options).cached);
    write("src/h.h", kFive);
    fs::last_write_time(at("src/h.h"), written);
    EXPECT_FALSE(compile(options).cached) << "of the same size, with its time put back";
}

// Whether it was read before that or after, nobody knows.
TEST_F(Reads, WhatIsWrittenWhileItCompilesIsNotKept) {
    write("before.h", kTwo);
    const Reading reading;
    note_read(at("before.h"));
    note_read(at("absent.h"));
    const auto files = files_of(reading);
    ASSERT_TRUE(files);
    EXPECT_EQ(files->size(), 2u);
    EXPECT_TRUE(are_as_read(*files));
    note_read(write("meanwhile.h", kTwo));
    EXPECT_FALSE(files_of(reading));
    write("absent.h", kTwo);
    EXPECT_FALSE(are_as_read(*files));
    const Reading silent;
    note_unknown_reads();
    EXPECT_FALSE(files_of(silent)) << "a compiler that does not say what it read";
}

TEST_F(Reads, NvccSaysWhatItRead) {
    write("extra.h", kTwo);
    write("second/lib.h", "#if __has_include(<late.h>)\n#error late\n#endif\n");
    fs::create_directories(at("first"));
    CompileOptions options = source("#include <vector>\n#/**/include <lib.h>\n" + kKernel);
    options.include = {at("first"), at("second")};
    set("NVCC_APPEND_FLAGS", "-include " + at("extra.h"));
    const Compiled first = compile(options);
    EXPECT_EQ(first.compiler, "nvcc");
    EXPECT_NE(first.ptx.find(kTwoInPtx), std::string::npos);
    EXPECT_TRUE(compile(options).cached);
    write("extra.h", kFive);
    EXPECT_NE(compile(options).ptx.find(kFiveInPtx), std::string::npos);
    EXPECT_TRUE(compile(options).cached);
    for (const char* late : {"first/lib.h", "second/late.h"}) {
        write(late, "#error found\n");
        EXPECT_THROW(compile(options), Error) << late;
        fs::remove(at(late));
        EXPECT_TRUE(compile(options).cached) << late;
    }
    set("NVCC_APPEND_FLAGS", "-DFACTOR=1");
    EXPECT_FALSE(compile(options).cached) << "another environment";
}

TEST_F(Reads, ARuleForMakeIsReadWithItsEscapes) {
    EXPECT_EQ(
        files_of_rule("a\\ b.o: a\\ b.cu /x/$$(y).h \\\n  /z\\#.h c\\\\d.h\n\n/x/$$(y).h:\n"),
        (std::vector<std::string>{"a b.cu", "/x/$(y).h", "/z#.h", "c\\d.h"})
    );
    EXPECT_TRUE(files_of_rule("").empty());
    EXPECT_EQ(
        places_before({"/b/x.h", "/usr/include/y/z.h"}, {"/a", "/b"}),
        (std::vector<std::string>{"/a/x.h", "/b/x.h", "/a/y/z.h", "/b/y/z.h"})
    );
}

TEST_F(Reads, WhatATextAsksForIsFound) {
    const AskedFor asked =
        asked_for("#if __has_include(<a.h>) || __has_include_next ( \"b/c.h\")\n#ifdef __has_include\n");
    EXPECT_EQ(asked.names, (std::vector<std::string>{"a.h", "b/c.h"}));
    EXPECT_TRUE(asked.known);
    EXPECT_FALSE(asked_for("#if __has_include(WHICH)\n").known);
    EXPECT_FALSE(asked_for("#if __has_include(/**/<a.h>)\n").known);
}

// nvcc starts its tools by a shell: whatever stands in a name would run there.
TEST_F(Reads, NvccTakesNamesForNames) {
    const std::string name = "$(>$WL_PWNED)`>$WL_PWNED`\";>$WL_PWNED;'\\ \xe9,\n-";
    ASSERT_FALSE(is_plain(name));
    set("WL_PWNED", at("pwned"));
    fs::create_directories(at(name + "tmp"));
    set("TMPDIR", at(name + "tmp"));
    const std::string folder = at(name + "src");
    write(name + "src/own.h", "#define OWN 1\n");
    write(name + "inc/lib.h", kTwo);
    CompileOptions options;
    options.source_path = write(
        name + "src/" + name + ".cu",
        "#include <vector>\n#include \"own.h\"\n#include <lib.h>\n__global__ void scale(float* x, const "
        "char** t) {\n"
        "    x[threadIdx.x] *= FACTOR;\n    *t = TEXT;\n    BROKEN\n}\n"
    );
    options.display_path = "shown/scale.cu";
    options.include = {at(name + "inc")};
    options.defines = {
        {"TEXT",   "\"$(>$WL_PWNED)`>$WL_PWNED`\""},
        {"BROKEN", ""                             }
    };
    const fs::path here = fs::current_path();
    fs::current_path(folder);
    options.defines.back().second = ";";
    const Compiled compiled = compile(options);
    // nvcc also writes where a source lies once links are followed.
    options.defines.back().second = "y;";
    fs::create_symlink(options.source_path, at("plain.cu"));
    write("own.h", "#define OWN 1\n");
    options.source_path = at("plain.cu");
    std::string refused;
    try {
        compile(options);
    } catch (const Error& e) { refused = e.what(); }
    fs::current_path(here);
    EXPECT_EQ(compiled.compiler, "nvcc");
    EXPECT_NE(compiled.ptx.find(kTwoInPtx), std::string::npos);
    EXPECT_NE(compiled.ptx.find("\"shown/scale.cu\""), std::string::npos) << compiled.ptx;
    EXPECT_EQ(compiled.ptx.find("/warplens-"), std::string::npos) << compiled.ptx;
    EXPECT_NE(refused.find("shown/scale.cu:7: error: identifier \"y\" is undefined"), std::string::npos)
        << refused;
    EXPECT_FALSE(fs::exists(at("pwned")));
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        EXPECT_NE(entry.path().filename(), "pwned") << entry.path();
}

}  // namespace
}  // namespace wl::compile
