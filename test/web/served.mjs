// The native engine, asked over HTTP without a browser.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";

process.env.XDG_CACHE_HOME = "/dev/null"; // not a folder: tests leave the user's cache alone

/** Runs `varve open` for one file. */
export async function serve(varve, path) {
  const child = spawn(varve, ["open", "--no-browser", "--port=0", path], { stdio: ["ignore", "pipe", "ignore"] });
  let printed = "";
  const url = await new Promise((resolve, reject) => {
    child.stdout.on("data", (text) => {
      printed += text;
      const found = /http:\S+/.exec(printed);
      if (found !== null) resolve(found[0]);
    });
    child.on("exit", (status) => reject(new Error(`varve open ended with ${status}`)));
  });
  const ask = async (request, body = null) => {
    const answer = await fetch(new URL(`api/${request}`, url), body === null ? {} : { method: "POST", body });
    return Buffer.from(await answer.arrayBuffer());
  };
  for (;;) {
    const { state, error } = JSON.parse(await ask("status")).traces[0];
    if (state === "ready") return { ask, url, stop: () => child.kill() };
    assert.equal(state, "loading", error);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
