import fc from 'fast-check';
import { accentShades, accentSheet, contrastOf, luminanceOf } from '../../src/server/pages/accent.js';

const luminance = (hex: string) =>
  luminanceOf(
    [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255) as [number, number, number],
  );
const WHITE = luminance('#ffffff');
/** Ink on the accent of dark pages: `--on-accent` is at most this light. */
const DARK_INK = 0.006;

test('every colour has shades that are readable on light and on dark pages, and under their own ink', () => {
  const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => value.toString(16).padStart(6, '0'));
  fc.assert(
    fc.property(colour, (hex) => {
      const { light, dark, hue } = accentShades(hex);
      expect(contrastOf(luminance(light), 0.8)).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(luminance(light), WHITE)).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(luminance(dark), 0.03)).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(luminance(dark), DARK_INK)).toBeGreaterThanOrEqual(4.5);
      expect(hue).toBeGreaterThanOrEqual(0);
      expect(hue).toBeLessThan(360);
    }),
    { numRuns: 2_000 },
  );
});

test('a colour that is readable stays as it is; its hue is that of OKLCH', () => {
  expect(accentShades('2a56c6').light).toBe('#2a56c6');
  expect(accentShades('ffd166').dark).toBe('#ffd166');
  expect(['ff0000', '00ff00', '0000ff'].map((hex) => accentShades(hex).hue)).toEqual([29, 142, 264]);
  expect(accentSheet('2a56c6')).toMatch(/--accent: light-dark\(#2a56c6, #[0-9a-f]{6}\);/);
});
