/**
 * The size of text: the browser's own, times the setting. Style sheets count in rem, which follows it; code that works in pixels
 * multiplies by `fontScale`.
 */
import { Store } from "./store.ts";
import type { PlainId } from "./texts.ts";

export type TextSize = "small" | "normal" | "large" | "larger";
export const TEXT_SIZES: [TextSize, PlainId][] = [
  ["small", "settings.small"],
  ["normal", "settings.as-the-browser"],
  ["large", "settings.large"],
  ["larger", "settings.larger"],
];
const PERCENT: Record<TextSize, number> = { small: 88, normal: 100, large: 120, larger: 150 };
/** The size of rem for which the pixels in the code are meant. */
const NORMAL_PX = 16;

/** 1: a rem is 16 px. */
export const fontScale = new Store(1);

export function setTextSize(size: TextSize): void {
  const root = document.documentElement;
  root.style.fontSize = size === "normal" ? "" : `${PERCENT[size]}%`;
  fontScale.set(Number.parseFloat(getComputedStyle(root).fontSize) / NORMAL_PX || 1);
}
