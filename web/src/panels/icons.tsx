/** The icons of the page, drawn in the colour of the text. */
const PATHS = {
  open: "M2 4.5h4l1.5 1.5H14v7H2z",
  fit: "M1.5 3v10M14.5 3v10M4 8h8M6.5 5.5 4 8l2.5 2.5M9.5 5.5 12 8l-2.5 2.5",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.5 10.5 14 14",
  close: "m4 4 8 8M12 4l-8 8",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  save: "M8 2.5v7.5M4.5 7 8 10.5 11.5 7M2.5 13.5h11",
  share: "M8 9.5V2M5 5l3-3 3 3M4 7.5H2.5v6h11v-6H12",
  settings: "M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6M10 2.5v4M6 9.5v4",
  dark: "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z",
  light: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  warning: "M8 2 1.5 13.5h13zM8 6.5v3.5M8 11.4v.8",
  "dock-right": "M2 3h12v10H2zM10 3v10",
  "dock-bottom": "M2 3h12v10H2zM2 9h12",
  pause: "M5 3v10M11 3v10",
  play: "m4.5 2.5 8 5.5-8 5.5z",
  follow: "M13.5 3v10M2 8h8M7 5l3 3-3 3",
  up: "m4 10 4-4 4 4",
  down: "m4 6 4 4 4-4",
  left: "m10 4-4 4 4 4",
  right: "m6 4 4 4-4 4",
  sandwich: "M2 4h12M4 8h8M2 12h12",
  histogram: "M2 13.5h12M4 13.5V10M7 13.5V4M10 13.5V7M13 13.5v-2",
  enlarge: "M9 2.5h4.5V7M13.5 2.5 9 7M7 13.5H2.5V9M2.5 13.5 7 9",
  shrink: "M13.5 7H9V2.5M9 7l4.5-4.5M2.5 9H7v4.5M7 9l-4.5 4.5",
  pin: "M9.5 2 14 6.5 12 7 9 10l-.5 3L3 7.5 6 7l3-3zM5.5 10.5 2 14",
  hide: "M1.5 8S4 4 8 4s6.5 4 6.5 4S12 12 8 12 1.5 8 1.5 8M13 3 3 13",
  isolate: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10M5.5 8h5",
  sort: "M2.5 4h11M2.5 8h7M2.5 12h4",
  more: "M4 8h.01M8 8h.01M12 8h.01",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round" stroke-linecap="round" />
    </svg>
  );
}

/** The logo: layers of sediment, one of them coloured. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 16 16" width="18" height="18" aria-hidden="true" focusable="false">
      <rect x="1" y="2" width="14" height="2.5" rx="1" class="mark-1" />
      <rect x="1" y="5.5" width="9" height="2.5" rx="1" class="mark-2" />
      <rect x="3" y="9" width="12" height="2.5" rx="1" class="mark-3" />
      <rect x="1" y="12.5" width="6" height="2" rx="1" class="mark-1" />
    </svg>
  );
}

interface IconButtonProps {
  icon: IconName;
  label: string;
  onClick: () => void;
  pressed?: boolean;
  id?: string;
  disabled?: boolean;
}

/** A button with only an icon; its label is also its tooltip. */
export function IconButton({ icon, label, onClick, pressed, id, disabled }: IconButtonProps) {
  return (
    <button type="button" class="icon-button" id={id} title={label} aria-label={label} aria-pressed={pressed} disabled={disabled} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
