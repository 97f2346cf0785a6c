/** Moves the focus to an element as soon as it exists: panels are rendered later, some after their data has arrived. */
export class Focus {
  private waiting: AbortController | null = null;

  get isWaiting(): boolean {
    return this.waiting !== null;
  }

  /** If the user moves the focus elsewhere in the meantime, it stays there. */
  give(id: string): void {
    this.waiting?.abort();
    if (giveNow(id)) return;
    const waiting = new AbortController();
    const observer = new MutationObserver(() => {
      if (giveNow(id)) waiting.abort();
    });
    this.waiting = waiting;
    waiting.signal.addEventListener("abort", () => {
      observer.disconnect();
      this.waiting = null;
    });
    const turnedAway = { capture: true, signal: waiting.signal };
    document.addEventListener("keydown", () => waiting.abort(), turnedAway);
    document.addEventListener("pointerdown", () => waiting.abort(), turnedAway);
    observer.observe(document.body, { childList: true, subtree: true });
  }
}

function giveNow(id: string): boolean {
  const element = document.getElementById(id);
  element?.focus();
  return element !== null;
}
