"use strict";

const LIMIT = 2000;

/* Returns the iterations until the point leaves the circle of radius 2 under z -> z^2 + c, c = -0.8 + 0.156i. */
function escapeTime(re, im) {
  let n = 0;
  while (n < LIMIT && re * re + im * im < 4) {
    const next = re * re - im * im - 0.8;
    im = 2 * re * im + 0.156;
    re = next;
    n++;
  }
  return n;
}

/* Returns the mean brightness of samples x samples points of one pixel. */
function shadePixel(x, y, samples) {
  let shade = 0;
  let iterations = 0;
  for (let j = 0; j < samples; j++) {
    for (let i = 0; i < samples; i++) {
      const n = escapeTime(((x + i / samples) / 768) * 3 - 1.5, ((y + j / samples) / 512) * 2 - 1);
      shade += Math.min(1, Math.sqrt(n / 300));
      iterations += n;
    }
  }
  return { shade: shade / (samples * samples), iterations };
}

function drawTile(tile) {
  const pixels = new Uint8ClampedArray(tile.size * tile.size * 4);
  let iterations = 0;
  for (let y = 0; y < tile.size; y++) {
    for (let x = 0; x < tile.size; x++) {
      const pixel = shadePixel(tile.x + x, tile.y + y, tile.samples);
      const s = pixel.shade;
      iterations += pixel.iterations;
      pixels.set([255 * s, 200 * s * s, 70 + 150 * s * (1 - s) + 90 * s, 255], (y * tile.size + x) * 4);
    }
  }
  return { pixels, iterations };
}

onmessage = (message) => {
  const tile = message.data;
  const begin = performance.now();
  const { pixels, iterations } = drawTile(tile);
  postMessage({ ...tile, pixels, iterations, ms: performance.now() - begin }, [pixels.buffer]);
};
