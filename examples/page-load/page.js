"use strict";

const TILE = 64;
const PASSES = [1, 3]; // samples per pixel and axis, coarse to fine
const WORKERS = 3;
const TILES = PASSES.length * (768 / TILE) * (512 / TILE);

const picture = document.getElementById("picture").getContext("2d");
const chart = document.getElementById("chart").getContext("2d");
const rows = document.getElementById("rows");
const thumbnails = document.getElementById("thumbnails");
const results = [];

function makeQueue() {
  const queue = [];
  for (const samples of PASSES) {
    for (let y = 0; y < 512; y += TILE) {
      for (let x = 0; x < 768; x += TILE) queue.push({ x, y, samples, size: TILE });
    }
  }
  return queue;
}

function paintTile(result) {
  picture.putImageData(new ImageData(result.pixels, TILE, TILE), result.x, result.y);
}

function drawChart() {
  const { width, height } = chart.canvas;
  chart.clearRect(0, 0, width, height);
  const longest = Math.max(...results.map((result) => result.ms), 1);
  results.forEach((result, index) => {
    const bar = (result.ms / longest) * height;
    chart.fillStyle = `hsl(${(result.worker * 120) % 360} 60% 55%)`;
    chart.fillRect((index * width) / TILES, height - bar, width / TILES, bar);
  });
}

/* Sorts the slowest tiles first. Rebuilds the table and measures every row: slow on purpose, and rarely called. */
function sortTable() {
  const sorted = [...results].sort((a, b) => b.ms - a.ms);
  rows.replaceChildren(
    ...sorted.map((result) => {
      const row = document.createElement("tr");
      const cells = [`${result.x},${result.y}`, result.worker, result.iterations, result.ms.toFixed(1)];
      for (const text of cells) row.insertCell().textContent = text;
      return row;
    }),
  );
  for (const row of rows.rows) {
    const widest = row.cells[2].getBoundingClientRect().width;
    row.style.height = `${14 + (widest % 3)}px`;
  }
}

/* Adds a picture of the present state, encoded as PNG and decoded again. */
function addThumbnail() {
  picture.canvas.toBlob((blob) => {
    const image = new Image();
    image.className = "new";
    image.onload = () => setTimeout(() => image.classList.remove("new"), 50);
    image.src = URL.createObjectURL(blob);
    thumbnails.append(image);
  });
}

function animate() {
  drawChart();
  if (results.length < TILES) requestAnimationFrame(animate);
}

function start() {
  const queue = makeQueue();
  for (let index = 0; index < WORKERS; index++) {
    const worker = new Worker("worker.js", { name: `tiles ${index + 1}` });
    const next = () => queue.length > 0 && worker.postMessage(queue.shift());
    worker.onmessage = (message) => {
      const result = { ...message.data, worker: index + 1 };
      results.push(result);
      paintTile(result);
      if (results.length % 24 === 0) addThumbnail();
      if (results.length % 40 === 0) sortTable();
      next();
    };
    next();
  }
  requestAnimationFrame(animate);
}

start();
