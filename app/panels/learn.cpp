// Left the list, right the lesson: what to do, what the last check said, the open hints, the text.
#include "app/panels/learn.h"

#include "app/draw/pages/prose.h"
#include "app/draw/widgets.h"

#include <imgui.h>

#include <string>
#include <vector>

namespace wl::app {

namespace {

constexpr float kList = 232, kRow = 22;  // pixels at scale 1

void draw_list(LearnPanel& panel, const Session& session, Commands& commands, Box box) {
    ImGui::SetCursorScreenPos(box.low);
    if (ImGui::BeginChild("lessons", {box.width(), box.height()})) {
        const float width = ImGui::GetContentRegionAvail().x;  // beside the scrollbar, if there is one
        for (const LessonEntry& lesson : session.lessons.lesson.list) {
            const ImVec2 low = ImGui::GetCursorScreenPos();
            const Box row{
                low, {low.x + width, low.y + px(kRow)}
            };
            if (press(row, "learn/" + lesson.number)) {
                panel.chosen = lesson.number;
                commands.ask_lesson = LessonQuestion{LessonAction::read, lesson.number};
            }
            if (panel.chosen == lesson.number)
                ImGui::GetWindowDrawList()->AddRectFilled(
                    row.low, row.high, colour::with_alpha(colour::kSelection, 30)
                );
            const float top = middle(low.y, px(kRow), Face::words);
            const ImU32 ink = lesson.solved ? colour::kGood : colour::kFaint;
            put({low.x + px(4), top}, {Face::numbers, ink}, lesson.number);
            put_clipped({low.x + px(30), top}, width - px(34), {Face::words, colour::kText}, lesson.title);
            if (ImGui::IsItemHovered()) tooltip(lesson.about);
        }
    }
    ImGui::EndChild();
}

// Buttons of the chosen lesson; y below them.
float draw_buttons(const LearnPanel& panel, const Session& session, Commands& commands, Box box) {
    const LessonsAnswer& lessons = session.lessons;
    const bool ready = !lessons.worker && !lessons.lesson.lesson.empty();
    const ButtonStyle style{.enabled = ready};
    float x = box.low.x;
    const auto add = [&](const char* name, const std::string& label) {
        const bool pressed = button({x, box.low.y}, name, label, style);
        x += button_width(label) + px(6);
        return pressed && ready;
    };
    if (add("learn/start", "Start here"))
        commands.ask_lesson = LessonQuestion{LessonAction::start, panel.chosen};
    if (add("learn/run", "Run it")) {
        KernelOptions request;
        request.kernel = exercise_of(lessons.lesson);
        if (!request.kernel.empty()) commands.run = request;
    }
    if (add("learn/check", "Check")) commands.ask_lesson = LessonQuestion{LessonAction::check, panel.chosen};
    if (add("learn/hint", "Hint")) commands.ask_lesson = LessonQuestion{LessonAction::hint, panel.chosen};
    if (lessons.worker)
        put({x, middle(box.low.y, px(kControlHeight), Face::small_words)},
            {Face::small_words, colour::kFaint},
            "...");
    return box.low.y + px(kControlHeight + 8);
}

// The page as its author wrote it.
void draw_page(const std::vector<LessonPiece>& page) {
    for (const LessonPiece& piece : page) {
        if (piece.kind == "title")
            put_title(piece.text);
        else if (piece.kind == "heading")
            put_heading(piece.text);
        else if (piece.kind == "item")
            put_item(piece.text);
        else if (piece.kind == "paragraph")
            put_paragraph(piece.text);
        else
            put_listing(
                piece.kind == "command"      ? Listing::command
                    : piece.kind == "output" ? Listing::output
                                             : Listing::code,
                piece.text
            );
    }
}

void draw_lesson(const Session& session, Box box) {
    const LessonReport& lesson = session.lessons.lesson;
    ImGui::SetCursorScreenPos(box.low);
    const ImVec2 size{box.width(), box.height()};
    if (ImGui::BeginChild("lesson", size, ImGuiChildFlags_None, ImGuiWindowFlags_HorizontalScrollbar)) {
        const ImVec2 spacing = ImGui::GetStyle().ItemSpacing;
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(spacing.x, 0));
        if (!session.lessons.problem.empty()) put_paragraph(session.lessons.problem, colour::kBad);
        if (!lesson.task.empty()) put_paragraph("**To do.** " + lesson.task, colour::kBright);
        if (lesson.verdict == "solved") put_paragraph("**Solved.**", colour::kGood);
        const bool not_yet = lesson.verdict == "not yet";
        if (not_yet) put_paragraph("Not yet: " + lesson.says, colour::kWarning);
        for (size_t k = 0; k < lesson.hints.size(); ++k)
            put_paragraph("**Hint " + std::to_string(k + 1) + ".** " + lesson.hints[k], colour::kAccent);
        if (not_yet && !lesson.run.empty()) {
            put_listing(Listing::command, "$ warplens " + lesson.run);
            put_listing(Listing::output, lesson.output);
        }
        draw_page(lesson.page);
        ImGui::PopStyleVar();
    }
    ImGui::EndChild();
}

}  // namespace

void draw(LearnPanel& panel, const Session& session, Commands& commands) {
    if (!panel.asked && !session.program.empty()) commands.ask_lesson = LessonQuestion{}, panel.asked = true;
    const LessonReport& lesson = session.lessons.lesson;
    const Box rest = draw_header(
        window_box(),
        {.title = "Learn",
         .subtitle = lesson.title.empty() ? "choose a lesson" : lesson.title,
         .note = lesson.folder,
         .mark = colour::kAccent}
    );
    const float pad = px(size::kPad), left = rest.low.x + pad;
    draw_list(
        panel,
        session,
        commands,
        {
            {left,             rest.low.y },
            {left + px(kList), rest.high.y}
    }
    );
    Box text{
        {left + px(kList + 12), rest.low.y },
        {rest.high.x - pad,     rest.high.y}
    };
    if (panel.chosen.empty()) {
        const std::string& problem = session.lessons.problem;
        say(text,
            problem.empty() ? colour::kFaint : colour::kBad,
            problem.empty() ? "A lesson is a text, a kernel to mend in your own editor, and a check."
                            : problem);
        return;
    }
    text.low.y = draw_buttons(panel, session, commands, text);
    draw_lesson(session, text);
}

}  // namespace wl::app
