// The table of edits: every row is read, makes its own right statement of its own wrong one, is tried by the
// search, and compiles. What is wrong in a table is said with its line.
#include "instrumentation/base/error.h"
#include "instrumentation/compile/compile.h"
#include "instrumentation/diagnosis/rewrite/table/table.h"
#include "tests/support/rewrites.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {
namespace {

// A kernel with a statement of its own.
std::string kernel_with(const std::string& statement, const std::string& name = "example") {
    return "__global__ void " + name +
        "(const float* x, const int* table, float* y, float* out, int rows, int cols, int n, float scale, "
        "int "
        "spare) {\n"
        "    __shared__ float part[64];\n"
        "    const int row = blockIdx.x, t = threadIdx.x;\n"
        "    float sum = 0.0f, best = -1.0f, m = 1.0f;\n"
        "    const bool inside = t < n;\n"
        "    part[t] = x[t];\n"
        "    for (int c = 0; c < cols; ++c) {\n" +
        statement +
        "\n"
        "    }\n"
        "    out[row * cols + t] = sum + m + best + part[t] + table[t] + (inside ? y[rows] : scale);\n"
        "}\n";
}

SearchContext all_lines(const std::string& text) {
    SearchContext out{.numbers = {}, .suspicion = {}, .axes = "x", .unwritten = true};
    for (int line = 1; line <= std::count(text.begin(), text.end(), '\n'); ++line) out.suspicion[line] = 0;
    return out;
}

// What one row of the table makes of a source: all that stand at its line.
std::vector<Rewrite> made_by(
    const Pass& pass, const Row& row, const Source& s, const SearchContext& context
) {
    Writer w{s, context};
    Pass one{pass.name, {}, pass.statements};
    for (const Row& other : pass.rows)
        if (other.line == row.line) one.rows.push_back(other);
    const bool of_unread = pass.name.find("unread") != std::string::npos;
    for (const Body& body : s.bodies) {
        std::vector<const Variable*> unread = {nullptr};
        if (of_unread) unread.clear();
        for (const Variable& v : s.variables)
            if (of_unread && is_unread(s, body, v)) unread.push_back(&v);
        for (const Variable* v : unread)
            if (pass.statements)
                for (const Statement& st : body.statements) try_rows(w, one, st, body, v);
            else
                for (int k = body.open + 1; k < body.close; ++k) try_rows(w, one, k, body, v);
    }
    return std::move(w.out);
}

std::string name_of(const Pass& pass, const Row& row) {
    return fmt::format("edits.toml:{} ({})", row.line, pass.name);
}

const Row& first_at(const Pass& pass, int line) {
    return *std::find_if(pass.rows.begin(), pass.rows.end(), [&](const Row& r) { return r.line == line; });
}

TEST(Edits, EveryRowMakesItsRightStatementOfItsWrongOne) {
    for (const Pass& pass : edit_table())
        for (const Row& row : pass.rows) {
            if (&row != &first_at(pass, row.line)) continue;
            const std::string wrong = kernel_with(row.wrong), right = kernel_with(row.right);
            const Source source = test::source_of(wrong);
            const SearchContext context = all_lines(wrong);
            const std::vector<Rewrite> own = made_by(pass, row, source, context);
            EXPECT_NE(test::change_into(own, wrong, right), own.end())
                << name_of(pass, row) << ": " << row.wrong << " -> " << row.right;
        }
}

TEST(Edits, TheSearchTriesEveryPass) {
    for (const Pass& pass : edit_table()) {
        ASSERT_FALSE(pass.rows.empty()) << pass.name;
        const Row& row = pass.rows.front();
        const std::string wrong = kernel_with(row.wrong), right = kernel_with(row.right);
        constexpr int kLine = 8;  // of the statement
        const SearchContext context{.numbers = {}, .suspicion = {{kLine, 0}}};
        const std::vector<Rewrite> all = rewrites(test::source_of(wrong), context);
        EXPECT_NE(test::change_into(all, wrong, right), all.end()) << name_of(pass, row);
    }
}

TEST(Edits, EveryRightStatementCompiles) {
    std::string text;
    int k = 0;
    for (const Pass& pass : edit_table())
        for (const Row& row : pass.rows) {
            if (&row != &first_at(pass, row.line)) continue;
            text += fmt::format("// {}\n", name_of(pass, row)) +
                kernel_with(row.right, fmt::format("row_{}", k++));
        }
    ASSERT_GT(k, 0);
    compile::CompileOptions options;
    options.source_path = "edits.cu", options.text = text;
    const compile::Compiled compiled = compile::compile(options);
    EXPECT_NE(compiled.ptx.find(fmt::format("row_{}", k - 1)), std::string::npos);
}

// How many changes a row makes of a statement.
size_t made_of(const std::string& statement, const std::string& keys, bool near) {
    const std::string row = "[[formulas]]\nrule = \"wrong_index\"\nwrong = \"a\"\nright = \"b\"\n" + keys;
    const std::vector<Pass> table = read_table(row, "edits.toml");
    const std::string text = kernel_with(statement);
    return made_by(
               table.front(),
               table.front().rows.front(),
               test::source_of(text),
               near ? all_lines(text) : SearchContext{}
    )
        .size();
}

TEST(Edits, HolesTakeAsManyVariablesAsTheirRowSays) {
    const std::string find = "find = \"[ @`$v:whole.!of_file` ]\"\nput = [\"$n * $m\"]\n";
    const std::string each = "each = [\"n: whole.!is(v)\", \"m: whole.!is(v).!is(n)\"]\n";
    EXPECT_EQ(made_of("sum += y[c];", find + each + "most = 2\n", true), 12U);  // two of each of six elements
    EXPECT_EQ(made_of("sum += y[c];", find + each + "most = 2\n", false), 0U);
    EXPECT_EQ(made_of("sum += y[c];", find + each + "most = 2\nanywhere = true\n", false), 12U);
    EXPECT_EQ(made_of("sum += y[c];", find + each + "most = 2\nwhere = [\"not before [\"]\n", true), 0U);
    EXPECT_EQ(made_of("sum += y[c];", find + each + "most = 2\nwhere = [\"is v c\"]\n", true), 2U);
}

TEST(Edits, RowsOfTheDocumentFire) {
    EXPECT_EQ(
        made_of("__shared__ float v[4][8];", "find = \"[ $a:literal `]` [\"\nput = [\" + 1]\"]\n", true), 1U
    );
    EXPECT_EQ(
        made_of(
            "sum += min(c, n);",
            "find = \"`min ( $a , $b )`\"\nput = [\"max($a, $b)\", \"$a\", \"$b\"]\n",
            true
        ),
        3U
    );
    EXPECT_EQ(
        made_of("sum = threadIdx.x / 32;", "find = \"threadIdx . x / `32`\"\nput = [\"16\"]\n", true), 1U
    );
}

// Text is put before the next token, or after the one before.
TEST(Edits, ARowCanPutSomethingIn) {
    EXPECT_EQ(made_of("sum = m;", "find = \"m `` ;\"\nput = [\" + best\"]\n", true), 1U);
    EXPECT_EQ(made_of("sum = m;", "find = \"= `` m\"\nput = [\"best + \"]\n", true), 1U);
}

// Its head has a word between `if` and the bracket.
TEST(Edits, AConstantConditionIsNoRunAwayText) {
    const std::string text = kernel_with("if constexpr (4 < 5) sum += m;");
    for (const Rewrite& r : rewrites(test::source_of(text), all_lines(text)))
        for (const Edit& e : r.edits) {
            EXPECT_LE(e.begin + e.length, text.size()) << r.now;
            EXPECT_LT(e.text.size(), 200U) << r.now;
        }
}

// What `read_table` says of a row with one of its lines in place of its own.
std::string said_of(const std::string& find, const std::string& rest) {
    try {
        read_table(
            "[[formulas]]\nrule = \"wrong_index\"\nfind = \"" + find + "\"\n" + rest +
                "\nwrong = \"a\"\nright = \"b\"\n",
            "edits.toml"
        );
    } catch (const Error& e) { return e.what(); }
    return "";
}

TEST(Edits, WhatIsWrongInATableIsSaidWithItsLine) {
    EXPECT_EQ(said_of("`$a` @% $n", "put = [\"$a\"]"), "");
    // Those that docs/internals/edits.md names.
    EXPECT_EQ(said_of("[ $a:literal `]` [", "put = [\" + 1]\"]"), "");
    EXPECT_EQ(said_of("`min ( $a , $b )`", "put = [\"max($a, $b)\", \"$a\", \"$b\"]"), "");
    EXPECT_EQ(said_of("threadIdx . x / `32`", "put = [\"16\"]"), "");
    const struct {
        const char *find, *rest, *says;
    } cases[] = {
        {"$a @% $n",            "put = [\"$a\"]",                        "edits.toml:3: find: what is replaced stands"},
        {"`$a:hole`",           "put = [\"$a\"]",                        "edits.toml:3: find: no variable is `hole`"  },
        {"`$a:like(b)`",        "put = [\"$a\"]",                        "edits.toml:3: find: no hole is named `b`"   },
        {"`$a` @% $n",          "put = [\"$b\"]",                        "edits.toml:4: put: no hole is named `b`"    },
        {"`$a` @% $n",          "put = [\"${up a}\"]",                   "edits.toml:4: put: no form is `up`"         },
        {"`$a` @% $n",          "where = [\"round a\"]\nput = [\"$a\"]", "edits.toml:4: where: no condition is"       },
        {"`$a` @% $n",          "where = [\"simple\"]\nput = [\"$a\"]",  "edits.toml:4: where: `simple` is of a hole" },
        {"`$a` @% $n",          "each = [\"b whole\"]\nput = [\"$b\"]",  "edits.toml:4: each: a hole's name"          },
        {"`$a` @% $n",          "putt = [\"$a\"]",                       "edits.toml:4: "                             },
        {"`$f:{fmaxf|fminf` (", "put = [\"$f\"]",                        "edits.toml:3: find: a brace is not closed"  },
    };
    for (const auto& c : cases)
        EXPECT_TRUE(said_of(c.find, c.rest).starts_with(c.says)) << said_of(c.find, c.rest);
}

}  // namespace
}  // namespace wl::diagnosis::rewrite
