/** Paths on a grid of 16, drawn as lines. */
const PATHS = {
  home: 'M2.5 7 8 2.5 13.5 7v6.5h-4v-4h-3v4h-4z',
  flag: 'M3.5 14V2.5h8L10 5.5l1.5 3h-8',
  board: 'M2.5 13.5v-4H6M6 13.5v-10h4v10M10 7h3.5v6.5h-11',
  game: 'M4.5 5h7a3 3 0 0 1 3 3v1.5a2 2 0 0 1-3.6 1.2L10 9.5H6l-.9 1.2A2 2 0 0 1 1.5 9.5V8a3 3 0 0 1 3-3zM5 7v1.5M4.2 7.7h1.6M11 7.7h.1',
  loop: 'M3 8a5 5 0 0 1 8.5-3.5L13 6M13 3v3h-3M13 8a5 5 0 0 1-8.5 3.5L3 10M3 13v-3h3',
  user: 'M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.5-2.5 2.5-3.5 5-3.5s4.5 1 5 3.5',
  shield: 'M8 2l5 1.8V8c0 3-2 5-5 6-3-1-5-3-5-6V3.8z',
  key: 'M5.5 11.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM7.4 7.4 13 2.5M10.5 4.7l1.7 1.7',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1',
  pulse: 'M1.5 8h3l2-5 3 10 2-5h3',
  bin: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9M7 7v4M9 7v4',
  ticket: 'M2 5h12v2a1 1 0 0 0 0 2v2H2V9a1 1 0 0 0 0-2zM9.5 5v6',
  account: 'M3 13.5v-11h7v11M10 6h3v7.5M2 13.5h12M5.5 5.5h2M5.5 8.5h2',
  find: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5 14 14',
  theme: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
  out: 'M9 3h4v4M13 3 7.5 8.5M6.5 4H3v9h9V9.5',
  plus: 'M8 3v10M3 8h10',
  left: 'M10 3 5 8l5 5',
  right: 'M6 3l5 5-5 5',
  more: 'M3 8h.1M8 8h.1M13 8h.1',
  check: 'M3 8.5 6.5 12 13 4.5',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  hook: 'M9.5 4.5a2 2 0 1 0-2-2 2 2 0 0 0 2 2zM9.5 4.5V10a3.5 3.5 0 0 1-7 0V8.5L5 11',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
