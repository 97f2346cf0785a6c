/** Sends the requests of the view to the engines: a few at a time, the most urgent first, tiles in batches. */
import { isAbort, messageOf, MovedError, type Load } from "../transport/transport.ts";
import { MomentsKind, ViewRequestKind, type ViewRequest } from "generated/border.ts";
import type { TimelineView } from "../wasm/view.ts";
import { word } from "../texts.ts";

/** Returns the lines of a tooltip, "key\tvalue", with the keys of the pattern in the language of the page. */
function inLanguage(lines: ArrayBuffer, keys: RegExp): ArrayBuffer {
  const text = new TextDecoder().decode(lines).replace(keys, (_, key: string) => `${word(key)}\t`);
  return new TextEncoder().encode(text).buffer;
}

/** The lines after the category are flags and arguments. */
const SLICE_KEYS = /(?<=^self\t\d+\n)(category)\t/;
const INSTANT_KEYS = /^(category)\t/;
const FLOW_KEYS = /^(from|to|category|id)\t/gm;

const REQUESTS = 4;
const TILES_PER_REQUEST = 128;
/** All tiles of a picture are in one or two ranges of a file. */
const TILES_BY_RANGES = 256;
/** The view repeats a failed request when this time has passed and the tile is drawn again. */
const RETRY_MS = 2000;

/** True if the tiles are read from a file at an address, part by part. */
const isByRanges = (load: Load | undefined): boolean => (load?.status.value.wholeBytes ?? null) !== null;

const TOOLTIPS = new Set([ViewRequestKind.Details, ViewRequestKind.FlowDetails, ViewRequestKind.InstantDetails]);
const HOLD_IDS = new Set([ViewRequestKind.Tile, ViewRequestKind.Visible]);

/** Returns the place of the event of a tooltip: its id may have changed in a growing trace. */
const placeOf = ({ event: { track, row, begin } }: ViewRequest) => ({ track, row, begin: String(begin) });

export class Fetcher {
  private underWay = new Map<AbortController, ViewRequest[]>();

  private retry: number | null = null;

  /**
   * `loads`: indexed by the view's trace number. `changed`: data has arrived. `failed`: a request failed; drawing again
   * repeats it. `textOf`: returns the text of a search by its number; null = another one has begun.
   */
  constructor(
    private view: TimelineView,
    private loads: Load[],
    private changed: () => void,
    private failed: (message: string) => void,
    private textOf: (search: number) => string | null,
  ) {}

  get isIdle(): boolean {
    return this.underWay.size === 0;
  }

  /**
   * Takes requests from the view while fewer than the limit are in progress. With a file that is read by ranges they wait until the view
   * rests: each is a round trip, and the tiles of the positions on the way are not needed there.
   */
  pump(): void {
    if (this.view.isMoving && this.loads.some(isByRanges)) return;
    for (const [controller, [request]] of this.underWay) if (request?.kind === ViewRequestKind.Moments && this.view.isPast(request)) controller.abort();
    while (this.underWay.size < REQUESTS) {
      const request = this.view.nextRequest();
      if (request === null) return;
      if (request.kind === ViewRequestKind.Tile) this.takeTiles(request);
      else void this.fetch([request]);
    }
  }

  /** Drops the requests in progress because the view was cleared. */
  reset(): void {
    if (this.retry !== null) clearTimeout(this.retry);
    this.retry = null;
    for (const controller of this.underWay.keys()) controller.abort();
    this.underWay.clear();
  }

  /** Follows the removal of a trace: drops its requests, and renumbers those of the traces after it. */
  removed(trace: number): void {
    for (const [controller, requests] of this.underWay) {
      if (requests.some((request) => request.trace === trace)) {
        controller.abort();
        this.underWay.delete(controller);
      }
      for (const request of requests) if (request.trace > trace) request.trace--;
    }
  }

  /** Adds more tiles of the same trace to the first one. A request of another kind is sent alone. */
  private takeTiles(first: ViewRequest): void {
    const tiles = [first];
    let other: ViewRequest | null = null;
    const most = isByRanges(this.loads[first.trace]) ? TILES_BY_RANGES : TILES_PER_REQUEST;
    while (tiles.length < most) {
      const request = this.view.nextRequest();
      if (request === null) break;
      if (request.kind !== ViewRequestKind.Tile || request.trace !== first.trace || request.filter !== first.filter) {
        other = request;
        break;
      }
      tiles.push(request);
    }
    void this.fetch(tiles);
    if (other !== null) void this.fetch([other]);
  }

  private async fetch(requests: ViewRequest[]): Promise<void> {
    const controller = new AbortController();
    const request = requests[0] as ViewRequest;
    this.underWay.set(controller, requests);
    const numbering = this.view.numbering(request.trace);
    const isPast = () => HOLD_IDS.has(request.kind) && this.view.numbering(request.trace) !== numbering;
    try {
      const bytes = await this.send(requests, controller.signal);
      if (controller.signal.aborted) return;
      // The track numbers have changed; the view has dropped its requests.
      if (isPast()) return;
      this.put(requests, bytes);
    } catch (error) {
      if (isAbort(error) || controller.signal.aborted) return;
      if (isPast()) return;
      for (const request of requests) this.view.requestFailed(request);
      // The view repeats the request with the numbers of its next outline.
      if (error instanceof MovedError) return;
      // A growing trace has no such event at the place by now: the next hover requests another one.
      if (TOOLTIPS.has(request.kind) && this.loads[request.trace]?.grows) return;
      this.retry ??= window.setTimeout(() => {
        this.retry = null;
        this.failed(messageOf(error));
      }, RETRY_MS);
    } finally {
      this.underWay.delete(controller);
      if (!controller.signal.aborted) this.goOn();
    }
  }

  /** Sends the next requests of the last frame, without waiting for the next one. */
  private goOn(): void {
    this.pump();
    this.changed();
  }

  private send(requests: ViewRequest[], signal: AbortSignal): Promise<ArrayBuffer> {
    const request = requests[0] as ViewRequest;
    const load = this.loads[request.trace];
    if (load === undefined) return Promise.reject(new Error("no such trace"));
    const filter = request.filter === 0 ? {} : { hide: this.view.filterText(request), filter: request.filter };
    switch (request.kind) {
      case ViewRequestKind.Tile: {
        const keys = requests.map(({ tile }) => `${tile.track}.${tile.band}.${tile.level}.${tile.index}`).join(",");
        return load.request("tiles", { keys, ...filter }, signal);
      }
      case ViewRequestKind.Labels:
        return load.request("labels", { page: request.page }, signal);
      case ViewRequestKind.Overview:
        return load.request("overview", { buckets: request.page, ...filter }, signal);
      case ViewRequestKind.Visible:
        return load.request("visible", filter, signal);
      case ViewRequestKind.Details:
        return load.request("tooltip", { id: String(request.event.id), ...placeOf(request) }, signal).then((lines) => inLanguage(lines, SLICE_KEYS));
      case ViewRequestKind.FlowDetails:
        return load.request("tooltip", { flow: String(request.event.id), ...placeOf(request), end: "from" }, signal).then((lines) => inLanguage(lines, FLOW_KEYS));
      case ViewRequestKind.InstantDetails:
        return load.request("tooltip", { instant: String(request.event.id), ...placeOf(request) }, signal).then((lines) => inLanguage(lines, INSTANT_KEYS));
      case ViewRequestKind.Moments: {
        const { kind, version, label, begin, level, buckets } = request.moments;
        if (load.status.value.wholeBytes !== null) return Promise.reject(new DOMException("not by ranges", "AbortError"));
        const isSearch = (kind as MomentsKind) === MomentsKind.Found;
        const text = isSearch ? this.textOf(version) : null;
        if (isSearch && text === null) return Promise.reject(new DOMException("another search", "AbortError"));
        const hide = request.filter === 0 ? {} : { hide: this.view.filterText(request) };
        return load.request("moments", { ...(text === null ? { name: label } : { text }), begin: String(begin), level, buckets, ...hide }, signal);
      }
    }
  }

  private put(requests: ViewRequest[], bytes: ArrayBuffer): void {
    const first = requests[0] as ViewRequest;
    if (first.kind !== ViewRequestKind.Tile) {
      if (!this.view.put(first, bytes)) this.view.requestFailed(first);
      return;
    }
    const data = new DataView(bytes);
    let at = 0;
    for (const request of requests) {
      const size = at + 4 <= bytes.byteLength ? data.getUint32(at, true) : 0;
      at += 4;
      const isThere = size > 0 && at + size <= bytes.byteLength;
      if (!isThere || !this.view.put(request, new Uint8Array(bytes, at, size))) this.view.requestFailed(request);
      at += size;
    }
  }
}
