/** A menu that a click or a key opens at a point of the window. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

const ITEMS = "[role=menuitem], [role=menuitemradio], [role=menuitemcheckbox]";

interface MenuProps {
  label: string;
  /** In CSS pixels of the window. */
  x: number;
  y: number;
  onClose: () => void;
  children: ComponentChildren;
}

/** A menu with keys: arrows, Home and End move the focus, Escape, Tab and a click elsewhere close it. */
export function Menu({ label, x, y, onClose, children }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = menu.current;
    if (element === null) return;
    element.showPopover();
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(0, Math.min(x, innerWidth - width - 4))}px`;
    element.style.top = `${Math.max(0, Math.min(y, innerHeight - height - 4))}px`;
    (element.querySelector<HTMLElement>("[role=menuitemradio][aria-checked=true]") ?? element.querySelector<HTMLElement>(ITEMS))?.focus();
  }, [x, y]);
  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(menu.current?.querySelectorAll<HTMLElement>(ITEMS) ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Tab") onClose();
    if (next === undefined && event.key !== "Tab") return;
    event.preventDefault();
    if (next !== undefined) items[(next + items.length) % items.length]?.focus();
  };
  return (
    <div
      ref={menu}
      class="menu"
      popover="auto"
      role="menu"
      aria-label={label}
      onKeyDown={onKeyDown}
      onToggle={(event) => event.newState === "closed" && onClose()}
    >
      {children}
    </div>
  );
}
