/** The keys of the commands: the defaults of the view's table, and the changes of the user. */
import { KeyContext } from "generated/border.ts";
import type { Settings } from "./settings.ts";
import { Store } from "./store.ts";
import type { Command, TimelineView } from "./wasm/view.ts";
import { t, type TextId } from "./texts.ts";

type CommandId = Extract<TextId, `command.${string}`>;
type GroupId = Extract<TextId, `group.${string}`>;

export interface BoundCommand extends Command {
  /** Its place in the table of the view. */
  index: number;
  /** The default keys; `keys` are those in use. */
  defaults: string;
}

/** Returns the text of a command; check-texts.py finds commands without one. */
export function titleOf({ name }: Pick<Command, "name">): string {
  return t(`command.${name}` as CommandId);
}

/** Returns the title of a group of commands. */
export function groupTitle(group: string): string {
  return t(`group.${group}` as GroupId);
}

/** Splits the keys of a command: "W  +". */
export function splitKeys(keys: string): string[] {
  return keys.split(/ +/).filter((key) => key !== "");
}

export function joinKeys(keys: string[]): string {
  return keys.join("  ");
}

/** True if one key can be the key of both: one applies with and the other one without a selection. */
function areApart(a: Command, b: Command): boolean {
  return a.context !== b.context && a.context !== KeyContext.Any && b.context !== KeyContext.Any;
}

/** Returns another command that has the key for the same selection, null = the key is free. */
export function ownerOf(commands: readonly BoundCommand[], command: Command, key: string): BoundCommand | null {
  return commands.find((other) => other.name !== command.name && !areApart(other, command) && splitKeys(other.keys).includes(key)) ?? null;
}

/** Returns a sentence about the first key that two commands have, "" = each key has one command. */
export function firstConflict(commands: readonly BoundCommand[]): string {
  for (const command of commands)
    for (const key of splitKeys(command.keys)) {
      const other = ownerOf(commands, command, key);
      if (other !== null) return t("keys.is-the-key-of", { key, first: command.name, second: other.name });
    }
  return "";
}

export class Keys {
  readonly commands: Store<readonly BoundCommand[]>;
  private readonly table: Command[];

  constructor(
    private view: TimelineView,
    private settings: Settings,
  ) {
    this.table = view.commands();
    this.commands = new Store<readonly BoundCommand[]>([]);
    this.apply();
    settings.saved.subscribe(({ keys }) => {
      if (keys !== this.applied) this.apply();
    });
  }

  private applied: Record<string, string> = {};

  /** Returns the keys of a command in use. */
  of(name: string): string {
    return this.commands.value.find((command) => command.name === name)?.keys ?? "";
  }

  /** Returns a tooltip with the keys of the command: "Close the drawer (Q)". */
  tip(text: string, name: string): string {
    const keys = splitKeys(this.of(name));
    return keys.length === 0 ? text : `${text} (${keys.join(t("keys.or"))})`;
  }

  /** Returns the text of a key of an event, "" = it cannot be the key of a command. */
  textOf(name: string, modifiers: number): string {
    return this.view.keyText(name, modifiers);
  }

  /** Returns the reason why a key cannot be a key of the command, "" = it can. */
  problemOf(command: BoundCommand, key: string): string {
    if (key === "") return t("keys.this-key-cannot-have");
    try {
      this.view.setCommandKeys(command.index, key);
      return "";
    } catch (error) {
      return `${(error as Error).message}.`;
    } finally {
      this.view.setCommandKeys(command.index, command.keys);
    }
  }

  /** Sets the keys of a command, and takes them from the commands that had them. */
  change(command: BoundCommand, wanted: string[]): void {
    const keys = { ...this.settings.saved.value.keys };
    const put = ({ name, defaults }: BoundCommand, list: string[]) => {
      const text = joinKeys(list);
      if (text === defaults) delete keys[name];
      else keys[name] = text;
    };
    for (const other of this.commands.value) {
      if (other.name === command.name || areApart(other, command)) continue;
      const list = splitKeys(other.keys);
      const kept = list.filter((key) => !wanted.includes(key));
      if (kept.length < list.length) put(other, kept);
    }
    put(command, wanted);
    this.settings.change({ keys });
  }

  /** Throws with the reason if these changes name an unknown command, have a text that is not a key, or give a key to two commands. */
  check(keys: Record<string, string>): void {
    try {
      for (const name of Object.keys(keys))
        if (!this.table.some((command) => command.name === name)) throw new Error(t("keys.there-is-no-command", { name }));
      this.put(keys, (name, error) => {
        throw new Error(`${name}: ${error.message}`);
      });
      const conflict = firstConflict(this.read());
      if (conflict !== "") throw new Error(conflict);
    } finally {
      this.put(this.applied, () => undefined);
    }
  }

  private read(): BoundCommand[] {
    return this.table.map((command, index) => ({ ...command, index, defaults: command.keys, keys: this.view.commandKeys(index) }));
  }

  private put(keys: Record<string, string>, onError: (name: string, error: Error) => void): void {
    this.table.forEach((command, index) => {
      try {
        this.view.setCommandKeys(index, keys[command.name] ?? command.keys);
      } catch (error) {
        onError(command.name, error as Error);
      }
    });
  }

  /** Applies the keys of the settings. Keys that this version does not know are left at their present ones. */
  private apply(): void {
    this.applied = this.settings.saved.value.keys;
    this.put(this.applied, () => undefined);
    this.commands.set(this.read());
  }
}
