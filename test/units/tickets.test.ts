import { idOf, uuid7 } from '../../src/base/ids.js';
import { RunTickets, type TicketBody } from '../../src/players/tickets/ticket.js';

const SECRET = { keySecret: 'a secret of thirty-two characters' };
const tickets = new RunTickets(SECRET);
const NOW = Date.parse('2026-03-01T12:00:00Z');
const END = NOW + 3_600_000;

function holder() {
  return {
    deviceId: idOf('device', uuid7()),
    gameId: idOf('game', uuid7()),
    boardId: idOf('board', uuid7()),
  };
}

const OWN = holder();

function ticket(more: Partial<TicketBody> = {}): TicketBody {
  return {
    ...{
      uuid: RunTickets.newId(END),
      issuedAt: NOW,
      expiresAt: new Date(END),
      isTest: false,
      advance: false,
    },
    ...{ seed: 'run', terms: 0xfedc_ba98, period: 4_000_000_000, attempt: 100, gameVersion: '1.4.2' },
    ...more,
  };
}

const sign = (one: TicketBody) => tickets.sign(RunTickets.bodyOf(one), OWN);
const read = (text: string, to = OWN, isTest = false, now = NOW) => tickets.read(text, to, isTest, now);

test.each<[string, Partial<TicketBody>]>([
  ['everything', {}],
  ['no version', { gameVersion: null, seed: 'none', attempt: 0, period: 0, terms: 0 }],
  ['the longest version', { gameVersion: 'é'.repeat(16), seed: 'period', advance: true }],
])('a ticket says what it was issued with: %s', (_, more) => {
  const one = ticket(more);
  const text = sign(one);
  expect(read(text)).toEqual(one);
  expect(text).toMatch(/^tkt_[\w-]{64,107}$/);
});

test('every changed character is refused, and every changed byte', () => {
  for (const gameVersion of [null, '1', '1.4', '1.4.2']) {
    const text = sign(ticket({ gameVersion }));
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (let i = 4; i < text.length; i += 1) {
      for (const other of alphabet) {
        if (other === text[i]) continue;
        const changed = text.slice(0, i) + other + text.slice(i + 1);
        expect([i, other, read(changed)]).toEqual([i, other, { fault: 'TICKET_INVALID' }]);
      }
    }
    for (const more of [
      text.slice(0, -1),
      `${text}A`,
      `${text}=`,
      text.slice(0, 40),
      text.replace('tkt_', 'tkt'),
    ])
      expect(read(more)).toEqual({ fault: 'TICKET_INVALID' });
    const bytes = Buffer.from(text.slice(4), 'base64url');
    for (let i = 0; i < bytes.length; i += 1) {
      for (let bit = 1; bit < 256; bit *= 2) {
        const changed = Buffer.from(bytes);
        changed[i]! ^= bit;
        expect(read(`tkt_${changed.toString('base64url')}`)).toEqual({ fault: 'TICKET_INVALID' });
      }
    }
  }
});

test('a ticket is good for its device, game, board, population, secret and time', () => {
  const text = sign(ticket());
  const other = holder();
  for (const name of ['deviceId', 'gameId', 'boardId'] as const)
    expect(read(text, { ...OWN, [name]: other[name] })).toEqual({ fault: 'TICKET_INVALID' });
  expect(read(text, OWN, true)).toEqual({ fault: 'TICKET_INVALID' });
  expect(read(sign(ticket({ isTest: true })), OWN, true)).toMatchObject({ isTest: true });
  const later = new RunTickets({ keySecret: 'another secret of thirty-two chars' });
  expect(later.read(text, OWN, false, NOW)).toEqual({ fault: 'TICKET_INVALID' });
  expect(read(text, OWN, false, END - 1)).toMatchObject({ attempt: 100 });
  expect(read(text, OWN, false, END)).toEqual({ fault: 'TICKET_EXPIRED' });
});

test('seeds fit 31 bits; runs of a period share one, on their board and with their secret', () => {
  const seedOf = (more: Partial<TicketBody>, boardId = OWN.boardId) => tickets.seedOf(ticket(more), boardId);
  const ofRuns = Array.from({ length: 1_000 }, () => seedOf({})!);
  expect(new Set(ofRuns).size).toBe(1_000);
  expect(ofRuns.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31)).toBe(true);
  expect(ofRuns.some((seed) => seed >= 2 ** 30)).toBe(true);
  expect(seedOf({ seed: 'none' })).toBeNull();
  const first = seedOf({ seed: 'period', period: 1 });
  expect([seedOf({ seed: 'period', period: 1 }), seedOf({ seed: 'period', period: 2 }) === first]).toEqual([
    first,
    false,
  ]);
  expect(seedOf({ seed: 'period', period: 1 }, holder().boardId)).not.toBe(first);
  const rotated = new RunTickets({ keySecret: 'another secret of thirty-two chars' });
  expect(rotated.seedOf(ticket({ seed: 'period', period: 1 }), OWN.boardId)).not.toBe(first);
});
