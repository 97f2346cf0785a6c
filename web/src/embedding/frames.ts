/**
 * The API for a page that embeds the static page in a frame (docs/embedding.md). Only origins in embedding.json, a file beside
 * the page, are heard: without the file, none. All other messages are ignored without an answer.
 */
import type { EventChoice } from "../../static/varve-timeline.d.ts";
import { PAGE_ENGINE } from "../page_files.ts";
import { messageOf } from "../transport/transport.ts";
import type { Viewer } from "../viewer.ts";
import { ViewFilePart } from "generated/border.ts";
import { selectChoice } from "./choice.ts";
import { rangeFacts, selectedFacts, traceFacts } from "./facts.ts";
import { loadFrom } from "./source.ts";
import { t } from "../texts.ts";

const VERSION = 1;

type Call =
  | { call: "ping" }
  | { call: "open"; source: string | Blob | ArrayBuffer; name: string | undefined; add: boolean }
  | { call: "get-view" }
  | { call: "set-view"; view: string }
  | { call: "select"; choice: EventChoice };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const isOptional = (value: unknown, type: string) => value === undefined || typeof value === type;
const isNumber = (value: unknown) => value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0);

function isChoice(value: unknown): value is EventChoice {
  if (value === null || typeof value === "string") return true;
  if (!isObject(value) || !isNumber(value["trace"])) return false;
  return typeof value["name"] === "string" || (value["id"] !== undefined && isNumber(value["id"]));
}

/** Returns null if the message does not have the form of a call. */
export function readCall(data: unknown): (Call & { id: number }) | null {
  if (!isObject(data) || data["varve"] !== VERSION || data["id"] === undefined || !isNumber(data["id"])) return null;
  const id = Number(data["id"]);
  const { call, source, name, add, view, choice } = data;
  switch (call) {
    case "ping":
    case "get-view":
      return { id, call };
    case "open": {
      const isSource = source instanceof ArrayBuffer || source instanceof Blob || (typeof source === "string" && isWebAddress(source));
      if (!isSource || !isOptional(name, "string") || !isOptional(add, "boolean")) return null;
      return { id, call, source, name: name as string | undefined, add: add === true };
    }
    case "set-view":
      return typeof view === "string" ? { id, call, view } : null;
    case "select":
      return isChoice(choice) ? { id, call, choice } : null;
    default:
      return null;
  }
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Returns the origins of a list. Others than exact ones ("*", "null", a path) are left out. */
export function readOrigins(list: unknown): string[] {
  const origins = isObject(list) && Array.isArray(list["origins"]) ? (list["origins"] as unknown[]) : [];
  return origins.filter((one): one is string => typeof one === "string" && isWebAddress(one) && new URL(one).origin === one);
}

async function allowedOrigins(): Promise<string[]> {
  try {
    const response = await fetch(new URL("embedding.json", document.baseURI), { cache: "no-cache" });
    return response.ok ? readOrigins(await response.json()) : [];
  } catch {
    return []; // there is no such file
  }
}

/** Answers the messages of the page around this one, if it is in a frame and the origin of that page is allowed. */
export async function answerFrames(viewer: Viewer): Promise<void> {
  if (window.parent === window) return;
  const allowed = await allowedOrigins();
  /** The origins that have sent a ping: they receive events. */
  const listening = new Set<string>();
  if (allowed.length === 0) return;
  addEventListener("message", ({ source, origin, data }: MessageEvent<unknown>) => {
    if (source !== window.parent || !allowed.includes(origin)) return;
    const call = readCall(data);
    if (call === null) return;
    if (call.call === "ping") listening.add(origin);
    carryOut(viewer, call).then(
      (result) => window.parent.postMessage({ varve: VERSION, id: call.id, result }, origin),
      (error: unknown) => window.parent.postMessage({ varve: VERSION, id: call.id, error: messageOf(error) }, origin),
    );
  });
  viewer.details.subscribe((details) => {
    const detail = selectedFacts(details);
    if (detail === undefined) return;
    for (const origin of listening) window.parent.postMessage({ varve: VERSION, event: "select", detail }, origin);
  });
}

async function carryOut(viewer: Viewer, call: Call): Promise<unknown> {
  const { timeline, view, loading } = viewer;
  const facts = () => loading.traces.value.map((open, trace) => traceFacts(view, trace, open));
  switch (call.call) {
    case "ping":
      return { traces: facts() };
    case "open": {
      const load = loadFrom(PAGE_ENGINE, call.source, call.name, loading.perspective);
      const trace = await timeline.open(load, call.add && !viewer.isExample.value ? "add" : "replace");
      return facts()[trace];
    }
    case "get-view":
      if (loading.ready.length === 0) throw new Error(t("common.no-trace-is-open"));
      return { view: viewer.views.text(ViewFilePart.State | ViewFilePart.Marks), visible: rangeFacts(view) };
    case "set-view": {
      viewer.views.applyLater(call.view, t("common.the-view"));
      const problem = loading.ready.length === 0 ? "" : viewer.views.applyPending();
      if (problem !== "") throw new Error(problem);
      return {};
    }
    case "select":
      await selectChoice(timeline, call.choice);
      return {};
  }
}
