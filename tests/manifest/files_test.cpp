// What a kernel is made of counts for its content in whatever words it is asked for, and texts of any length
// are looked through.
#include "instrumentation/manifest/files.h"

#include "instrumentation/base/scratch.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>

namespace wl::manifest {
namespace {

namespace fs = std::filesystem;

struct Content : testing::Test {
    Scratch scratch;

    void write(const std::string& name, const std::string& text) const {
        const fs::path path = fs::path(scratch.path) / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
    }
    void SetUp() override {
        write(
            "k.toml",
            "args = [ { name = \"x\", dtype = \"f32\", shape = [32], output = true } ]\n"
            "launch = { grid = [1], block = [32] }\ninclude = [\"lib\"]\nreference = { python = \"ref.py\" "
            "}\n"
        );
        write("lib/other.h", "");
        write("k.cu", "extern \"C\" __global__ void k(float* x) {}\n");
        write("ref.py", "def reference(inputs, params): pass\n");
    }
    std::string content() const { return content_of(scratch.path + "/k.toml"); }
    // Whether another text of the file is another content.
    bool counts(const std::string& name) const {
        write(name, "# one\n");
        const std::string before = content();
        write(name, "# two\n");
        return content() != before;
    }
};

TEST_F(Content, HoldsHeadersInWhateverWordsTheyAreIncluded) {
    const std::string kernel = "extern \"C\" __global__ void k(float* x) {}\n";
    const std::map<std::string, std::string> ways{
        {"plain",   "#include \"h.h\"\n"                                        },
        {"BOM",     "\xef\xbb\xbf#include \"h.h\"\n"                            },
        {"comment", "/* c */ #include \"h.h\"\n"                                },
        {"inside",  "#/**/include \"h.h\"\n"                                    },
        {"digraph", "%:include \"h.h\"\n"                                       },
        {"spliced", "#inc\\\nlude \"h.\\\r\nh\"\n"                              },
        {"macro",   "#define LESS <\n#define WHICH \"h.h\"\n#include WHICH\n"   },
        {"angles",  "#include <h.h> // < \"\n"                                  },
        {"strings", "const char* t = \"\\\"\"; /* \" */ // \"\n#include \"h.h\""}
    };
    for (const auto& [way, include] : ways) {
        write("k.cu", include + kernel);
        EXPECT_TRUE(counts("h.h")) << way;
        fs::remove(scratch.path + "/h.h");
        EXPECT_TRUE(counts("lib/h.h")) << way;
        fs::remove(scratch.path + "/lib/h.h");
    }
    write("k.cu", kernel);
    EXPECT_FALSE(counts("h.h")) << "nobody names it";
}

TEST_F(Content, HoldsModulesInWhateverWordsTheyAreImported) {
    for (const char* way :
         {"import helper",
          "import os, helper as h",
          "import os; import helper",
          "from helper import f",
          "from . import helper",
          "__import__('helper')",
          "import importlib\nimportlib.import_module(\"helper\")",
          "exec(open(FOLDER + '/helper.py').read())"}) {
        write("ref.py", std::string(way) + "\n");
        for (const char* file : {"helper.py", "helper.cpython-311-x86_64-linux-gnu.so", "helper/part.py"}) {
            EXPECT_TRUE(counts(file)) << way << ": " << file;
            fs::remove_all(scratch.path + "/" + std::string(file).substr(0, std::string(file).find('/')));
        }
        write("helper.py", "import deeper\n");
        EXPECT_TRUE(counts("deeper.py")) << way;
        fs::remove(scratch.path + "/helper.py");
    }
    write("ref.py", "def reference(inputs, params): pass\n");
    EXPECT_FALSE(counts("helper.py")) << "nobody names it";
}

TEST_F(Content, IsThatOfTextsOfAnyLength) {
    const std::string much(3'000'000, 'a');
    for (const std::string& text :
         {"#include \"" + much + "\"\n",
          "#include <" + much + ">\n",
          std::string(3'000'000, '<'),
          std::string(3'000'000, '"'),
          "import " + much + "\n"}) {
        write("k.cu", text), write("ref.py", text);
        EXPECT_EQ(files_of(scratch.path + "/k.toml").size(), 3U);
    }
}

}  // namespace
}  // namespace wl::manifest
