import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Data } from '../support/http.js';

// What the audit log of the console says of every kind of entry, beside a kept file that a person has read. `KEEP=1` writes it anew.

type Sentences = typeof import('../../web/console/screens/audit/sentence.js');
const { authorOf, rowsOf, subjectOf, valueText, verbOf } =
  require('../../web/console/screens/audit/sentence') as Sentences;

const KEPT = path.resolve(__dirname, '../fixtures/audit-sentences.txt');
const SCHEMA = readFileSync(path.resolve(__dirname, '../../schema/schema.graphql'), 'utf8');
const ACTIONS = [
  ...(/enum AuditAction \{(.*?)\n\}/s.exec(SCHEMA)?.[1] ?? '').matchAll(/^ {2}([A-Z_]+)$/gm),
].map(([, name]) => name!);

const player = { id: 'ide_1', displayName: 'Quentin', game: { slug: 'sky' } };
const SUBJECTS: Record<string, [id: string, subject: Data | null]> = {
  flag: ['flg_1', { __typename: 'ScoreFlag', identity: player }],
  review: ['rev_1', { __typename: 'IdentityReview', identity: player }],
  player: ['ide_1', { __typename: 'Identity', ...player }],
  device: ['dev_1', { __typename: 'Device', platform: 'ios' }],
  user: ['usr_1', { __typename: 'User', displayName: 'Mara' }],
  board: ['brd_1', { __typename: 'Board', name: 'Sky race' }],
  template: ['tpl_1', { __typename: 'BoardTemplate', name: 'Weekly' }],
  game: ['gam_1', { __typename: 'Game', name: 'Sky' }],
  key: ['key_1', { __typename: 'ApiKey', name: 'Deploy' }],
  account: ['acc_1', { __typename: 'Account', name: 'Lantern Works' }],
  reward: ['rwd_1', { __typename: 'Reward', title: 'Golden plane', line: 'gold', identity: player }],
  endpoint: ['whk_1', { __typename: 'WebhookEndpoint', name: 'Backend' }],
  provider: ['idp_1', null],
  merge: ['mrg_1', null],
  import: ['imp_1', { __typename: 'ScoreImport', board: { name: 'Sky race' } }],
  'deleted board': ['brd_2', null],
};
/** The subjects of an action; others are about any record. */
const OF: [RegExp, string[]][] = [
  [/^FLAG_/, ['flag']],
  [/^COMMENT_|^TRUST_|^IDENTITY_|^FRIENDS_|^PLAYER_/, ['player']],
  [/^RUNS_/, ['review']],
  [/^(PASS|VERDICTS)_/, ['board']],
  [/^PLAYERS_/, ['merge']],
  [/^DEVICE_/, ['device']],
  [/^(ADDRESS_|ROLE_)/, ['user']],
  [/^(SIGNED_|SIGN_)/, ['provider']],
  [/^WEBHOOK/, ['endpoint']],
  [
    /^RECORD_/,
    ['player', 'user', 'board', 'template', 'game', 'key', 'account', 'endpoint', 'deleted board'],
  ],
  [/^GAME_/, ['game']],
  [/^REWARD_/, ['reward']],
  [/^SCORES_/, ['import']],
  [/^DATA_/, ['account', 'player']],
];
/** The values that a sentence depends on. */
const AFTER: Record<string, (Data | null)[]> = {
  FLAG_REVIEWED: ['pending', 'confirmed_cheat', 'false_positive', 'dismissed'].map((status) => ({ status })),
  DEVICE_STATUS_CHANGED: ['active', 'banned', 'suspended'].map((status) => ({ status })),
  TRUST_TIER_CHANGED: [{ trustTier: 'a' }, { trustTier: null }],
  RECORD_CREATED: [{ name: 'New' }, { status: 'invited' }],
  RECORD_CHANGED: [
    ...[{ name: 'New' }, { isActive: false }, { isPublished: true }, { status: 'revoked' }],
    { name: 'New', unit: 'points' },
    { name: 'New', unit: 'points', icon: 'x', tags: [] },
  ],
  DATA_EXPORTED: [{ what: 'identity' }, { what: 'audit' }, { what: 'events' }],
};

const BOARDS = ['board', 'template'];

/** True if a record of the kind can change so. */
function isPossible(kind: string, after: Data | null): boolean {
  if (after?.status === 'invited') return kind === 'user';
  if (after?.status === 'revoked') return kind === 'key';
  return (after?.isPublished ?? after?.isActive) === undefined || BOARDS.includes(kind);
}

function sentence(entry: Data): string {
  return `${authorOf(entry as never)} ${verbOf(entry as never)} ${subjectOf(entry as never).text}`;
}

function allSentences(): string[] {
  return ACTIONS.flatMap((action) => {
    const kinds = OF.find(([pattern]) => pattern.test(action))?.[1] ?? Object.keys(SUBJECTS);
    const lines = kinds.flatMap((kind) =>
      (AFTER[action] ?? [null])
        .filter((after) => !action.startsWith('RECORD_') || isPossible(kind, after))
        .map((after) => {
          const [subjectId, subject] = SUBJECTS[kind]!;
          const by = { by: 'USER', userName: 'Jonas', userId: 'usr_9', agent: null };
          return sentence({ ...by, action, before: null, after, subjectId, subject });
        }),
    );
    return [`# ${action}`, ...new Set(lines)];
  });
}

test('every kind of entry is a sentence that somebody has read', () => {
  expect(ACTIONS.length).toBeGreaterThan(30);
  const lines = `${allSentences().join('\n')}\n`;
  if (process.env.KEEP) writeFileSync(KEPT, lines);
  expect(lines).not.toMatch(/undefined|null|\[object|[{}]/);
  expect(lines).toBe(readFileSync(KEPT, 'utf8'));
});

test('values are words, whatever they hold', () => {
  const moment = () => '1 Jan';
  const rules = [{ view: 'weekly', settle_minutes: 60, prizes: null, lines: [{ title: 'Gold' }] }];
  expect(valueText(rules, moment)).toBe('view: weekly, settle minutes: 60, lines: title: Gold');
  expect(
    [[], {}, null, '', false, 1234, ['a', 'b'], '2030-01-01T00:00:00.000Z'].map((one) =>
      valueText(one, moment),
    ),
  ).toEqual(['none', 'none', 'none', 'none', 'off', '1,234', 'a; b', '1 Jan']);
});

test('automatic entries in turn are one row', () => {
  const by = (...kinds: string[]) =>
    rowsOf(kinds.map((kind) => ({ by: kind })) as never).map(({ length }) => length);
  expect(by('USER', 'JOB', 'JOB', 'JOB', 'USER', 'JOB', 'USER', 'USER')).toEqual([1, 3, 1, 1, 1, 1]);
});
