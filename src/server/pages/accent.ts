type Colour = readonly [red: number, green: number, blue: number];

/** Least contrast of text (WCAG 2.2, level AA). */
const CONTRAST = 4.5;
/**
 * Luminance of the darkest light ground and of the lightest dark ground that a page has (the top of `body::before` in
 * web/pages/style.css), a little beyond it because the ground takes the colour's hue.
 */
const LIGHT_GROUND = 0.78;
const DARK_GROUND = 0.032;
const STEPS = 64;

/** Components from 0 to 1 of `rrggbb`. */
function colourOf(hex: string): Colour {
  const [red, green, blue] = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  return [red!, green!, blue!];
}

function hexOf(colour: Colour): string {
  return `#${colour
    .map((part) =>
      Math.round(part * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

function linear(colour: Colour): Colour {
  const [red, green, blue] = colour.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return [red!, green!, blue!];
}

/** Relative luminance (WCAG 2.2), 0 to 1. */
export function luminanceOf(colour: Colour): number {
  const [red, green, blue] = linear(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrastOf(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** Returns the shade nearest to the colour, towards black (0) or white (1), that is readable on a ground. */
function readable(colour: Colour, towards: 0 | 1, ground: number): Colour {
  for (let step = 0; step < STEPS; step += 1) {
    const [red, green, blue] = colour.map((part) => part + ((towards - part) * step) / STEPS);
    const shade: Colour = [red!, green!, blue!];
    if (contrastOf(luminanceOf(shade), ground) >= CONTRAST) return shade;
  }
  return [towards, towards, towards];
}

/** Hue of the colour in OKLCH, in whole degrees: the grounds of the page take it. */
function hueOf(colour: Colour): number {
  const [red, green, blue] = linear(colour);
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const middle = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short;
  const b = 0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short;
  return Math.round((Math.atan2(b, a) * 180) / Math.PI + 360) % 360;
}

/** The shades of an accent colour that are readable on light and on dark pages. @param hex `rrggbb` */
export function accentShades(hex: string): { light: string; dark: string; hue: number } {
  const colour = colourOf(hex);
  return {
    light: hexOf(readable(colour, 0, LIGHT_GROUND)),
    dark: hexOf(readable(colour, 1, DARK_GROUND)),
    hue: hueOf(colour),
  };
}

/** Returns the style sheet of a game's accent colour. @param hex `rrggbb` */
export function accentSheet(hex: string): string {
  const { light, dark, hue } = accentShades(hex);
  return `:root {
  --hue: ${hue};
  --accent: light-dark(${light}, ${dark});
}
`;
}
