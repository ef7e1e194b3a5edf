// One card a finding: title and place; the selected one also shows explanation, proof and evidence.
#include "app/panels/findings.h"

#include "app/draw/numbers.h"
#include "app/draw/widgets.h"
#include "app/session/navigate.h"
#include "instrumentation/analysis/verdict.h"

#include <imgui.h>

#include <string>

namespace wl::app {

namespace {

ImU32 colour_of(const capture::Finding& finding) {
    return finding.caused_by < 0 ? colour::kBad : colour::kAccent;
}

std::string place_of(const Session& session, const capture::Where& where) {
    std::string text = where.line > 0 ? file_name(where.file) + ":" + std::to_string(where.line) : "";
    const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "  ") + part; };
    if (!where.tile.empty()) {
        const bool element = where.element[0] >= 0;
        add(where.tile +
            (element ? "[" + std::to_string(where.element[0]) + ", " + std::to_string(where.element[1]) + "]"
                     : ""));
    }
    if (where.iteration >= 0) add("iteration " + std::to_string(where.iteration));
    if (where.launch > 0) add(launch_text(session.capture, where.launch));
    if (where.block >= 0) add(block_text(where.block, grid_of(session.capture, where)));
    if (where.warp >= 0)
        add("warp " + std::to_string(where.warp) + (where.lanes.empty() ? "" : " lanes " + where.lanes));
    if (where.tile.empty() && where.epoch >= 0) add("epoch " + std::to_string(where.epoch));
    return text;
}

// Text under text; without `draw` it only measures.
struct Column {
    float x = 0, y = 0, width = 0;
    bool draw = false;
    void add(TextStyle style, std::string_view text, float indent = 0) {
        if (text.empty()) return;
        if (draw) put_wrapped({x + indent, y}, width - indent, style, text);
        y += wrapped_height(width - indent, style.face, text) + px(5);
    }
};

void add_proof(Column& column, const capture::Finding& finding) {
    if (finding.proof.empty()) return;
    const ImU32 ink = is_proven(finding) ? colour::kGood : colour::kWarning;
    const std::string_view label = capture::name_of(finding.evidence_kind);
    if (column.draw) put({column.x, column.y}, {Face::small_strong, ink}, label);
    column.add(
        {Face::small_words, colour::kText}, finding.proof, measure(Face::small_strong, label).x + px(8)
    );
}

// A name and its value stay on one line.
void add_evidence(Column& column, const capture::Finding& finding) {
    std::string line;
    const auto flush = [&] {
        column.add({Face::small_numbers, colour::kDim}, line);
        line.clear();
    };
    for (const auto& [name, value] : finding.evidence) {
        std::string pair = line.empty() ? "" : "   ";
        pair.append(name).append(" ").append(number(value, 6));
        const float width = measure(Face::small_numbers, line).x + measure(Face::small_numbers, pair).x;
        if (!line.empty() && width > column.width) flush();
        line += line.empty() ? pair.substr(pair.find_first_not_of(' ')) : pair;
    }
    flush();
}

// Both places of a finding that has two; a click selects one.
void add_witnesses(
    Column& column, const Session& session, Selection& selection, const capture::Finding& finding
) {
    const capture::Where* places[] = {&finding.where, &finding.other};
    for (int witness = 0; witness < 2; ++witness) {
        const std::string text = place_of(session, *places[witness]);
        const float indent = px(16), gap = px(4);
        const float height = wrapped_height(column.width - indent, Face::small_numbers, text) + 2 * gap;
        if (column.draw) {
            const Box box{
                {column.x - px(8),            column.y         },
                {column.x + column.width + 1, column.y + height}
            };
            const std::string name =
                "findings/" + std::to_string(selection.finding) + (witness == 0 ? "/first" : "/second");
            if (press(box, name)) select_witness(session, selection, witness);
            ImDrawList* list = ImGui::GetWindowDrawList();
            const bool chosen = selection.witness == witness;
            if (chosen || ImGui::IsItemHovered())
                list->AddRectFilled(box.low, box.high, colour::with_alpha(colour::kStrongLine, 160), px(3));
            if (chosen)
                list->AddRectFilled(box.low, {box.low.x + px(2), box.high.y}, colour::kSelection, px(1));
            if (places[witness]->warp >= 0)
                swatch(
                    {column.x, column.y + gap + px(3)}, px(8), colour::of(warp_colour(places[witness]->warp))
                );
            put_wrapped(
                {column.x + indent, column.y + gap},
                column.width - indent,
                {Face::small_numbers, colour::kAccent},
                text
            );
        }
        column.y += height + px(1);
    }
    column.y += px(5);
}

// Returns the y below the card's text.
float draw_card(
    const Session& session, Selection& selection, const capture::Finding& finding, bool chosen, Column column
) {
    const std::string count =
        finding.count > 1 ? " (" + count_text(static_cast<int64_t>(finding.count)) + " times)" : "";
    column.add({Face::strong, chosen ? colour::kBright : colour::kText}, finding.title + count);
    if (chosen && finding.other.line > 0)
        add_witnesses(column, session, selection, finding);
    else
        column.add({Face::small_numbers, colour::kAccent}, place_of(session, finding.where));
    if (finding.caused_by >= 0) {
        column.add(
            {Face::small_words, colour::kFaint},
            "a consequence of finding " + std::to_string(finding.caused_by + 1)
        );
    }
    if (chosen) {
        column.y += px(3);
        column.add({Face::small_words, colour::kText}, finding.explanation);
        add_proof(column, finding);
        add_evidence(column, finding);
    }
    return column.y;
}

// By which other cards, the timeline and the command line call it; one alone has a dot.
void draw_number(ImVec2 at, int finding, size_t all, ImU32 ink) {
    if (all == 1) return dot({at.x, at.y + px(9)}, px(4), ink);
    const std::string text = std::to_string(finding + 1);
    put({at.x - measure(Face::strong, text).x / 2, at.y}, {Face::strong, ink}, text);
}

void draw_cards(FindingsPanel& panel, const Session& session, Selection& selection) {
    const float width = ImGui::GetContentRegionAvail().x, gap = px(9);
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (int i = 0; i < static_cast<int>(session.capture.findings.size()); ++i) {
        const capture::Finding& finding = session.capture.findings[static_cast<size_t>(i)];
        const bool chosen = i == selection.finding;
        const ImVec2 low = ImGui::GetCursorScreenPos();
        Column column{low.x + px(30), low.y + gap, width - px(30 + size::kPad), false};
        const float bottom = draw_card(session, selection, finding, chosen, column) + gap - px(5);
        const Box box{
            low, {low.x + width, bottom}
        };
        ImGui::SetNextItemAllowOverlap();
        const bool pressed = press(box, "findings/" + std::to_string(i));
        if (chosen || ImGui::IsItemHovered()) {
            const ImU32 fill = colour::with_alpha(colour::kRaised, chosen ? 150 : 70);
            list->AddRectFilled(box.low, box.high, colour::blend(fill, colour::kPanel));
        }
        if (chosen) list->AddRectFilled(box.low, {box.low.x + px(3), box.high.y}, colour_of(finding));
        draw_number({low.x + px(18), low.y + gap}, i, session.capture.findings.size(), colour_of(finding));
        column.draw = true;
        draw_card(session, selection, finding, chosen, column);
        hairline({low.x, bottom}, {low.x + width, bottom});
        ImGui::SetCursorScreenPos({low.x, bottom + 1});
        if (pressed) select_finding(session, selection, i);
        if (chosen && panel.opened != i) {
            panel.opened = i;
            if (low.y < ImGui::GetWindowPos().y ||
                bottom > ImGui::GetWindowPos().y + ImGui::GetWindowHeight())
                ImGui::SetScrollFromPosY(low.y - ImGui::GetWindowPos().y, 0);
        }
    }
    ImGui::Dummy({1, 1});
}

void draw_verdict(const Session& session, Box box) {
    const float pad = px(size::kPad);
    float y = box.low.y + px(8);
    const auto line = [&](TextStyle style, const std::string& text) {
        y = put_wrapped({box.low.x + pad, y}, box.width() - 2 * pad, style, text) + px(6);
    };
    const std::string compared = analysis::compared_text(session.capture),
                      covers =
                          (compared.empty() ? "" : compared + "; ") + analysis::run_text(session.capture);
    if (session.capture.verdict == "ok") {
        line({Face::words, colour::kGood}, "No findings: every compared tile is inside its bound.");
        line({Face::small_words, colour::kDim}, covers + ".");
        std::string checks;
        for (const std::string& check : session.capture.covered.checks)
            checks += (checks.empty() ? "" : ", ") + check;
        line({Face::small_words, colour::kDim}, "Checked: " + checks + ".");
    } else if (session.capture.verdict == "incomplete" || session.capture.verdict == "error") {
        line({Face::words, colour::kWarning}, "No findings, but no verdict either.");
        const std::string& problem = session.capture.covered.reference_problem;
        if (!problem.empty()) line({Face::small_words, colour::kWarning}, "No reference: " + problem);
        for (const std::string& gap : analysis::gaps(session.capture))
            line({Face::small_words, colour::kWarning}, gap + ".");
        line({Face::small_words, colour::kDim}, covers + ".");
    } else if (!session.capture.unsupported.empty()) {
        for (const std::string& reason : session.capture.unsupported)
            line({Face::small_words, colour::kWarning}, reason);
    } else if (!session.capture.tiles.empty()) {
        const bool coming = session.worker && session.purpose == Purpose::causes;
        const char* why = coming ? "The causes are being looked for." : "This capture was not diagnosed.";
        line({Face::small_words, colour::kDim}, why);
    }
}

// Why these findings are no verdict. Where it ends, pixels down the window.
float draw_gaps(const Session& session, Box box) {
    const float pad = px(size::kPad);
    float y = box.low.y + px(8);
    for (const std::string& gap : analysis::gaps(session.capture)) {
        const TextStyle style{Face::small_words, colour::kWarning};
        y = put_wrapped({box.low.x + pad, y}, box.width() - 2 * pad, style, gap + ".") + px(6);
    }
    return y;
}

}  // namespace

void draw(FindingsPanel& panel, const Session& session, Selection& selection) {
    const size_t count = session.capture.findings.size();
    const std::string note = count > 0 ? std::to_string(count) : "";
    const Box rest = draw_header(
        window_box(),
        {.title = "Findings",
         .subtitle = "what is wrong, and why",
         .note = note,
         .mark = count > 0                     ? colour::kBad
             : session.capture.verdict == "ok" ? colour::kGood
                                               : colour::kWarning,
         .note_colour = colour::kBad}
    );
    hairline(rest.low, {rest.high.x, rest.low.y});
    if (count == 0) {
        draw_verdict(session, rest);
        return;
    }
    float top = rest.low.y + 1;
    if (session.capture.verdict == "incomplete") top = draw_gaps(session, rest);
    ImGui::SetCursorScreenPos({rest.low.x, top});
    if (ImGui::BeginChild("cards", {rest.width(), rest.high.y - top})) draw_cards(panel, session, selection);
    ImGui::EndChild();
}

}  // namespace wl::app
