/** The texts that the page shows, from the table of the user's language (web/texts). A text that it lacks is in English. */
import type { ComponentChildren } from "preact";
import { LANGUAGES, type Text, type TextPlaceholders } from "generated/texts.ts";
import { formatNumber } from "./panels/format.ts";
import { Store } from "./store.ts";

export type TextId = keyof TextPlaceholders;
/** The ids of the texts without placeholders. */
export type PlainId = { [Id in TextId]: [TextPlaceholders[Id]] extends [never] ? Id : never }[TextId];

/** The values of the placeholders of a text. Numbers are whole; t groups their digits. `count` selects the plural form. */
type Values<Id extends TextId, Value> = { [Name in TextPlaceholders[Id]]: Name extends "count" ? number : Value | number };
type Arguments<Id extends TextId, Value> = [TextPlaceholders[Id]] extends [never] ? [] : [Values<Id, Value>];

const ENGLISH = "en";

/** The tag of the language in use, for components that show texts. */
export const language = new Store(ENGLISH);
let table = LANGUAGES[ENGLISH];
let plurals = new Intl.PluralRules(ENGLISH);
const englishPlurals = plurals;

/** Returns the tags of the languages with their own names. */
export function languages(): [string, string][] {
  return Object.keys(LANGUAGES).map((tag) => [tag, new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag]);
}

/** Returns the first available language of a list of tags: "de-AT" finds "de". */
function firstAvailable(wanted: readonly string[]): string {
  const tags = Object.keys(LANGUAGES);
  for (const tag of wanted) {
    const found = tags.find((one) => one === tag) ?? tags.find((one) => one === tag.split("-")[0]);
    if (found !== undefined) return found;
  }
  return ENGLISH;
}

/** Uses a language: a tag, or "system" for the languages of the browser. */
export function setLanguage(choice: string): void {
  const tag = firstAvailable(choice === "system" ? navigator.languages : [choice]);
  table = LANGUAGES[tag];
  plurals = new Intl.PluralRules(tag);
  document.documentElement.lang = tag;
  language.set(tag);
}

function textOf(id: TextId): Text {
  return table?.[id] ?? LANGUAGES[ENGLISH]?.[id] ?? id;
}

/** Returns the form of a text for a count, which only plurals use. */
function formOf(id: TextId, count: unknown): string {
  const text = textOf(id);
  if (typeof text === "string") return text;
  const rules = table?.[id] === undefined ? englishPlurals : plurals;
  return text[rules.select(Number(count))] ?? text.other;
}

/** The plural categories in the order of the view (view/words.h). */
const CATEGORIES: readonly Intl.LDMLPluralRule[] = ["zero", "one", "two", "few", "many", "other"];

/** Returns the forms of a text for all plural categories. */
export function pluralsOf(id: TextId): string[] {
  const text = textOf(id);
  return CATEGORIES.map((category) => (typeof text === "string" ? text : (text[category] ?? text.other)));
}

/** Returns the index of the plural category of a count. */
export function pluralForm(count: number): number {
  return CATEGORIES.indexOf(plurals.select(count));
}

function pieces(id: TextId, values: Readonly<Record<string, unknown>> = {}): unknown[] {
  return formOf(id, values["count"])
    .split(/\{(\w+)\}/)
    .map((piece, i) => {
      const value = i % 2 === 0 ? piece : values[piece];
      return typeof value === "number" ? formatNumber(value) : value;
    });
}

/** Returns a text with the values of its placeholders. */
export function t<Id extends TextId>(id: Id, ...values: Arguments<Id, string>): string {
  return pieces(id, values[0]).join("");
}

/** Returns a text whose placeholders can be elements, as children of an element. */
export function rich<Id extends TextId>(id: Id, ...values: Arguments<Id, ComponentChildren>): ComponentChildren {
  return pieces(id, values[0]) as ComponentChildren;
}

/** Returns the rows of a table of ids with the texts. */
export function titled<Key>(rows: readonly (readonly [Key, PlainId])[]): [Key, string][] {
  return rows.map(([key, id]) => [key, t(id)]);
}

type CountId = Extract<TextId, `count.${string}`>;

/** True if a noun has a text for counts: "count.thread". */
export function isCountId(id: string): id is CountId {
  return LANGUAGES[ENGLISH]?.[id] !== undefined;
}

/** Returns the text of a word of the engine or the view, for example a noun. A word that has no text is in English. */
export function word(name: string): string {
  const id = `word.${name.replaceAll(" ", "-")}`;
  return LANGUAGES[ENGLISH]?.[id] === undefined ? name : formOf(id as TextId, 1);
}
