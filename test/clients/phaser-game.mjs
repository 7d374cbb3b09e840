// Prints the example for Phaser as one script for Node, with the few members of Phaser that it uses: texts are printed, and
// a scene's time runs at once. LEADERBOARD is a global. The real engine draws; here the example's own lines run.
import path from 'node:path';
import { rolldown } from 'rolldown';

const PACKAGE = path.resolve(import.meta.dirname, '../../clients/typescript');
const PHASER = `
export const AUTO = 0;
export class Scene {
  add = { text: () => ({ setText: (content) => console.log([content].flat().join(' | ')) }) };
  input = { on: (_name, tap) => setTimeout(tap, 10), keyboard: { on() {} } };
  events = { once() {} };
  time = { delayedCall: (_ms, done) => setTimeout(done, 10) };
}
export class Game {
  constructor({ scene }) { scene.create(); }
}
`;

const bundle = await rolldown({
  input: path.join(PACKAGE, 'examples/phaser/game.js'),
  platform: 'node',
  plugins: [
    {
      name: 'game',
      resolveId: (id) => {
        if (id === 'phaser') return path.join(import.meta.dirname, 'phaser.js');
        const [, entry] = /^leaderboard-client(?:\/(\w+))?$/.exec(id) ?? [];
        return id.startsWith('leaderboard-client')
          ? path.join(PACKAGE, `dist/${entry ?? 'client'}.js`)
          : undefined;
      },
      load: (id) => (id.endsWith('/phaser.js') ? PHASER : undefined),
    },
  ],
});
const { output } = await bundle.generate({ format: 'esm' });
process.stdout.write(output[0].code);
