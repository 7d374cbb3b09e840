import { readFileSync } from 'node:fs';

/** Layers that are switched off while bench:ablation measures what they buy; absent outside of it. */
let off: ReadonlySet<string> = new Set();
const file = process.env.ABLATION_FILE;

if (file && file !== 'http') {
  setInterval(() => {
    off = new Set(readFileSync(file, 'utf8').split(','));
  }, 50).unref();
}

/** Of a process with one worker: at once. */
export function ablate(layer: string): void {
  off = new Set([layer]);
}

export function without(layer: string): boolean {
  return off.size > 0 && off.has(layer);
}
