import { centreOf, HEIGHT, PIER_WIDTH, QUAY } from './course.js';
import type { Effects } from './effects.js';
import type { Ghost } from './ghosts.js';
import { type Palette, palette } from './palette.js';
import type { World } from './world.js';

type Pen = CanvasRenderingContext2D;

/** Draws a world on a canvas of any size: the harbour's height fills it, its width shows more or less of the course. */
export class Picture {
  readonly #pen: Pen;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.#pen = canvas.getContext('2d', { alpha: false })!;
  }

  /** Takes the size that the page gives the canvas. */
  fit(): void {
    const { width, height } = this.canvas.getBoundingClientRect();
    const density = Math.min(2, devicePixelRatio || 1);
    this.canvas.width = Math.max(1, Math.round(width * density));
    this.canvas.height = Math.max(1, Math.round(height * density));
  }

  draw(world: World, effects: Effects, ghost?: Ghost): void {
    const pen = this.#pen;
    const colours = palette();
    const scale = this.canvas.height / HEIGHT;
    const width = this.canvas.width / scale;
    const left = world.x - Math.min(170, width * 0.24);
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    drawWater(pen, colours, left, width);
    const jolt = effects.shake * 14;
    pen.translate(-left + (Math.random() - 0.5) * jolt, (Math.random() - 0.5) * jolt);
    drawWake(pen, colours, effects.wake);
    drawPiers(pen, colours, world, left + width);
    drawQuays(pen, colours, left, width);
    drawLanterns(pen, colours, world, left + width);
    if (ghost) drawGhost(pen, colours, ghost);
    drawBoat(pen, colours, world);
    drawSparks(pen, colours, effects);
    drawCaptions(pen, colours, effects);
  }
}

function drawWater(pen: Pen, { water, ripple }: Palette, left: number, width: number): void {
  const gradient = pen.createLinearGradient(0, 0, 0, HEIGHT);
  gradient.addColorStop(0, water[0]);
  gradient.addColorStop(1, water[1]);
  pen.fillStyle = gradient;
  pen.fillRect(0, 0, width, HEIGHT);
  pen.fillStyle = ripple;
  // The water is nearly still next to the piers: its position depends on the distance alone.
  for (let n = 0; n < 40; n += 1) {
    const span = width + 120;
    const x = ((((n * 173.3 - left * 0.82) % span) + span) % span) - 60;
    pen.fillRect(x, QUAY + 10 + ((n * 97) % (HEIGHT - 2 * QUAY - 20)), 18 + ((n * 31) % 34), 1.6);
  }
}

function drawWake(pen: Pen, { wake }: Palette, places: Effects['wake']): void {
  pen.fillStyle = wake;
  for (const side of [-1, 1]) {
    pen.beginPath();
    places.forEach(({ x, y }, n) => {
      pen.lineTo(x - 12, y + side * (2 + n * 0.34));
    });
    for (const [n, { x, y }] of [...places.entries()].reverse())
      pen.lineTo(x - 12, y + side * (2 + n * 0.34 + Math.max(0, 2.6 - n * 0.06)));
    pen.fill();
  }
}

function drawPiers(pen: Pen, colours: Palette, world: World, right: number): void {
  for (const gate of world.course.gates) {
    if (gate.x > right) break;
    const centre = centreOf(gate, world.seconds);
    const [top, bottom] = [centre - gate.opening / 2, centre + gate.opening / 2];
    drawPier(pen, colours, gate.x, QUAY, top, top);
    drawPier(pen, colours, gate.x, bottom, HEIGHT - QUAY, bottom);
  }
}

function drawPier(pen: Pen, colours: Palette, x: number, from: number, to: number, end: number): void {
  pen.fillStyle = colours.pier;
  pen.fillRect(x, from, PIER_WIDTH, to - from);
  pen.fillStyle = colours.plank;
  for (let y = from; y < to; y += 12) pen.fillRect(x, y, PIER_WIDTH, 1.5);
  pen.fillRect(x, from, 2, to - from);
  pen.fillRect(x + PIER_WIDTH - 2, from, 2, to - from);
  // The head, where it hurts.
  pen.fillStyle = colours.close;
  pen.beginPath();
  pen.roundRect(x - 2, end === to ? to - 8 : from, PIER_WIDTH + 4, 8, 3);
  pen.fill();
}

function drawQuays(pen: Pen, colours: Palette, left: number, width: number): void {
  pen.fillStyle = colours.quay;
  pen.fillRect(left - 20, 0, width + 40, QUAY);
  pen.fillRect(left - 20, HEIGHT - QUAY, width + 40, QUAY);
  pen.fillStyle = colours.edge;
  pen.fillRect(left - 20, QUAY - 3, width + 40, 3);
  pen.fillRect(left - 20, HEIGHT - QUAY, width + 40, 3);
  for (let block = Math.floor(left / 90) - 1; block * 90 < left + width; block += 1) {
    const size = 40 + ((((block * 37) % 30) + 30) % 30);
    for (const y of [2, HEIGHT - QUAY + 7]) {
      pen.fillStyle = colours.house;
      pen.fillRect(block * 90 + (y > QUAY ? 30 : 0), y, size, 15);
      pen.fillStyle = colours.window;
      for (let n = 0; n < 3; n += 1) {
        if ((block + n + (y > QUAY ? 1 : 0)) % 2 === 0)
          pen.fillRect(block * 90 + (y > QUAY ? 30 : 0) + 8 + n * 13, y + 5, 5, 5);
      }
    }
  }
}

function drawLanterns(pen: Pen, { lantern, glow }: Palette, world: World, right: number): void {
  for (const { x, y, isTaken } of world.course.lanterns) {
    if (x > right + 20) break;
    if (isTaken) continue;
    pen.fillStyle = glow;
    pen.beginPath();
    pen.arc(x, y, 15, 0, 2 * Math.PI);
    pen.fill();
    pen.fillStyle = lantern;
    pen.beginPath();
    pen.arc(x, y, 6, 0, 2 * Math.PI);
    pen.fill();
  }
}

function drawBoat(pen: Pen, { hull, deck, beam, outline }: Palette, world: World): void {
  pen.save();
  pen.translate(world.x, world.y);
  pen.rotate(Math.atan2(world.drift, world.speed * 1.5));
  const light = pen.createLinearGradient(14, 0, 190, 0);
  light.addColorStop(0, beam[0]);
  light.addColorStop(1, beam[1]);
  pen.fillStyle = light;
  pen.beginPath();
  pen.moveTo(14, 0);
  pen.lineTo(190, -52);
  pen.lineTo(190, 52);
  pen.fill();
  pen.fillStyle = hull;
  pen.strokeStyle = outline;
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.moveTo(21, 0);
  pen.quadraticCurveTo(8, -11, -15, -9);
  pen.lineTo(-15, 9);
  pen.quadraticCurveTo(8, 11, 21, 0);
  pen.fill();
  pen.stroke();
  pen.fillStyle = deck;
  pen.beginPath();
  pen.roundRect(-10, -5, 16, 10, 4);
  pen.fill();
  pen.restore();
}

/** Another player's boat, which one sees through. */
function drawGhost(pen: Pen, colours: Palette, { replay: { world }, playerName }: Ghost): void {
  pen.globalAlpha = 0.4;
  drawBoat(pen, colours, world);
  pen.globalAlpha = 0.7;
  pen.textAlign = 'center';
  pen.font = '600 13px system-ui, sans-serif';
  pen.fillStyle = colours.text;
  pen.fillText(playerName, world.x, world.y - 17);
  pen.globalAlpha = 1;
}

function drawSparks(pen: Pen, { lantern, close }: Palette, { sparks }: Effects): void {
  for (const { x, y, left, size, kind } of sparks) {
    pen.globalAlpha = Math.min(1, left * 3);
    pen.fillStyle = kind === 'crash' ? close : lantern;
    pen.fillRect(x - size, y - size, 2 * size, 2 * size);
  }
  pen.globalAlpha = 1;
}

function drawCaptions(pen: Pen, { text: colour, outline }: Palette, { captions }: Effects): void {
  pen.textAlign = 'center';
  pen.lineJoin = 'round';
  pen.lineWidth = 4;
  pen.strokeStyle = outline;
  pen.fillStyle = colour;
  for (const { text, x, y, left, isLarge } of captions) {
    pen.globalAlpha = Math.min(1, left * 2.5);
    pen.font = `700 ${isLarge ? 26 : 15}px system-ui, sans-serif`;
    pen.strokeText(text, x, y);
    pen.fillText(text, x, y);
  }
  pen.globalAlpha = 1;
}
