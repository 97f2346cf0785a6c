// A static server: the folder of the page, and the files of a test below /files/.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2", ".wasm": "application/wasm" };

/** `files`: name -> bytes; null = begins an answer and never ends it. */
export async function serveSite(folder, files) {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
    if (path.startsWith("/files/")) {
      const bytes = files[path.slice(7)];
      if (bytes === undefined) return response.writeHead(404).end();
      response.writeHead(200);
      return bytes === null ? response.write("[") : response.end(bytes);
    }
    try {
      const file = path.endsWith("/") ? `${path}index.html` : path;
      const bytes = await readFile(join(folder, normalize(file)));
      response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resume) => server.listen(0, "127.0.0.1", resume));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
