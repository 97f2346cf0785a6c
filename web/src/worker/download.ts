/** Downloads an address as a Blob, with progress. */
import type { Phase } from "./messages.ts";

export const UNREACHABLE = (url: string): string =>
  `${url} could not be fetched: the address is wrong, the network is down, or the server does not allow other pages to read it (CORS).`;

export async function download(
  url: string,
  report: (phase: Phase, done: number, total: number) => void,
): Promise<Blob> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch {
    throw new Error(UNREACHABLE(url));
  }
  if (!response.ok) throw new Error(`${url} could not be fetched: the server answered ${response.status}.`);
  if (response.body === null) return response.blob();
  // With a content encoding the length is that of the encoded bytes, which differ from the received ones.
  const total = response.headers.has("content-encoding") ? 0 : Number(response.headers.get("content-length") ?? 0);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body.getReader();
  for (let done = 0; ; ) {
    const next = await reader.read();
    if (next.done) return new Blob(parts);
    parts.push(next.value);
    done += next.value.length;
    report("downloading", done, total);
  }
}
