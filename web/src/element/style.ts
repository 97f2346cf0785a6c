/** The style of the shadow root. The style of the page decides about the size of the element. */
export const STYLE = `
:host { display: block; position: relative; height: 400px; overflow: hidden; }
:host([hidden]) { display: none; }
.box { position: absolute; inset: 0; color: #e8eaed; background: #14161a; font: 400 12px/1.5 system-ui, sans-serif; color-scheme: dark; }
.box[data-theme="light"] { color: #14161a; background: #fbfbfc; color-scheme: light; }
canvas { position: absolute; inset: 0; width: 100%; height: 100%; touch-action: pan-y; font-feature-settings: normal; }
canvas:focus { touch-action: none; }
canvas.vacant, canvas.vacant + .layer { opacity: 0; }
.layer { pointer-events: none; }
canvas:focus-visible, canvas:focus-visible + .layer { outline: 1px solid oklch(0.6 0.15 250); outline-offset: -1px; }
.status { position: absolute; inset: auto 0 16px; margin: 0 auto; width: fit-content; max-width: 90%; padding: 6px 14px; border-radius: 8px;
  background: #24282f; color: #e8eaed; overflow-wrap: anywhere; pointer-events: none; }
[data-theme="light"] .status { background: #ffffff; color: #14161a; box-shadow: 0 0 0 1px #a9b0ba; }
.status:empty { display: none; }
canvas.vacant ~ .status { inset: 50% 0 auto; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; margin: 0; contain: strict; }
.unseen:focus-within { clip-path: none; overflow: visible; contain: none; }
.unseen [tabindex]:focus { position: fixed; top: 8px; left: 8px; z-index: 1; padding: 4px 10px; border-radius: 6px; background: #24282f; color: #e8eaed; }
`;
