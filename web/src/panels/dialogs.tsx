/** Dialogs over the page; one is open at a time. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useStore } from "../store.ts";
import type { Viewer } from "../viewer.ts";
import { FilterTracks } from "./filter_tracks.tsx";
import { GoTo } from "./go_to.tsx";
import { Help } from "./help.tsx";
import { IconButton } from "./icons.tsx";
import { JumpList } from "./jump_list.tsx";
import { OpenForm } from "./open_form.tsx";
import { Palette } from "./palette.tsx";
import { Report } from "./report.tsx";
import { SaveForm } from "./save_form.tsx";
import { SettingsForm } from "./settings_form.tsx";
import { t } from "../texts.ts";

export function Dialogs({ viewer }: { viewer: Viewer }) {
  const name = useStore(viewer.dialog);
  switch (name) {
    case null:
      return null;
    case "help":
      return (
        <Dialog viewer={viewer} title={t("dialogs.keys-and-gestures")} wide>
          <Help viewer={viewer} />
        </Dialog>
      );
    case "open":
      return (
        <Dialog viewer={viewer} title={t("common.open")}>
          <OpenForm viewer={viewer} />
        </Dialog>
      );
    case "report":
      return (
        <Dialog viewer={viewer} title={t("common.import-report")} wide>
          <Report viewer={viewer} />
        </Dialog>
      );
    case "save":
      return (
        <Dialog viewer={viewer} title={t("common.save")}>
          <SaveForm viewer={viewer} />
        </Dialog>
      );
    case "share":
      return (
        <Dialog viewer={viewer} title={t("common.share")}>
          <SaveForm viewer={viewer} shares />
        </Dialog>
      );
    case "settings":
      return (
        <Dialog viewer={viewer} title={t("common.settings")} wide>
          <SettingsForm viewer={viewer} />
        </Dialog>
      );
    case "palette":
      return (
        <Dialog viewer={viewer} title={t("common.commands")}>
          <Palette viewer={viewer} />
        </Dialog>
      );
    case "go-to":
      return (
        <Dialog viewer={viewer} title={t("dialogs.go-to")}>
          <GoTo viewer={viewer} />
        </Dialog>
      );
    case "jump":
      return (
        <Dialog viewer={viewer} title={t("dialogs.go-to-a-track")}>
          <JumpList viewer={viewer} />
        </Dialog>
      );
    case "filter-tracks":
      return (
        <Dialog viewer={viewer} title={t("dialogs.filter-tracks")}>
          <FilterTracks viewer={viewer} />
        </Dialog>
      );
  }
}

interface DialogProps {
  viewer: Viewer;
  title: string;
  /** A dialog with long text: the text gets the focus, so that keys scroll it. In others the first control gets it. */
  wide?: boolean;
  children: ComponentChildren;
}

/** The controls of a dialog, of radio buttons the checked one. */
const CONTROLS = ":is(input:not([type=radio]), input:checked, select, button):not(:disabled)";

function Dialog({ viewer, title, wide = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => { // in a layout effect, so that Escape finds a mounted dialog always open
    const element = dialog.current;
    element?.showModal();
    if (element?.querySelector("[autofocus]") === null) element.querySelector<HTMLElement>(`.dialog-body ${CONTROLS}`)?.focus(); // not the cross
    return () => {
      element?.close(); // the page behind an open dialog cannot have the focus
      viewer.focusTimeline();
    };
  }, [viewer]);
  const close = () => viewer.dialog.set(null);
  return (
    <dialog
      ref={dialog}
      class={wide ? "wide" : ""}
      aria-labelledby="dialog-title"
      onCancel={close} // "close" comes later: the dialog could not be opened again until then
      onClose={(event) => {
        if (event.currentTarget.isConnected) close(); // not after it was removed: another dialog may be open
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) close(); // a click outside the dialog
      }}
    >
      <div class="dialog-head">
        <h2 id="dialog-title">{title}</h2>
        <IconButton icon="close" label={t("dialogs.close-esc")} onClick={close} />
      </div>
      <div class="dialog-body" {...(wide ? { tabIndex: 0, autofocus: true } : {})}>
        {children}
      </div>
    </dialog>
  );
}
