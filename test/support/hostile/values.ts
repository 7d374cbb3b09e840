import type { Dice } from './dice.js';
import { ODD_JSON, ODD_TEXTS } from './odd.js';

const NIL = '00000000-0000-0000-0000-000000000000';

const UNITS = [
  'a',
  'Z',
  '0',
  ' ',
  '-',
  '_',
  '.',
  '\u0000',
  '\n',
  '"',
  '\\',
  '/',
  'é',
  '\u0301',
  '漢',
  '\ud83d\ude00',
  '\ud800',
  '\udc00',
  '\u202e',
  '\u200d',
];

export function oddText(dice: Dice): string {
  if (dice.chance(0.7)) return dice.pick(ODD_TEXTS);
  return Array.from({ length: dice.below(80) }, () => dice.pick(UNITS)).join('');
}

/** Ids that are almost right. */
export function oddId(dice: Dice, ids: readonly string[]): string {
  const id = dice.pick(ids);
  return dice.either([
    [4, () => id],
    [1, () => `${id.slice(0, 4)}${NIL}`],
    [1, () => `${dice.pick(ids).slice(0, 4)}${id.slice(4)}`],
    [1, () => id.toUpperCase()],
    [1, () => id.slice(4)],
    [1, () => id.replaceAll('-', '')],
    [1, () => `${id}${dice.pick(['\n', ' ', '\u0000', '0', '/..', '%20', ';'])}`],
    [1, () => `${dice.pick([' ', 'x', '\ufeff'])}${id}`],
    [1, () => id.slice(0, dice.below(id.length))],
    [1, () => `${id.slice(0, 4)}ffffffff-ffff-ffff-ffff-ffffffffffff`],
  ]);
}

const DEPTHS = [3, 63, 64, 65, 66, 200, 5_000];

function nested(dice: Dice): string {
  const depth = dice.pick(DEPTHS);
  return dice.chance(0.5)
    ? `${'['.repeat(depth)}1${']'.repeat(depth)}`
    : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
}

/** JSON text of anything. */
export function oddJson(dice: Dice, ids: readonly string[]): string {
  return dice.either([
    [6, () => dice.pick(ODD_JSON)],
    [6, () => JSON.stringify(oddText(dice))],
    [2, () => JSON.stringify(oddId(dice, ids))],
    [1, () => nested(dice)],
    [1, () => `[${Array.from({ length: dice.below(4) }, () => oddJson(dice, ids)).join(',')}]`],
    [1, () => `{${JSON.stringify(oddText(dice))}:${dice.pick(ODD_JSON)}}`],
  ]);
}

/** Makes of JSON text something that is none, is another value than an object, or says things twice. */
export function brokenJson(dice: Dice, text: string): string | Buffer {
  return dice.either<string | Buffer>([
    [1, () => text.slice(0, dice.below(text.length + 1))],
    [1, () => text + dice.pick(['}', ',', '\u0000', ' x', text])],
    [1, () => `\ufeff${text}`],
    [1, () => `[${text}]`],
    [
      1,
      () =>
        dice.pick([
          '',
          ' ',
          'null',
          '1',
          '"x"',
          'true',
          '{',
          '}',
          '{,}',
          "{'a':1}",
          '{a:1}',
          '{"a":NaN}',
          '{"a":01}',
          '// x\n{}',
        ]),
    ],
    [1, () => Buffer.from(text, 'utf16le')],
    [
      1,
      () =>
        Buffer.concat([
          Buffer.from('{"name":"'),
          Buffer.from([0xc3, 0x28, 0xff, 0xed, 0xa0, 0x80]),
          Buffer.from('"}'),
        ]),
    ],
    [1, () => `{"pad":"${'x'.repeat(dice.pick([65_000, 65_536, 70_000]))}"}`],
    [1, () => nested(dice)],
  ]);
}
