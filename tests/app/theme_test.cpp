// Every text can be read on every surface, in both themes: WCAG's contrast of the table of colours.
#include "app/draw/look.h"
#include "app/draw/palettes.h"
#include "app/draw/timeline/rows.h"

#include <gtest/gtest.h>

namespace wl::app {
namespace {

using colour::Role;

constexpr Role kTexts[] = {Role::text,   Role::dim,       Role::faint,      Role::bright,    Role::accent,
                           Role::bad,    Role::warning,   Role::good,       Role::selection, Role::non_finite,
                           Role::got,    Role::reference, Role::difference, Role::keyword,   Role::type,
                           Role::number, Role::string,    Role::directive,  Role::teal,      Role::violet};
constexpr Role kSurfaces[] = {Role::bar, Role::panel, Role::raised, Role::popup};

TEST(Theme, EveryTextReachesFourAndAHalfOnEverySurface) {
    for (const bool light : {false, true})
        for (const Role text : kTexts)
            for (const Role surface : kSurfaces)
                EXPECT_GE(colour::contrast(colour::of(text, light), colour::of(surface, light)), 4.5)
                    << "role " << static_cast<int>(text) << " on " << static_cast<int>(surface)
                    << (light ? " light" : " dark");
}

// Chips lay a text on a breath of its own colour.
TEST(Theme, ChipsCanBeRead) {
    for (const bool light : {false, true})
        for (const Role role :
             {Role::bad, Role::warning, Role::good, Role::dim, Role::non_finite, Role::accent}) {
            const ImU32 ink = colour::of(role, light);
            const ImU32 ground =
                colour::blend(colour::with_alpha(ink, colour::kChipAlpha), colour::of(Role::bar, light));
            EXPECT_GE(colour::contrast(ink, ground), 4.5)
                << static_cast<int>(role) << (light ? " light" : " dark");
        }
}

TEST(Theme, NumbersInCellsCanBeReadOnEveryColourOfEveryRamp) {
    for (int ramp = 0; ramp < kRamps; ++ramp)
        for (const Rgb c : palette_of(static_cast<Ramp>(ramp)))
            EXPECT_GE(colour::contrast(colour::ink_on(colour::of(c)), colour::of(c)), 4.5) << ramp;
    for (const Rgb c : owner_palette())
        EXPECT_GE(colour::contrast(colour::ink_on(colour::of(c)), colour::of(c)), 4.5);
}

TEST(Theme, StagesCanBeRead) {
    for (const bool light : {false, true}) {
        const ImU32 text = colour::of(Role::text, light);
        EXPECT_GE(colour::contrast(text, colour::of(Role::waiting, light)), 4.5);
        for (int stage = -1; stage < kStageHues; ++stage)
            EXPECT_GE(colour::contrast(text, stage_colour(stage, light)), 4.5)
                << stage << (light ? " light" : " dark");
    }
}

TEST(Theme, ContrastIsThatOfTheStandard) {
    EXPECT_NEAR(colour::contrast(colour::hex(0x000000), colour::hex(0xffffff)), 21, 1e-9);
    EXPECT_NEAR(colour::contrast(colour::hex(0x777777), colour::hex(0xffffff)), 4.478, 0.001);
}

}  // namespace
}  // namespace wl::app
