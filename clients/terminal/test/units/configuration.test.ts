import { YamlFile } from '../../src/configuration/file.js';
import { readContent } from '../../src/configuration/form.js';
import type { FileError } from '../../src/output/failure.js';

/** The faults of a file as `line:column message`. */
function faultsOf(content: string): string[] {
  try {
    readContent(new YamlFile('f', content));
    return [];
  } catch (error) {
    return (error as FileError).faults.map(({ line, column, message }) => `${line}:${column} ${message}`);
  }
}

test.each<[string, string, string[]]>([
  ['no content', '', ['1:1 the file is empty. It must start with "games:"']],
  [
    'no YAML',
    'games: [',
    ['1:9 Flow sequence in block collection must be sufficiently indented and end with a ]'],
  ],
  ['a key twice', 'games:\n  - name: A\n    name: B', ['3:5 Map keys must be unique']],
  [
    'unknown keys and values of other types',
    'games:\n  - name: 2048\n    tag: x\n    boards:\n      - name: A\n        sort_direction: up\n        ends_at: soon\n        short_code: A-1',
    [
      '2:11 must be a text. Put it in quotes',
      '3:5 unknown field "tag"',
      '6:25 must be one of asc, desc',
      '7:18 must be a date or a time, like 2030-01-31 or 2030-01-31T18:00:00Z',
      '8:21 is not valid: Short code, unique among all boards, case-insensitive. 3 to 16 letters and digits. Generated if absent.',
    ],
  ],
  [
    'a fault behind an alias, where it is written',
    'games:\n  - name: A\n    anti_cheat_settings: &strict\n      rate_limit: {a: none}\n  - name: B\n    anti_cheat_settings: *strict',
    [
      '4:23 must be "off"',
      '4:23 must be a whole number',
      '4:23 must be "off"',
      '4:23 must be a whole number',
    ],
  ],
  [
    'webhooks that its JSON Schema does not permit',
    `games: []
webhooks:
  - {name: A, url: 'https://x.test', events: [board.closed], format: mail}
  - {name: B, url: x.test, events: [], boards: [{game: A}]}`,
    [
      '3:70 must be one of json, discord, slack',
      `4:20 is not valid: Where requests are sent: https://…, or an environment variable that has it, \${NAME}. If that is not set, a stored address is kept. Addresses of chats and those with a query are secrets, so they must be in a variable.`,
      '4:36 must NOT have fewer than 1 items',
      '4:49 board is missing',
    ],
  ],
  [
    'secrets',
    `games: []
webhooks:
  - {name: A, url: 'https://x.test/?token=1', events: [board.closed]}
  - {name: B, url: 'https://discord.com/1', events: [board.closed], format: discord}
  - {name: C, url: '\${PATH}', events: [board.closed]}
  - {name: D, url: '\${NONE}', events: [board.closed], format: slack}`,
    [
      `3:20 is a secret. Put it in an environment variable and name that here, like \${CHAT_URL}`,
      `4:20 is a secret. Put it in an environment variable and name that here, like \${CHAT_URL}`,
      '5:20 the environment variable PATH is not an address',
    ],
  ],
  ['too much', `games: [${'{name: A}, '.repeat(25_000)}]`, ['1:1 the file is larger than 256 KiB']],
])('a file with %s', (_, content, faults) => {
  expect(faultsOf(content)).toEqual(faults);
});
