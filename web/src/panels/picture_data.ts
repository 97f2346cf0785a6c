/** Pictures that a trace has as text, such as the screenshots of Chrome. */

/** The first bytes of a picture in Base64, and its type. */
const TYPES: readonly [string, string][] = [
  ["/9j/", "image/jpeg"],
  ["iVBORw0KGgo", "image/png"],
  ["UklGR", "image/webp"],
];

/** Shorter texts are words, not pictures. */
const LEAST_CHARACTERS = 64;

/** Returns the `data:` address of the picture that a text contains in Base64, with or without `data:image/...;base64,` before it, or null. */
export function pictureAddress(text: string): string | null {
  const data = text.replace(/^data:image\/[a-z]+;base64,/, "");
  const type = TYPES.find(([start]) => data.startsWith(start))?.[1];
  if (type === undefined || data.length < LEAST_CHARACTERS || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return null;
  return `data:${type};base64,${data}`;
}
