/** Small parts that several panels share. */
/** A panel's error in place of its content. */
export function ErrorText({ text }: { text: string }) {
  return (
    <p class="empty error" role="alert">
      {text}
    </p>
  );
}

interface SwitchProps<T extends string> {
  label: string;
  title?: string;
  values: readonly (readonly [T, string])[];
  value: T;
  onChange: (value: T) => void;
}

/** A row of buttons of which one is chosen. */
export function Switch<T extends string>({ label, title, values, value, onChange }: SwitchProps<T>) {
  return (
    <div class="switch" role="radiogroup" aria-label={label} title={title}>
      {values.map(([key, text]) => (
        <button key={key} type="button" role="radio" aria-checked={key === value} onClick={() => onChange(key)}>
          {text}
        </button>
      ))}
    </div>
  );
}
