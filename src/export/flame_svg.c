/* Flame graphs as SVG and HTML that need no other file. */
#include "base/utf8.h"
#include "export/flame_out.h"
#include "view/colour.h"
#include "view/label_fit.h"

#include <assert.h>
#include <inttypes.h>

enum { WIDTH = 1200, ROW = 18, TOP = 44, BOTTOM = 26, PAD = 4, TEXT_SIZE = 11, MOST_DEPTH = 2000 };
static const double WIDTH_PX = WIDTH, PAD_PX = PAD,
                    UNITS_PER_PX = (double)TEXT_UNITS_PER_EM / (double)TEXT_SIZE;
static const double LEAST_SHARE = 1.0 / (double)WIDTH / 20; /* frames are visible up to a zoom of 20 */

/* Finds its elements relative to the element around the script, so that several graphs can be in one page. */
static const char SCRIPT[] =
    "(() => {\n"
    "const svg = document.currentScript.ownerSVGElement || document.querySelector('svg.flame');\n"
    "const W = 1200, all = [...svg.querySelectorAll('g.f')], by = id => svg.querySelector('.' + id);\n"
    "const info = by('info'), found = by('found'), reset = by('reset');\n"
    "const frames = all.map(g => ({ g, x: +g.dataset.x, w: +g.dataset.w, d: +g.dataset.d, rect: "
    "g.querySelector('rect'),\n"
    "  text: g.querySelector('text'), title: g.querySelector('title').textContent }));\n"
    "for (const f of frames) f.name = f.title.slice(0, f.title.lastIndexOf('\\n'));\n"
    "let top = frames[0];\n"
    "const fit = (name, px) => { const n = Math.floor((px - 8) / 6.2);\n"
    "  return n < 3 ? '' : name.length <= n ? name : name.slice(0, n - 1) + '\\u2026'; };\n"
    "const zoom = to => { top = to;\n"
    "  for (const f of frames) {\n"
    "    const above = f.d < to.d, x = above ? 0 : (f.x - to.x) / to.w * W, w = above ? W : f.w / to.w * W;\n"
    "    const shown = above ? f.x <= to.x + 1e-9 && f.x + f.w >= to.x + to.w - 1e-9\n"
    "                        : x > -1e-6 && x + w < W + 1e-3 && w >= 0.1;\n"
    "    f.g.style.display = shown ? '' : 'none';\n"
    "    f.g.style.opacity = above ? 0.5 : 1;\n"
    "    if (!shown) continue;\n"
    "    f.rect.setAttribute('x', x); f.rect.setAttribute('width', Math.max(w - 0.5, 0.2));\n"
    "    f.text.setAttribute('x', x + 4); f.text.textContent = fit(f.name, w);\n"
    "  }\n"
    "  reset.style.display = to === frames[0] ? 'none' : ''; };\n"
    "const search = word => { let sum = 0, end = -1; const low = word.toLowerCase();\n"
    "  for (const f of frames) {\n"
    "    const hit = low !== '' && f.name.toLowerCase().includes(low);\n"
    "    f.rect.style.stroke = hit ? '#d97706' : ''; f.rect.style.strokeWidth = hit ? 2 : '';\n"
    "    if (hit && f.d > 0 && f.x >= end - 1e-9) { sum += f.w; end = f.x + f.w; }\n"
    "  }\n"
    "  found.textContent = low === '' ? '' : 'found: ' + (100 * sum).toFixed(1) + ' %'; };\n"
    "const show = g => { const f = frames[all.indexOf(g)]; info.textContent = f ? f.title.replace('\\n', ': "
    "') : ''; };\n"
    "svg.addEventListener('mouseover', e => show(e.target.closest('g.f')));\n"
    "svg.addEventListener('focusin', e => show(e.target.closest('g.f')));\n"
    "svg.addEventListener('click', e => { const g = e.target.closest('g.f'); if (g) "
    "zoom(frames[all.indexOf(g)]); });\n"
    "svg.addEventListener('keydown', e => { const g = e.target.closest('g.f');\n"
    "  if (e.key === 'Enter' && g) zoom(frames[all.indexOf(g)]); if (e.key === 'Escape') zoom(frames[0]); "
    "});\n"
    "reset.addEventListener('click', () => zoom(frames[0]));\n"
    "const box = document.getElementById('flame-search');\n"
    "if (box) { box.addEventListener('input', () => search(box.value)); by('search').style.display = 'none'; "
    "}\n"
    "else by('search').addEventListener('click', () => search(prompt('Find frames whose name contains') || "
    "''));\n"
    "})();\n";

/* Appends text for XML: markup is escaped, characters that are invalid in XML become U+FFFD. */
static void put_xml(const char *text, size_t size, Bytes *out)
{
    size_t used;
    for (size_t at = 0; at < size; at += used) {
        uint32_t code = utf8_decode(text + at, size - at, &used);
        char     encoded[4];
        if ((code < ' ' && code != '\n') || code == 0x7f || code == 0xFFFE || code == 0xFFFF) code = 0xFFFD;
        if (code == '<' || code == '>' || code == '&' || code == '"') {
            bytes_printf(out, "&#%" PRIu32 ";", code);
        } else {
            bytes_append(out, encoded, utf8_encode(code, encoded));
        }
    }
}

static void put_xml_bytes(const Bytes *text, Bytes *out)
{
    put_xml((const char *)text->data, text->size, out);
}

static void put_colour(uint32_t rgba, Bytes *out)
{
    bytes_printf(out, "#%06" PRIx32, rgba >> 8);
}

static void put_box_texts(const FlameOut *flame, const FlameBox *box, const Bytes *name, const Bytes *numbers,
                          Bytes *out)
{
    FittedLabel      label;
    const double     x = box->begin * WIDTH_PX, width = box->share * WIDTH_PX, room = width - 2 * PAD_PX;
    const NameColour colour = flame_colour(flame, box->node, name);
    label_fit(FONT_REGULAR, (const char *)name->data, name->size,
              room <= 0 ? 0 : (uint64_t)(room * UNITS_PER_PX), &label);
    bytes_printf(
        out, "<g class=\"f\" tabindex=\"0\" data-x=\"%.9f\" data-w=\"%.9f\" data-d=\"%" PRIu32 "\"><title>",
        box->begin, box->share, box->depth);
    put_xml_bytes(name, out);
    bytes_append_text(out, "\n");
    put_xml_bytes(numbers, out);
    bytes_printf(out,
                 "</title><rect x=\"%.2f\" y=\"%" PRIu32 "\" width=\"%.2f\" height=\"%d\" rx=\"1\" fill=\"",
                 x, TOP + box->depth * ROW, width > 0.7 ? width - 0.5 : 0.2, ROW - 1);
    put_colour(colour.fill, out);
    bytes_printf(out, "\"/><text x=\"%.2f\" y=\"%" PRIu32 "\" fill=\"", x + PAD_PX,
                 TOP + box->depth * ROW + 13);
    put_colour(colour.text, out);
    bytes_append_text(out, "\">");
    put_xml(label.text, label.size, out);
    bytes_append_text(out, "</text></g>\n");
}

static void put_box(const FlameOut *flame, const FlameBox *box, Bytes *out)
{
    assert(box->depth <= MOST_DEPTH);
    Bytes name = { 0 }, numbers = { 0 };
    flame_put_name(flame, box->node, &name);
    flame_put_numbers(flame, box->node, &numbers);
    if (name.failed || numbers.failed) {
        out->failed = true;
    } else {
        put_box_texts(flame, box, &name, &numbers, out);
    }
    bytes_release(&name);
    bytes_release(&numbers);
}

void flame_put_svg(const FlameOut *flame, Bytes *out)
{
    const Palette *palette = colour_palette(flame->theme);
    Arena          arena = arena_create(0);
    uint32_t       count = 0, depth = 0;
    FlameBox      *boxes = flame_boxes(flame->layout, LEAST_SHARE, MOST_DEPTH, &arena, &count);
    if (boxes == NULL) out->failed = true;
    for (uint32_t i = 0; i < count; i++)
        if (boxes[i].depth > depth) depth = boxes[i].depth;
    const uint32_t height = TOP + (depth + 1) * ROW + BOTTOM;
    bytes_printf(out,
                 "<svg class=\"flame\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %" PRIu32
                 "\" width=\"%d\" "
                 "height=\"%" PRIu32 "\" font-family=\"Inter, system-ui, sans-serif\" font-size=\"%d\">\n"
                 "<style>g.f{cursor:pointer;outline:none}g.f:hover rect,g.f:focus rect{stroke:",
                 WIDTH, height, WIDTH, height, TEXT_SIZE);
    put_colour(palette->text, out);
    bytes_append_text(
        out, ";stroke-width:1}g.f text{pointer-events:none}.link{cursor:pointer;text-decoration:underline}"
             "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"");
    put_colour(palette->canvas, out);
    bytes_append_text(out, "\"/>\n<g fill=\"");
    put_colour(palette->text, out);
    bytes_append_text(out, "\"><text x=\"4\" y=\"18\" font-size=\"14\">");
    put_xml(flame->title, strlen(flame->title), out);
    bytes_printf(out,
                 "</text><text class=\"reset link\" x=\"4\" y=\"36\" style=\"display:none\">Show all</text>"
                 "<text class=\"search link\" x=\"%d\" y=\"18\" text-anchor=\"end\">Search</text>"
                 "<text class=\"found\" x=\"%d\" y=\"36\" text-anchor=\"end\"></text>"
                 "<text class=\"info\" x=\"4\" y=\"%" PRIu32 "\"></text></g>\n",
                 WIDTH - 4, WIDTH - 4, height - 9);
    for (uint32_t i = 0; i < count; i++)
        put_box(flame, &boxes[i], out);
    bytes_append_text(out, "<script><![CDATA[\n");
    bytes_append_text(out, SCRIPT);
    bytes_append_text(out, "]]></script>\n</svg>\n");
    arena_release(&arena);
}

void flame_put_html(const FlameOut *flame, Bytes *out)
{
    const Palette *palette = colour_palette(flame->theme);
    bytes_append_text(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    put_xml(flame->title, strlen(flame->title), out);
    bytes_append_text(out,
                      "</title><style>body{margin:12px;font:13px Inter,system-ui,sans-serif;background:");
    put_colour(palette->canvas, out);
    bytes_append_text(out, ";color:");
    put_colour(palette->text, out);
    bytes_append_text(out, "}svg{max-width:100%;height:auto}</style></head><body>\n"
                           "<label>Search <input id=\"flame-search\" type=\"search\"></label>\n");
    flame_put_svg(flame, out);
    bytes_append_text(out, "</body></html>\n");
}
