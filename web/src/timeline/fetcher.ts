/** Sends the requests of the view to the engines: a few at a time, the most urgent first, tiles in batches. */
import { isAbort, messageOf, MovedError, type Load } from "../carrier/carrier.ts";
import { WishKind, type TimelineView, type Wish } from "../wasm/view.ts";

const REQUESTS = 4;
const TILES_PER_REQUEST = 32;
/** The view repeats a failed request when this time has passed and the tile is drawn again. */
const RETRY_MS = 2000;

const HOLD_IDS = new Set([WishKind.Tile, WishKind.Visible]);

export class Fetcher {
  private underWay = new Set<AbortController>();

  private retry: number | null = null;

  /**
   * `loads`: indexed by the view's trace number. `changed`: data has arrived. `failed`: a request failed; drawing again
   * repeats it.
   */
  constructor(
    private view: TimelineView,
    private loads: Load[],
    private changed: () => void,
    private failed: (message: string) => void,
  ) {}

  get isIdle(): boolean {
    return this.underWay.size === 0;
  }

  /** Takes requests from the view while fewer than the limit are in progress. */
  pump(): void {
    while (this.underWay.size < REQUESTS) {
      const wish = this.view.nextWish();
      if (wish === null) return;
      if (wish.kind === WishKind.Tile) this.takeTiles(wish);
      else void this.fetch([wish]);
    }
  }

  /** Drops the requests in progress because the view was cleared. */
  reset(): void {
    for (const request of this.underWay) request.abort();
    this.underWay.clear();
  }

  /** Adds more tiles of the same trace to the first one. A request of another kind is sent alone. */
  private takeTiles(first: Wish): void {
    const tiles = [first];
    let other: Wish | null = null;
    while (tiles.length < TILES_PER_REQUEST) {
      const wish = this.view.nextWish();
      if (wish === null) break;
      if (wish.kind !== WishKind.Tile || wish.trace !== first.trace || wish.filter !== first.filter) {
        other = wish;
        break;
      }
      tiles.push(wish);
    }
    void this.fetch(tiles);
    if (other !== null) void this.fetch([other]);
  }

  private async fetch(wishes: Wish[]): Promise<void> {
    const controller = new AbortController();
    this.underWay.add(controller);
    const wish = wishes[0] as Wish;
    const numbering = this.view.numbering(wish.trace);
    const isPast = () => HOLD_IDS.has(wish.kind) && this.view.numbering(wish.trace) !== numbering;
    try {
      const bytes = await this.request(wishes, controller.signal);
      if (controller.signal.aborted) return;
      // The track numbers have changed; the view has dropped its requests.
      if (isPast()) return;
      this.put(wishes, bytes);
    } catch (error) {
      if (isAbort(error) || controller.signal.aborted) return;
      if (isPast()) return;
      for (const wish of wishes) this.view.wishFailed(wish);
      // The view repeats the request with the numbers of its next outline.
      if (error instanceof MovedError) return;
      // The id of a hovered slice in a growing trace has changed: the next hover requests the new one.
      if (wish.kind === WishKind.Details && this.loads[wish.trace]?.grows) return;
      this.retry ??= window.setTimeout(() => {
        this.retry = null;
        this.failed(messageOf(error));
      }, RETRY_MS);
    } finally {
      this.underWay.delete(controller);
      if (!controller.signal.aborted) this.changed();
    }
  }

  private request(wishes: Wish[], signal: AbortSignal): Promise<ArrayBuffer> {
    const wish = wishes[0] as Wish;
    const load = this.loads[wish.trace];
    if (load === undefined) return Promise.reject(new Error("no such trace"));
    const filter = wish.filter === 0 ? {} : { hide: this.view.filterText(wish), filter: wish.filter };
    switch (wish.kind) {
      case WishKind.Tile: {
        const keys = wishes.map((w) => `${w.track}.${w.band}.${w.level}.${w.index}`).join(",");
        return load.request("tiles", { keys, ...filter }, signal);
      }
      case WishKind.Labels:
        return load.request("labels", { page: wish.page }, signal);
      case WishKind.Overview:
        return load.request("overview", { buckets: wish.page, ...filter }, signal);
      case WishKind.Visible:
        return load.request("visible", filter, signal);
      case WishKind.Details:
        return load.request("tooltip", { id: wish.slice }, signal);
      case WishKind.FlowDetails:
        return load.request("tooltip", { flow: wish.slice }, signal);
    }
  }

  private put(wishes: Wish[], bytes: ArrayBuffer): void {
    const first = wishes[0] as Wish;
    if (first.kind !== WishKind.Tile) {
      if (!this.view.put(first, bytes)) this.view.wishFailed(first);
      return;
    }
    const data = new DataView(bytes);
    let at = 0;
    for (const wish of wishes) {
      const size = at + 4 <= bytes.byteLength ? data.getUint32(at, true) : 0;
      at += 4;
      const isThere = size > 0 && at + size <= bytes.byteLength;
      if (!isThere || !this.view.put(wish, new Uint8Array(bytes, at, size))) this.view.wishFailed(wish);
      at += size;
    }
  }
}
