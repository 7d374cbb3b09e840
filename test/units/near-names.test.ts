import { withNearNames } from '../../src/rest/request/faults.js';

const KNOWN = new Set(['board_id', 'player_name', 'value', 'display_name', 'metadata']);

function hint(wanted: string, given: string): string | undefined {
  const missing = { loc: ['body', wanted], msg: 'is required', type: 'missing' };
  const [detail] = withNearNames([missing], { [given]: 1, metadata: {} }, KNOWN);
  return /"(.*?)"/.exec(detail!.msg)?.[1];
}

test('a missing member names the unknown one that was probably meant', () => {
  for (const [wanted, given] of [
    ['value', 'score'],
    ['value', 'Value'],
    ['value', 'vlaue'],
    ['player_name', 'name'],
    ['player_name', 'playerName'],
    ['player_name', 'nickname'],
    ['board_id', 'boardId'],
    ['board_id', 'board'],
    ['board_id', 'leaderboard_id'],
    ['refresh_token', 'token'],
  ] as const) {
    expect([wanted, given, hint(wanted, given)]).toEqual([wanted, given, given]);
  }
});

test('distant, known and invalid names are not suggested', () => {
  for (const [wanted, given] of [
    ['value', 'name'],
    ['value', 'metadata'],
    ['player_name', 'display_name'],
    ['board_id', 'id'],
    ['board_id', 'game'],
    ['value', 'sco\u0007re'],
    ['value', 'x'.repeat(65)],
  ] as const) {
    expect([wanted, given, hint(wanted, given)]).toEqual([wanted, given, undefined]);
  }
});

test('a body of very many names is not searched', () => {
  const names = Array.from({ length: 5_000 }, (_, n) => [`unknown_${n}`, n]);
  const missing = { loc: ['body', 'value'], msg: 'is required', type: 'missing' };
  const body = Object.fromEntries([...names, ['score', 1]]);
  expect(withNearNames([missing], body, KNOWN)).toEqual([missing]);
});
