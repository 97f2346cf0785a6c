/** A file of the page for the modules that need its bytes: its address, or its content if the page contains it. */
export type FileSource = string | Blob;

async function fetchFile(address: string): Promise<Response> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${new URL(address).pathname} could not be fetched: status ${response.status}.`);
  return response;
}

export async function bytesOf(file: FileSource): Promise<ArrayBuffer> {
  return file instanceof Blob ? file.arrayBuffer() : (await fetchFile(file)).arrayBuffer();
}

/**
 * Starts a WebAssembly module. It is compiled while it arrives if the server sends its media type, which simple servers
 * do not send.
 */
export async function instantiate(file: FileSource, imports: WebAssembly.Imports): Promise<WebAssembly.Instance> {
  if (file instanceof Blob) return (await WebAssembly.instantiate(await file.arrayBuffer(), imports)).instance;
  const response = await fetchFile(file);
  const isTyped = response.headers.get("content-type") === "application/wasm";
  const started = isTyped ? WebAssembly.instantiateStreaming(response, imports) : WebAssembly.instantiate(await response.arrayBuffer(), imports);
  return (await started).instance;
}
