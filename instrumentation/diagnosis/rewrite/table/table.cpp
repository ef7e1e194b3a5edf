// The table's notation: rows, patterns, holes and conditions.
#include "instrumentation/diagnosis/rewrite/table/table.h"

#include "instrumentation/base/embed.h"
#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/rewrite/table/match.h"
#include "instrumentation/manifest/toml_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <utility>

namespace wl::diagnosis::rewrite {

namespace {

WL_EMBED(edits_text, wl_edits, WL_EDITS)

using manifest::Section;

// What is left to read of a text of the table.
struct Reader {
    const Section& section;
    const char* key;
    Row& row;
    std::string_view text;

    [[noreturn]] void fail(const std::string& what) const {
        manifest::fail(*section.document, manifest::line_of(section, key), fmt::format("{}: {}.", key, what));
    }
    bool take(std::string_view w) {
        if (!text.starts_with(w)) return false;
        text.remove_prefix(w.size());
        return true;
    }
    void skip_spaces() { text.remove_prefix(std::min(text.find_first_not_of(' '), text.size())); }
    std::string name() {
        size_t n = 0;
        while (n < text.size() && (std::isalnum(static_cast<unsigned char>(text[n])) != 0 || text[n] == '_'))
            ++n;
        if (n == 0) fail(fmt::format("a name is expected before `{}`", text));
        const std::string out(text.substr(0, n));
        text.remove_prefix(n);
        return out;
    }
};

int hole_named(const Row& row, const std::string& name) {
    const auto found = std::find(row.holes.begin(), row.holes.end(), name);
    return found == row.holes.end() ? -1 : static_cast<int>(found - row.holes.begin());
}

int known_hole(const Reader& r, const std::string& name) {
    const int hole = hole_named(r.row, name);
    if (hole < 0) r.fail(fmt::format("no hole is named `{}`", name));
    return hole;
}

int new_hole(Row& row, const std::string& name) {
    const int known = hole_named(row, name);
    if (known >= 0) return known;
    row.holes.push_back(name);
    return static_cast<int>(row.holes.size()) - 1;
}

std::vector<std::string> parts(std::string_view text, char by) {
    std::vector<std::string> out;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(by, begin), text.size());
        if (end > begin) out.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

// `whole.!constant.like(a)`
void read_tests(Reader& r, std::vector<Test>& out) {
    do {
        Test t;
        t.negated = r.take("!");
        const std::string name = r.name();
        t.holds = variable_test(name);
        if (t.holds == nullptr) r.fail(fmt::format("no variable is `{}`", name));
        if ((name == "like" || name == "is" || name == "beside") && r.take("(")) {
            t.other = known_hole(r, r.name());
            if (!r.take(")")) r.fail("a bracket is not closed");
        }
        out.push_back(t);
    } while (r.take("."));
}

// `{a|b}`
std::vector<std::string> read_words(Reader& r) {
    const size_t end = r.text.find('}');
    if (end == std::string_view::npos) r.fail("a brace is not closed");
    std::vector<std::string> out = parts(r.text.substr(0, end), '|');
    r.text.remove_prefix(end + 1);
    return out;
}

Element read_hole(Reader& r) {
    if (r.take("=")) return {.kind = Element::Kind::sets};
    Element e{.kind = Element::Kind::operand};
    e.hole = new_hole(r.row, r.name());
    if (r.take("...")) e.kind = Element::Kind::inside;
    const auto known = std::find_if(r.row.pattern.begin(), r.row.pattern.end(), [&](const Element& other) {
        return other.hole == e.hole;
    });
    if (known != r.row.pattern.end()) return *known;  // the same again
    if (!r.take(":")) return e;
    if (r.take("{")) {
        e.kind = Element::Kind::words, e.words = read_words(r);
    } else if (r.take("literal")) {
        e.kind = Element::Kind::number;
    } else {
        e.kind = r.take("element.") ? Element::Kind::element : Element::Kind::variable;
        read_tests(r, e.tests);
    }
    return e;
}

void read_pattern(Reader r) {
    int marks = 0;
    for (r.skip_spaces(); !r.text.empty(); r.skip_spaces()) {
        const int count = static_cast<int>(r.row.pattern.size());
        if (r.take("`")) {
            (marks++ == 0 ? r.row.marked : r.row.end) = count;
        } else if (r.take("@")) {
            r.row.anchor = count;
        } else if (r.take("$")) {
            r.row.pattern.push_back(read_hole(r));
        } else if (r.text.size() > 1 && r.text[0] == '{' && r.text[1] != ' ') {
            r.take("{");
            r.row.pattern.push_back({.words = read_words(r)});
        } else {
            const std::string_view word = words_of(r.text).front();
            r.take(word);
            r.row.pattern.push_back({.words = {std::string(word)}});
        }
    }
    if (marks != 2) r.fail("what is replaced stands between two backticks");
    if (r.row.pattern.empty()) r.fail("a pattern has one token or more");
}

// `n: whole.given`, `e: products`
void read_choices(Reader r) {
    Choices out{new_hole(r.row, r.name()), {}, {}, false};
    if (!r.take(": ")) r.fail("a hole's name, a colon and what stands for it");
    out.products = r.text == "products";
    if (!out.products) read_tests(r, out.tests);
    // What is compared with another choice is asked after `most` are taken.
    const auto of_choice = [&](const Test& t) {
        return std::any_of(r.row.each.begin(), r.row.each.end(), [&](const Choices& c) {
            return c.hole == t.other;
        });
    };
    std::copy_if(out.tests.begin(), out.tests.end(), std::back_inserter(out.later), of_choice);
    std::erase_if(out.tests, of_choice);
    r.row.each.push_back(std::move(out));
}

// `simple a`, `not has a + -`, `after ; ,`
Condition read_one(Reader& r) {
    Condition c;
    c.negated = r.take("not ");
    const std::string name = r.name();
    c.holds = hole_condition(name);
    if (c.holds == nullptr) r.fail(fmt::format("no condition is `{}`", name));
    c.words = parts(r.text, ' ');
    static constexpr std::array<std::string_view, 8> kOfPlace = {
        "before", "after", "then", "alone", "function", "real", "anchor", "statement"};
    const bool of_place = std::find(kOfPlace.begin(), kOfPlace.end(), name) != kOfPlace.end();
    if (!of_place && c.words.empty()) r.fail(fmt::format("`{}` is of a hole", name));
    if (!of_place) c.hole = known_hole(r, c.words.front()), c.words.erase(c.words.begin());
    return c;
}

// `before = or after ;`: one of them.
void read_conditions(Reader r) {
    constexpr std::string_view kOr = " or ";
    std::vector<Condition> out;
    for (std::string_view rest = r.text; !rest.empty();) {
        const size_t end = std::min(rest.find(kOr), rest.size());
        r.text = rest.substr(0, end);
        out.push_back(read_one(r));
        rest.remove_prefix(std::min(end + kOr.size(), rest.size()));
    }
    r.row.where.push_back(std::move(out));
}

// Every hole that it names is there.
void check_put(Reader r) {
    while (r.text.find('$') != std::string_view::npos) {
        r.text.remove_prefix(r.text.find('$') + 1);
        if (r.take("{")) {
            const std::string form = r.name();
            if (form != "in" && form != "bare" && form != "zero" && form != "one")
                r.fail(fmt::format("no form is `{}`", form));
            r.take(" ");
        }
        known_hole(r, r.name());
    }
}

void for_each_text(const Section& s, const char* key, Row& row, const std::function<void(Reader)>& visit) {
    const std::vector<std::string> all = manifest::texts(s, key).value_or(std::vector<std::string>{});
    for (const std::string& text : all) visit({s, key, row, text});
}

// What all rows say.
Row read_common(const Section& s) {
    manifest::check_keys(
        s,
        {"rule",
         "cost",
         "prior",
         "anywhere",
         "inside",
         "find",
         "alike",
         "swap",
         "each",
         "most",
         "where",
         "put",
         "wrong",
         "right"}
    );
    const auto needed = [&](const char* key, const char* what) {
        return manifest::required(s, key, manifest::text(s, key), what);
    };
    Row row;
    row.line = manifest::line_of(s);
    const std::string proves = needed("rule", "what mending it proves");
    row.rule = proves;
    row.cost = manifest::whole(s, "cost").value_or(2);
    row.prior = manifest::whole(s, "prior").value_or(0);
    row.near = !manifest::flag(s, "anywhere").value_or(false);
    row.inside = manifest::flag(s, "inside").value_or(false);
    row.most = static_cast<size_t>(manifest::whole(s, "most").value_or(0));
    row.wrong = needed("wrong", "a statement that is wrong");
    row.right = needed("right", "and what becomes of it");
    return row;
}

// A token of these words becomes each of `put`, or each of the other words.
void add_token(std::vector<Row>& out, Row row, std::vector<std::string> words, std::vector<std::string> put) {
    row.pattern = {{.words = std::move(words)}};
    row.end = 1, row.put = std::move(put);
    out.push_back(std::move(row));
}

void add_rows(const Section& s, std::vector<Row>& out) {
    const Row row = read_common(s);
    const auto alike = manifest::texts(s, "alike"), swap = manifest::texts(s, "swap");
    for (const std::string& text : alike.value_or(std::vector<std::string>{}))
        add_token(out, row, parts(text, '|'), {});
    for (const std::string& text : swap.value_or(std::vector<std::string>{})) {
        const std::vector<std::string> both = parts(text, ' ');
        if (both.size() != 2)
            manifest::fail(*s.document, manifest::line_of(s, "swap"), "swap: two words: \"" + text + "\".");
        add_token(out, row, {both[0]}, {both[1]});
    }
    if (alike || swap) return;
    Row full = row;
    if (s.name.find("unread") != s.name.npos) full.holes.emplace_back("unread");
    const std::string find = manifest::required(s, "find", manifest::text(s, "find"), "a pattern");
    read_pattern({s, "find", full, find});
    for_each_text(s, "each", full, read_choices);
    for_each_text(s, "where", full, read_conditions);
    full.put = manifest::required(s, "put", manifest::texts(s, "put"), "what stands there then");
    for_each_text(s, "put", full, check_put);
    out.push_back(std::move(full));
}

}  // namespace

std::vector<Pass> read_table(const std::string& text, const std::string& name) {
    manifest::Document document = manifest::parse_document(text, name);
    const Section all = manifest::root(document);
    std::vector<Pass> out;
    for (const std::string& key : manifest::keys(all)) {
        Pass pass{key, {}, key.ends_with("statements")};
        for (const Section& s : manifest::required(all, key, manifest::subsections(all, key), "rows"))
            add_rows(s, pass.rows);
        out.push_back(std::move(pass));
    }
    return out;
}

const std::vector<Pass>& edit_table() {
    static const std::vector<Pass> kTable = read_table(std::string(edits_text()), "edits.toml");
    return kTable;
}

const Pass& pass_of(std::string_view name) {
    const std::vector<Pass>& all = edit_table();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Pass& p) { return p.name == name; });
    if (found == all.end()) throw Error(fmt::format("edits.toml has no rows `{}`.", name));
    return *found;
}

}  // namespace wl::diagnosis::rewrite
