/** Pictures in arguments. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pictureAddress } from "../src/panels/picture_data.ts";

const jpeg = `/9j/${"A".repeat(64)}`;
const png = `iVBORw0KGgo${"A".repeat(64)}=`;

test("the first bytes give the type", () => {
  assert.equal(pictureAddress(jpeg), `data:image/jpeg;base64,${jpeg}`);
  assert.equal(pictureAddress(png), `data:image/png;base64,${png}`);
  assert.equal(pictureAddress(`UklGR${"a".repeat(64)}==`), `data:image/webp;base64,UklGR${"a".repeat(64)}==`);
});

test("an address is one too, with the type of its bytes", () => {
  assert.equal(pictureAddress(`data:image/png;base64,${png}`), `data:image/png;base64,${png}`);
  assert.equal(pictureAddress(`data:image/svg;base64,${jpeg}`), `data:image/jpeg;base64,${jpeg}`);
});

test("other texts are not pictures", () => {
  for (const text of ["", "/9j/AAAA", "/9j/ is a path, and this text is long enough to be a picture, but has spaces", `<svg>${"A".repeat(64)}`, `data:text/html;base64,${"A".repeat(80)}`, `${jpeg}\n${jpeg}`, `${jpeg}"onerror=`])
    assert.equal(pictureAddress(text), null);
});
