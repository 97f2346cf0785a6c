// The worker of DuckDB. Its module is compiled from its bytes: a streamed one needs the media type of WebAssembly, which
// simple servers do not send.
"use strict";
WebAssembly.instantiateStreaming = async (response, imports) => WebAssembly.instantiate(await (await response).arrayBuffer(), imports);
console.log = () => undefined; // DuckDB prints every error of a statement, including errors that the page handles
importScripts("duckdb-browser-eh.worker.js");
