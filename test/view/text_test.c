/* Names and numbers as text: widths, cuts, colours, times. */
#include "view/text.h"

#include "support/test.h"
#include "view/colour.h"
#include "view/label_fit.h"
#include "view/time_text.h"

#include <math.h>
#include <string.h>

TEST(digits_are_tabular_and_stand_in_the_middle)
{
    uint32_t cell = text_advance(FONT_REGULAR, '0');
    for (uint32_t digit = '0'; digit <= '9'; digit++) {
        CHECK_UINT(text_advance(FONT_REGULAR, digit), cell);
        CHECK(text_shift(FONT_REGULAR, digit) < cell / 2);
    }
    CHECK(text_shift(FONT_REGULAR, '1') > 0);
    CHECK_UINT(text_shift(FONT_REGULAR, 'a'), 0);
    CHECK(text_advance(FONT_MEDIUM, 'm') > text_advance(FONT_REGULAR, 'm'));
}

TEST(every_script_has_a_width)
{
    CHECK(text_has_glyph(FONT_REGULAR, 0x2026) && text_has_glyph(FONT_MEDIUM, 0xB5));
    CHECK(!text_has_glyph(FONT_REGULAR, 0x65E5));
    CHECK_UINT(text_advance(FONT_REGULAR, 0x65E5), TEXT_UNITS_PER_EM);
    CHECK_UINT(text_advance(FONT_REGULAR, 0x301), 0);
    CHECK_UINT(text_units(FONT_REGULAR, "\xE6\x97\xA5\xE6\x9C\xAC", 6), 2 * TEXT_UNITS_PER_EM);
}

TEST(prefixes_and_suffixes_end_between_characters)
{
    const char *text = "a\xE6\x97\xA5"
                       "b";
    uint64_t    a = text_advance(FONT_REGULAR, 'a'), b = text_advance(FONT_REGULAR, 'b');
    CHECK_UINT(text_prefix(FONT_REGULAR, text, 5, a), 1);
    CHECK_UINT(text_prefix(FONT_REGULAR, text, 5, a + TEXT_UNITS_PER_EM - 1), 1);
    CHECK_UINT(text_prefix(FONT_REGULAR, text, 5, a + TEXT_UNITS_PER_EM), 4);
    CHECK_UINT(text_suffix(FONT_REGULAR, text, 5, b), 4);
    CHECK_UINT(text_suffix(FONT_REGULAR, text, 5, b + TEXT_UNITS_PER_EM), 1);
    CHECK_UINT(text_suffix(FONT_REGULAR, text, 5, UINT64_MAX), 0);
}

/* Checks the label that fits the width of `room`. */
static void check_fit(const char *name, const char *room, const char *expected)
{
    FittedLabel fitted;
    label_fit(FONT_REGULAR, name, strlen(name), text_units(FONT_REGULAR, room, strlen(room)), &fitted);
    char text[LABEL_FIT_MAX + 1];
    memcpy(text, fitted.text, fitted.size);
    text[fitted.size] = 0;
    CHECK_STRING(text, expected);
    CHECK(fitted.units <= text_units(FONT_REGULAR, room, strlen(room)));
    CHECK_UINT(fitted.units, text_units(FONT_REGULAR, text, fitted.size));
}

TEST(labels_keep_their_differences)
{
    check_fit("std::vector<int>::push_back", "std::vector<int>::push_back", "std::vector<int>::push_back");
    check_fit("std::vector<int>::push_back", "std::vector::push_back", "std::vector::push_back");
    check_fit("std::vector<int>::push_back", "std::vec\xE2\x80\xA6::push_back",
              "std::vec\xE2\x80\xA6::push_back");
    check_fit("std::vector<int>::push_back", "push_back", "push_back");
    check_fit("lib.msort.part.0", "msort.part.0", "msort.part.0");
    check_fit("main.run.func1.2", "func1.2", "func1.2");
    check_fit("std::vector<int>::push_back", "push_b", "pus\xE2\x80\xA6k");
    check_fit("std::vector<int>::push_back", "iii", "");
    check_fit("main", "mai", "");
    check_fit("runtime.(*mheap).alloc", "runtime.(\xE2\x80\xA6.alloc", "runtime.(\xE2\x80\xA6.alloc");
    check_fit("runtime.(*mheap).alloc", "alloc", "alloc");
    check_fit("ui::(anonymous namespace)::draw(int)", "draw(int)", "draw(int)");
    check_fit("ui::Frame::draw(int, std::vector<int>)", "draw()", "draw");
    check_fit("ui::Frame::draw_all(int)", "draw_", "dr\xE2\x80\xA6ll");
    check_fit("GET /api/users", "GET /users",
              "GET /\xE2\x80\xA6"
              "ers");
    check_fit("PageLoad.Timing.Paint", "PageLoad.\xE2\x80\xA6.Paint", "PageLoad\xE2\x80\xA6.Paint");
    check_fit("HandleRequest", "HandleRequest", "HandleRequest");
    check_fit("/usr/lib/x86_64/libfoo.so", "/usr/\xE2\x80\xA6.so", "/usr/\xE2\x80\xA6.so");
    check_fit("operator<", "operator<", "operator<");
    check_fit("a.b.operator<<int>", "operator<<int>", "operator<<int>");
    check_fit("x->y<z", "x->y<z", "x->y<z");
    check_fit("", "wide", "");
}

TEST(a_fitted_label_is_never_wider_than_its_room)
{
    static const char *const names[] = { "a<b<c>>::d(e::f)", "::",      "<<<<", "a::",
                                         "日本語::名前",     "x/y/z.w", "....." };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (uint64_t units = 0; units < 20000; units += 37) {
            FittedLabel fitted;
            label_fit(FONT_MEDIUM, names[i], strlen(names[i]), units, &fitted);
            CHECK(fitted.units <= units);
            label_fit_middle(FONT_MEDIUM, names[i], strlen(names[i]), units, &fitted);
            CHECK(fitted.units <= units);
        }
    }
}

TEST(a_bar_of_30_px_carries_letters_of_every_name)
{
    static const double      TEXT_PX = 11.5;
    static const char *const names[] = { "WWWWWWWWWWWW", "std::vector<std::pair<int, int>>::MMMMM", "illi",
                                         "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E\xE6\x97\xA5", "page.html" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        FittedLabel fitted;
        double      room = 30 - 2 * label_pad_px(30);
        label_fit(FONT_REGULAR, names[i], strlen(names[i]), (uint64_t)(room / TEXT_PX * TEXT_UNITS_PER_EM),
                  &fitted);
        CHECK(fitted.size > 0 && (unsigned char)fitted.text[0] != 0xE2); /* not the ellipsis alone */
    }
    CHECK(label_pad_px(17) < 0 && label_pad_px(18) == 3 && label_pad_px(60) == 5);
}

/* ---- colours ---- */

static double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : pow((channel + 0.055) / 1.055, 2.4);
}

static double luminance(uint32_t rgba)
{
    return 0.2126 * linear((rgba >> 24) / 255.0) + 0.7152 * linear((rgba >> 16 & 0xFF) / 255.0) +
           0.0722 * linear((rgba >> 8 & 0xFF) / 255.0);
}

static double contrast(uint32_t a, uint32_t b)
{
    double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
    return x > y ? x / y : y / x;
}

static uint32_t channel_of(double value)
{
    double coded = value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055;
    return (uint32_t)floor(255 * fmin(fmax(coded, 0), 1) + 0.5);
}

static uint32_t from_oklch(double lightness, double chroma, double degrees)
{
    double angle = degrees * 3.14159265358979323846 / 180, a = chroma * cos(angle), b = chroma * sin(angle);
    double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    return channel_of(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s) << 24 |
           channel_of(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s) << 16 |
           channel_of(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s) << 8 | 0xFF;
}

TEST(the_colour_table_is_what_colour_h_says)
{
    static const double lightness[] = { 0.70, 0.74, 0.78 };
    for (uint32_t i = 0; i < COLOUR_COUNT; i++) {
        double     hue = i / COLOUR_STEPS * 15.0, l = lightness[i % COLOUR_STEPS];
        NameColour dark = colour_look(THEME_DARK, i), light = colour_look(THEME_LIGHT, i);
        double     light_chroma = i % COLOUR_STEPS == 0 ? 0.11 : 0.10;
        CHECK_UINT(dark.fill, from_oklch(l, 0.11, hue));
        CHECK_UINT(dark.edge, from_oklch(l - 0.14, 0.09, hue));
        CHECK_UINT(dark.hover, from_oklch(l + 0.05, 0.11 * 0.9, hue));
        CHECK_UINT(dark.dim, from_oklch(l, 0.11 * 0.35, hue));
        CHECK_UINT(light.fill, from_oklch(l, light_chroma, hue));
        CHECK_UINT(light.edge, from_oklch(0.52, 0.09, hue));
        CHECK_UINT(light.hover, from_oklch(l + 0.05, light_chroma * 0.9, hue));
        CHECK_UINT(light.dim, from_oklch(l, light_chroma * 0.35, hue));
    }
}

TEST(everything_written_can_be_read)
{
    for (int t = 0; t < COLOUR_THEMES; t++) {
        const Palette *palette = colour_palette((Theme)t);
        for (uint32_t i = 0; i < COLOUR_COUNT; i++) {
            NameColour look = colour_look((Theme)t, i);
            CHECK(contrast(palette->label, look.fill) >= 7);
            CHECK(contrast(palette->label, look.hover) >= 7);
            CHECK(contrast(palette->label, look.dim) >= 7);
            CHECK(contrast(t == THEME_DARK ? look.fill : look.edge, palette->canvas) >= 4.5);
        }
        CHECK(contrast(palette->text, palette->canvas) >= 7 && contrast(palette->text, palette->raised) >= 7);
        CHECK(contrast(palette->muted, palette->panel) >= 4.5 &&
              contrast(palette->muted, palette->raised) >= 4.5);
        CHECK(contrast(palette->accent, palette->canvas) >= 3);
    }
}

/* Returns `top` at an opacity of `alpha` of 255 over `below`. */
static uint32_t over(uint32_t top, uint32_t alpha, uint32_t below)
{
    uint32_t mixed = 0xFF;
    for (unsigned shift = 8; shift < 32; shift += 8) {
        uint32_t a = top >> shift & 0xFF, b = below >> shift & 0xFF;
        mixed |= (a * alpha + b * (255 - alpha) + 127) / 255 << shift;
    }
    return mixed;
}

TEST(what_is_outside_an_area_can_still_be_read)
{
    for (int t = 0; t < COLOUR_THEMES; t++) {
        const Palette *palette = colour_palette((Theme)t);
        for (uint32_t i = 0; i < COLOUR_COUNT; i++) {
            NameColour     look = colour_look((Theme)t, i);
            const uint32_t fills[] = { look.fill, look.hover, look.dim };
            for (int f = 0; f < 3; f++)
                CHECK(contrast(over(palette->canvas, COLOUR_VEIL, look.text),
                               over(palette->canvas, COLOUR_VEIL, fills[f])) >= 4.5);
        }
        CHECK(contrast(over(palette->canvas, COLOUR_VEIL, palette->muted), palette->canvas) >= 4.5);
        for (unsigned state = 0; state < STATE_COUNT; state++) {
            const NameColour look = colour_state_look((Theme)t, (ThreadState)state);
            CHECK(contrast(over(palette->canvas, COLOUR_VEIL, look.text),
                           over(palette->canvas, COLOUR_VEIL, look.dim)) >= 4.5);
        }
    }
}

/* Every requested colour, in both themes: text on it is readable, it differs from the canvas, and it keeps its hue. */
TEST(a_custom_colour_can_be_seen_and_written_on)
{
    for (uint32_t rgb = 0; rgb < 1 << 24; rgb += 0x012D31) { /* odd steps: all channels vary */
        for (int t = 0; t < COLOUR_THEMES; t++) {
            const Palette *palette = colour_palette((Theme)t);
            uint32_t       custom = rgb << 8 | 0xFF;
            NameColour     look = colour_custom((Theme)t, custom);
            CHECK(contrast(look.text, look.fill) >= 4.49 && contrast(look.text, look.hover) >= 4.49);
            CHECK(contrast(over(palette->canvas, COLOUR_VEIL, look.text),
                           over(palette->canvas, COLOUR_VEIL, look.dim)) >= 4.5);
            CHECK(contrast(t == THEME_DARK ? look.fill : look.edge, palette->canvas) >=
                  (t == THEME_DARK ? 1.59 : 2.99));
            if (contrast(custom, palette->canvas) >= 1.61 && contrast(look.text, custom) >= 4.51)
                CHECK_UINT(look.fill, custom);
            CHECK(fabs(colour_contrast(custom, palette->canvas) / 100.0 - contrast(custom, palette->canvas)) <
                  0.02);
            uint32_t most = custom >> 24 > (custom >> 16 & 0xFF) ? 24 : 16;
            if ((custom >> 8 & 0xFF) > (custom >> most & 0xFF)) most = 8;
            for (int shift = 8; shift < 32; shift += 8) /* the greatest channel stays the greatest */
                CHECK((look.fill >> shift & 0xFF) <= (look.fill >> most & 0xFF));
        }
    }
    CHECK_UINT(colour_luminance(0xFFFFFFFF), 65535);
    for (uint32_t i = 0; i < 256; i++)
        CHECK(fabs(colour_luminance(0x01010100 * i | 0xFF) - 65535 * linear(i / 255.0)) < 1.5);
}

static bool same_colour(const char *a, const char *b)
{
    return colour_hash(a, strlen(a)) == colour_hash(b, strlen(b));
}

TEST(names_that_differ_in_numbers_alone_look_alike)
{
    CHECK(same_colour("req 17", "req 18") && same_colour("req 17", "req 1800"));
    CHECK(same_colour("at 0x7fff12", "at 0xDEADBEEF"));
    CHECK(
        same_colour("get 550e8400-e29b-41d4-a716-446655440000", "get 123e4567-e89b-12d3-a456-426614174000"));
    CHECK(same_colour("blob 1a2b3c4d", "blob 99ffee00"));
    CHECK(!same_colour("feedback", "decade")); /* words of hexadecimal letters are words */
    CHECK(!same_colour("deadbeef", "facade"));
    CHECK(!same_colour("a", "b") && !same_colour("req 17", "req"));
}

TEST(the_hash_is_frozen)
{
    CHECK(colour_hash("", 0) == UINT64_C(0xefd01f60ba992926));
    CHECK_UINT(colour_of_name("main", 4), 57);
    CHECK_UINT(colour_of_name("RunTask", 7), 10);
    CHECK_UINT(colour_of_name("req 17", 6), 50);
    CHECK_UINT(colour_of_title("main", 4), 57);
    CHECK(colour_of_title("Thread 1", 8) != colour_of_title("Thread 2", 8));
}

/* ---- time ---- */

static void check_stamp(Clock clock, uint64_t count, uint64_t precise, const char *expected)
{
    AxisMap   own = { 0, 1, 1 };
    TimeUnits units = time_units(&clock, &own, TIME_IN_BEST);
    char      text[TIME_TEXT];
    CHECK_UINT(time_format_stamp(&units, count, precise, text), strlen(expected));
    CHECK_STRING(text, expected);
}

TEST(stamps_say_where_to_the_digit_asked_for)
{
    Clock ns = clock_ns(), ps = clock_ticks(1, 1000);
    check_stamp(ns, 0, 1, "0 s");
    check_stamp(ns, 0, 1000000000, "0 s");
    check_stamp(ns, 12345678901, 1000000, "12.345 s");
    check_stamp(ns, 12345678901, 1,
                "12.345\xE2\x80\xAF"
                "678\xE2\x80\xAF"
                "901 s");
    check_stamp(ns, 345000000, 1000000, "345 ms");
    check_stamp(ns, 345600, 1000, "345 \xC2\xB5s");
    check_stamp(ns, 123000000000, 1000000000, "2:03");
    check_stamp(ns, 93784000000000, 1000000000, "1 d 02:03:04");
    check_stamp(ps, 1234, 1, "1.234 ns");
    Clock calls = clock_ns();
    calls.kind = CLOCK_CALLS;
    check_stamp(calls, 1234567, 1,
                "1\xE2\x80\xAF"
                "234\xE2\x80\xAF"
                "567");
}

TEST(steps_are_the_next_round_number)
{
    AxisMap   own = { 0, 1, 1 };
    Clock     ns = clock_ns();
    TimeUnits units = time_units(&ns, &own, TIME_IN_BEST);
    CHECK_UINT(time_step(&units, 0.001).units, 1);
    CHECK_UINT(time_step(&units, 1.5).units, 2);
    CHECK_UINT(time_step(&units, 2100).units, 5000);
    CHECK_UINT(time_step(&units, 5000000001.0).units, 10000000000);
    CHECK_UINT(time_step(&units, 11e9).units, 30000000000);
    CHECK_UINT(time_step(&units, 61e9).units, 120000000000);
    CHECK_UINT(time_step(&units, 90000e9).units, 172800000000000);
    TimeStep step = time_step(&units, 150000);
    CHECK(step.units == 200000 && step.fine == 1000 && step.coarse == 1000000);
    char text[TIME_TEXT];
    time_format_label(&units, &step, 7200000, text);
    CHECK_STRING(text, "+200 \xC2\xB5s");
}

TEST(lengths_have_three_digits)
{
    AxisMap   own = { 0, 1, 1 };
    Clock     ns = clock_ns();
    TimeUnits units = time_units(&ns, &own, TIME_IN_BEST);
    static const struct {
        double      ticks;
        const char *text;
    } cases[] = { { 0.0321, "0.03 ns" },       { 3.2, "3.20 ns" },   { 999.6, "1.00 \xC2\xB5s" },
                  { 59600, "59.6 \xC2\xB5s" }, { 2.33e9, "2.33 s" }, { 119.4e9, "119 s" },
                  { 3723e9, "1:02:03" } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[TIME_TEXT];
        time_format_length(&units, cases[i].ticks, text);
        CHECK_STRING(text, cases[i].text);
    }
}

#define THIN "\xE2\x80\xAF"

TEST(times_in_a_chosen_unit)
{
    AxisMap own = { 0, 1, 1 };
    Clock   ns = clock_ns(), ps = clock_ticks(1, 1000), calls = clock_ns();
    calls.kind = CLOCK_CALLS;
    static const struct {
        TimeUnit    unit;
        uint64_t    ns;
        const char *exact, *length;
    } cases[] = {
        { TIME_IN_S, 0, "0 s", "0 s" },
        { TIME_IN_S, 12345678901, "12.345" THIN "678" THIN "901 s", "12.3 s" },
        { TIME_IN_S, 3723000000000, "3" THIN "723 s", "3" THIN "723 s" },
        { TIME_IN_S, 1, "0.000" THIN "000" THIN "001 s", "0.000" THIN "000" THIN "001 s" },
        { TIME_IN_MS, 12345678901, "12" THIN "345.678" THIN "901 ms", "12" THIN "346 ms" },
        { TIME_IN_MS, 999600, "0.999" THIN "6 ms", "1 ms" },
        { TIME_IN_US, 12345678, "12" THIN "345.678 \xC2\xB5s", "12" THIN "346 \xC2\xB5s" },
        { TIME_IN_NS, 12345678, "12" THIN "345" THIN "678 ns", "12" THIN "345" THIN "678 ns" },
    };
    char text[TIME_TEXT];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const TimeUnits units = time_units(&ns, &own, cases[i].unit);
        CHECK_UINT(time_format_exact(&units, cases[i].ns, text), strlen(cases[i].exact));
        CHECK_STRING(text, cases[i].exact);
        (void)time_format_exact_length(&units, cases[i].ns, text);
        CHECK_STRING(text, cases[i].exact);
        CHECK_UINT(time_format_length(&units, (double)cases[i].ns, text), strlen(cases[i].length));
        CHECK_STRING(text, cases[i].length);
    }
    TimeUnits      units = time_units(&ns, &own, TIME_IN_MS);
    const TimeStep step = time_step(&units, 150000);
    (void)time_format_label(&units, &step, 7200000, text);
    CHECK_STRING(text, "+0.2 ms");
    (void)time_format_length(&units, 0.25, text);
    CHECK_STRING(text, "0.000" THIN "000" THIN "25 ms");
    (void)time_format_length(&units, 1e300, text); /* no overflow */
    units = time_units(&ps, &own, TIME_IN_US);
    (void)time_format_exact(&units, 1234567, text);
    CHECK_STRING(text, "1.234" THIN "567 \xC2\xB5s");
    units = time_units(&calls, &own, TIME_IN_MS); /* no time */
    (void)time_format_exact_length(&units, 1200, text);
    CHECK_STRING(text, "1" THIN "200 calls");
}

TEST(dates_are_those_of_the_calendar)
{
    char text[TIME_TEXT];
    time_format_date(0, text);
    CHECK_STRING(text, "1970-01-01 00:00:00 UTC");
    time_format_date(951782400, text);
    CHECK_STRING(text, "2000-02-29 00:00:00 UTC");
    time_format_date(1715509425, text);
    CHECK_STRING(text, "2024-05-12 10:23:45 UTC");
    time_format_date(-1, text);
    CHECK_STRING(text, "1969-12-31 23:59:59 UTC");
}

TEST_MAIN("view/text", TEST_CASE(digits_are_tabular_and_stand_in_the_middle),
          TEST_CASE(every_script_has_a_width), TEST_CASE(prefixes_and_suffixes_end_between_characters),
          TEST_CASE(labels_keep_their_differences), TEST_CASE(a_bar_of_30_px_carries_letters_of_every_name),
          TEST_CASE(a_fitted_label_is_never_wider_than_its_room),
          TEST_CASE(the_colour_table_is_what_colour_h_says), TEST_CASE(everything_written_can_be_read),
          TEST_CASE(what_is_outside_an_area_can_still_be_read),
          TEST_CASE(a_custom_colour_can_be_seen_and_written_on),
          TEST_CASE(names_that_differ_in_numbers_alone_look_alike), TEST_CASE(the_hash_is_frozen),
          TEST_CASE(stamps_say_where_to_the_digit_asked_for), TEST_CASE(steps_are_the_next_round_number),
          TEST_CASE(lengths_have_three_digits), TEST_CASE(times_in_a_chosen_unit),
          TEST_CASE(dates_are_those_of_the_calendar))
