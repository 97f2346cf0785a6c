/** A file of the page for the modules that need its bytes: its address, or its content if the page contains it. */
export type FileSource = string | Blob;

export async function bytesOf(file: FileSource): Promise<ArrayBuffer> {
  if (file instanceof Blob) return file.arrayBuffer();
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${new URL(file).pathname} could not be fetched: status ${response.status}.`);
  return response.arrayBuffer();
}
