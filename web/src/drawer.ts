/**
 * The state of the drawer: the shown tab, and the part of the window that it covers. A closed drawer shows its tabs
 * only, so that the timeline has the room until something is selected.
 */
import { Focus } from "./focus.ts";
import { Store } from "./store.ts";

export type Tab = "overview" | "details" | "search" | "area" | "marks" | "flame" | "categories" | "frames" | "go" | "sql" | "compare";

export class DrawerState {
  readonly isOpen = new Store(false);
  readonly tab = new Store<Tab>("overview");
  /** True if the drawer covers the timeline. */
  readonly isWhole = new Store(false);
  private focus = new Focus();
  /** The user has opened or closed the drawer: it no longer opens or closes by itself. */
  private isChosen = false;

  /** `views`: tabs that stay when something is selected in the timeline. */
  constructor(private views: readonly Tab[]) {}

  get isWaiting(): boolean {
    return this.focus.isWaiting;
  }

  /** Opens the drawer at a tab; `focus` is the id of the element that gets the focus. */
  show(tab: Tab, focus?: string): void {
    this.isChosen = true;
    this.isOpen.set(true);
    this.tab.set(tab);
    if (focus !== undefined) this.focus.give(focus);
  }

  /**
   * Shows the tab of a new selection, unless the shown tab is a view, which highlights the selection itself. The first
   * selection opens the drawer.
   */
  follow(tab: Tab): void {
    if (!this.views.includes(this.tab.value)) this.tab.set(tab);
    if (!this.isChosen) this.isOpen.set(true);
  }

  /** Shows the tab of a view file, null = closed. */
  restore(tab: Tab | null): void {
    this.isChosen = true;
    this.isOpen.set(tab !== null);
    if (tab !== null) this.tab.set(tab);
    this.shrink();
  }

  /** Returns to the state before the first selection, for other traces. */
  reset(): void {
    this.tab.set("overview");
    if (!this.isChosen) this.isOpen.set(false);
  }

  /** Uncovers the timeline. */
  shrink(): void {
    this.isWhole.set(false);
  }

  toggle(): void {
    this.restore(this.isOpen.value ? null : this.tab.value);
  }

  close(): void {
    this.restore(null);
  }

  toggleWhole(): void {
    this.isChosen = true;
    this.isWhole.set(!(this.isOpen.value && this.isWhole.value));
    this.isOpen.set(true);
  }
}
