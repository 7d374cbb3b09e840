import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Dice } from './dice.js';

const ODD = JSON.parse(readFileSync(path.resolve(__dirname, '../../fixtures/odd.json'), 'utf8'));

/** Texts that trip up parsers, databases or terminals. */
const ODD_TEXTS: readonly string[] = [
  ...ODD.texts,
  ...[65, 101, 2_001, 9_000].map((length) => 'x'.repeat(length)),
  ...['z\u0301\u0302\u0303\u0304'.repeat(40), '\u0130'.repeat(100), 'ß'.repeat(254)],
  ...[64, 65].map((length) => '\ud83d\ude00'.repeat(length)),
  `${'a'.repeat(200)}@${'b'.repeat(200)}.example`,
  `https://x/${'y'.repeat(2_001)}`,
];

/** JSON texts of empty, extreme and odd values. */
const ODD_JSON: readonly string[] = [
  ...ODD.json,
  ...[`1${'0'.repeat(400)}`, `0.${'0'.repeat(400)}1`],
  ...[`[${'"t",'.repeat(40)}"t"]`, `["${'x'.repeat(65)}"]`],
  ...[1_030, 8_200].map((length) => `{"k":"${'v'.repeat(length)}"}`),
  `{${Array.from({ length: 300 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
];

const NIL = '00000000-0000-0000-0000-000000000000';

export function oddText(dice: Dice): string {
  if (dice.chance(0.7)) return dice.pick(ODD_TEXTS);
  return Array.from({ length: dice.below(80) }, () => dice.pick(ODD.units as string[])).join('');
}

/** Ids that are almost valid. */
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

/** Any JSON text. */
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

/** Turns a JSON text into something invalid, not an object, or with duplicate members. */
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
