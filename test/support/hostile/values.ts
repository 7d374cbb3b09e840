import type { Dice } from './dice.js';

const NIL = '00000000-0000-0000-0000-000000000000';

/** Texts that something somewhere stumbles over. */
export const ODD_TEXTS: readonly string[] = [
  ...[
    '',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\u0000',
    'a\u0000b',
    '\u0007',
    '\u001b[31m',
    '\u007f',
    '\u0085',
    '\u2028',
    '\ufeff',
  ],
  ...[
    '\ud800',
    '\udfff',
    'a\ud83d',
    '\udc00\ud800',
    '\ufffe',
    '\uffff',
    '\u{10ffff}',
    '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  ],
  ...[
    '\u202etxet',
    'z\u0301\u0302\u0303\u0304'.repeat(40),
    '\u1e9e',
    '\u0130',
    '\u0130'.repeat(100),
    '\ufb03',
    'e\u0301',
    '\u00e9',
    '\u212b',
  ],
  ...['\u200b', '\u3164', '\u00ad', '\u0660\u0661', '１２', '\u{1d7d8}', 'ⅷ', '½'],
  ...[
    "'; drop table boards; --",
    '" or ""="',
    '\\',
    '\\u0000',
    '%',
    '%00',
    '%s%n',
    '#{7*7}',
    '{{7*7}}',
    '`id`',
    '$(id)',
    '../../etc/passwd',
  ],
  ...[
    'null',
    'undefined',
    'true',
    'NaN',
    'Infinity',
    '-0',
    '0x10',
    '1e5',
    '1_000',
    '١',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
  ],
  ...[
    'me',
    'all',
    '*',
    '_',
    '-',
    '--',
    'a--b',
    '-a',
    'A',
    'a b',
    'con',
    'admin',
    '@',
    'a@b',
    'a@b@c',
    'x'.repeat(65),
    'x'.repeat(101),
    'x'.repeat(2_001),
  ],
  ...[
    '\ud83d\ude00'.repeat(64),
    '\ud83d\ude00'.repeat(65),
    'ß'.repeat(254),
    'x'.repeat(9_000),
    `${'a'.repeat(200)}@${'b'.repeat(200)}.example`,
  ],
  ...[
    '2030-02-31T00:00:00Z',
    '2030-01-01',
    '2030-01-01T25:00:00Z',
    '2030-01-01T00:00:60Z',
    '0000-01-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
  ],
  ...[
    '+275760-09-13T00:00:00.000Z',
    '9999-12-31T23:59:59.999-23:59',
    '1969-12-31T23:59:59Z',
    '2030-01-01T00:00:00+24:00',
    '2030-01-01T00:00:00.1234567890Z',
  ],
  ...[
    'http://',
    'javascript:alert(1)',
    'http://[::1',
    'https://例え.テスト/ä?ö#ü',
    'ftp://x',
    'http:x',
    `https://x/${'y'.repeat(2_001)}`,
  ],
  ...[
    'Europe/Berlin',
    'Europe/Nowhere',
    'UTC',
    'Etc/GMT+12',
    '+02:00',
    'europe/berlin',
    'de',
    'DE',
    'xx',
    'ÄÖ',
  ],
];

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

const ODD_JSON: readonly string[] = [
  ...[
    'null',
    'true',
    'false',
    '0',
    '-0',
    '1',
    '-1',
    '0.1',
    '1.5',
    '1e400',
    '-1e400',
    '1e308',
    '1.7976931348623159e308',
    '5e-324',
    '1e-400',
  ],
  ...[
    '2147483647',
    '2147483648',
    '9007199254740991',
    '9007199254740993',
    `1${'0'.repeat(400)}`,
    `0.${'0'.repeat(400)}1`,
    '1E5',
    '-1e-7',
  ],
  ...[
    '[]',
    '{}',
    '[[]]',
    '[null]',
    '[{}]',
    '[1,"a",null,true]',
    '{"a":1}',
    '{"a":1,"a":"2"}',
    '{"":0}',
    '{"\\u0000":1}',
    '{"\\ud800":1}',
  ],
  ...[
    '{"__proto__":{"admin":true}}',
    '{"constructor":{"prototype":{"x":1}}}',
    '{"toString":1,"valueOf":2,"hasOwnProperty":3,"then":4}',
  ],
  ...[
    '{"a":{"b":{"c":"\\u0000"}}}',
    '["\\ud800"]',
    `[${'"t",'.repeat(40)}"t"]`,
    `["${'x'.repeat(65)}"]`,
    `{"k":"${'v'.repeat(1_030)}"}`,
  ],
  ...[
    `{"k":"${'v'.repeat(8_200)}"}`,
    `{${Array.from({ length: 300 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
    '"\\u0061"',
    '"\\/"',
  ],
];

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
