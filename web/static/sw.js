// Makes the static page work offline. A version of the page is a list of files with their hashes; its cache has the name of the
// version and is filled before the worker starts. A new version waits until no page of the old one is open, so that a page never
// gets files of two versions.
const VERSION = "{{version}}";
const FILES = {}; // path -> [hash, true if it is fetched at once]

const cacheName = `varve ${VERSION}`;
const scope = self.registration.scope;

/** Fetches a file of this version; fails if the server has another version. */
function fetchFile(path) {
  return fetch(new Request(new URL(path, scope), { cache: "no-cache", integrity: FILES[path][0] }));
}

async function put(path) {
  const response = await fetchFile(path);
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  await (await caches.open(cacheName)).put(new URL(path, scope), response.clone());
  return response;
}

async function answer(path) {
  const cache = await caches.open(cacheName);
  return (await cache.match(new URL(path, scope))) ?? put(path);
}

self.addEventListener("install", (event) => {
  const paths = Object.keys(FILES).filter((path) => FILES[path][1]);
  event.waitUntil(Promise.all(paths.map(put)));
});

self.addEventListener("activate", (event) => {
  const clean = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name.startsWith("varve ") && name !== cacheName).map((name) => caches.delete(name)));
  };
  event.waitUntil(clean());
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || !url.href.startsWith(scope)) return;
  const path = url.pathname.slice(new URL(scope).pathname.length) || "index.html";
  if (Object.hasOwn(FILES, path)) event.respondWith(answer(path)); // traces and requests of an engine are not among them
});
