// Draws the pictures of the demo's games: seeds/pictures/*.svg into PNG files next to them, which are committed.
// Logos are 256 pixels wide, covers 1,200.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { initWasm, Resvg } from '@resvg/resvg-wasm';

const FOLDER = path.resolve(import.meta.dirname, '../seeds/pictures');
const WIDTHS = { logo: 256, cover: 1_200 };

await initWasm(readFileSync(createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')));
for (const name of readdirSync(FOLDER).filter((file) => file.endsWith('.svg'))) {
  const value = WIDTHS[/-(\w+)\.svg$/.exec(name)[1]];
  const svg = new Resvg(readFileSync(path.join(FOLDER, name), 'utf8'), { fitTo: { mode: 'width', value } });
  writeFileSync(path.join(FOLDER, name.replace('.svg', '.png')), svg.render().asPng());
}
