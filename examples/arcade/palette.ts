/** Colours of the harbour: at night, and in the morning for a light page. */
export interface Palette {
  water: [string, string];
  ripple: string;
  quay: string;
  edge: string;
  house: string;
  window: string;
  pier: string;
  plank: string;
  close: string;
  lantern: string;
  glow: string;
  hull: string;
  deck: string;
  wake: string;
  /** From the boat to where it ends. */
  beam: [string, string];
  text: string;
  outline: string;
}

const night: Palette = {
  water: ['#0d1836', '#152a52'],
  ripple: 'rgb(150 190 255 / 0.13)',
  quay: '#241c38',
  edge: '#5a4a86',
  house: '#191329',
  window: '#ffcf70',
  pier: '#7a5238',
  plank: '#4d3222',
  close: '#ff6f91',
  lantern: '#ffd97a',
  glow: 'rgb(255 196 90 / 0.34)',
  hull: '#f4f0ff',
  deck: '#ff5c8a',
  wake: 'rgb(190 220 255 / 0.5)',
  beam: ['rgb(255 240 190 / 0.32)', 'rgb(255 240 190 / 0)'],
  text: '#ffffff',
  outline: '#0a1024',
};

const morning: Palette = {
  water: ['#bfe3ea', '#8fc4dc'],
  ripple: 'rgb(255 255 255 / 0.55)',
  quay: '#e6d9cf',
  edge: '#a98f83',
  house: '#d2bfb6',
  window: '#fff3cf',
  pier: '#8c5d3d',
  plank: '#5f3c26',
  close: '#c2185b',
  lantern: '#ff9d1c',
  glow: 'rgb(255 170 40 / 0.32)',
  hull: '#ffffff',
  deck: '#c2185b',
  wake: 'rgb(255 255 255 / 0.85)',
  beam: ['rgb(255 255 255 / 0)', 'rgb(255 255 255 / 0)'],
  text: '#2a1020',
  outline: '#ffffff',
};

const dark = matchMedia('(prefers-color-scheme: dark)');

export function palette(): Palette {
  return dark.matches ? night : morning;
}

/** Calls when the visitor's theme has changed. */
export function onTheme(changed: () => void): void {
  dark.addEventListener('change', changed);
}
