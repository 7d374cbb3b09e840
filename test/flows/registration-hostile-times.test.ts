import { startApp, type TestApp } from '../support/app.js';
import { HOUR } from '../support/clock.js';
import { knownUser } from '../support/known-user.js';
import { makeStudio, unique } from '../support/make.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ trustedProxies: ['127.0.0.1'] });
});
afterAll(() => app.close());

const address = (word = 'target') => `${word}${unique()}@example.com`;
const initiate = (email: string) => app.anyone.post('/register/initiate', { email });
const resend = (email: string) => app.anyone.post('/register/resend', { email });
const verify = (email: string, code: string) => app.anyone.post('/register/verify', { email, code });
const report = (sentence: string) => process.stderr.write(`registration: ${sentence}\n`);

/** How often a value of `b` is larger than one of `a`: 0.5 when they cannot be distinguished, 0 or 1 when always. */
function separation(a: number[], b: number[]): number {
  let larger = 0;
  for (const x of a) for (const y of b) larger += y > x ? 1 : y === x ? 0.5 : 0;
  return larger / (a.length * b.length);
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

async function timed(ask: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await ask();
  return performance.now() - begun;
}

/** Takes turns, so that whatever else the machine does falls on all alike. */
async function compared(
  rounds: number,
  kinds: Record<string, (round: number) => Promise<unknown>>,
): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(kinds).map((name) => [name, []]));
  for (let round = -10; round < rounds; round += 1) {
    const turn = Object.entries(kinds);
    if (round % 2) turn.reverse();
    for (const [name, ask] of turn) {
      const time = await timed(() => ask(round));
      if (round >= 0) times[name]!.push(time);
    }
  }
  return times;
}

/** The first kind against each other: they cannot be distinguished by time. */
function expectAlike(door: string, times: Record<string, number[]>): void {
  const [[first, base], ...others] = Object.entries(times) as [[string, number[]], ...[string, number[]][]];
  const figures = others.map(([name, own]) => {
    const apart = separation(base, own);
    // Of 120 each, chance alone leaves it within 0.5 ± 0.04 mostly; what costs a commit more is beyond 0.9.
    expect(apart).toBeGreaterThan(0.3);
    expect(apart).toBeLessThan(0.7);
    return `${name} ${median(own).toFixed(2)} ms (separation ${apart.toFixed(2)})`;
  });
  report(
    `time of ${door}, medians of ${base.length}: ${first} ${median(base).toFixed(2)} ms, ${figures.join(', ')}`,
  );
}

const ROUNDS = 120;

test('the time of initiate does not show whether an address is known', async () => {
  const studio = await makeStudio(app);
  for (let n = -10; n < ROUNDS; n += 1) {
    await knownUser(app, `registered-${n}@time.example.com`, studio.accountId, 'active');
    await knownUser(app, `invited-${n}@time.example.com`, studio.accountId, 'invited');
  }
  const times = await compared(ROUNDS, {
    unknown: (round) => initiate(`newcomer-${round}@time.example.com`),
    registered: (round) => initiate(`registered-${round}@time.example.com`),
    invited: (round) => initiate(`invited-${round}@time.example.com`),
  });
  expectAlike('initiate', times);
  const spent = [address('spent'), `registered-0@time.example.com`] as const;
  for (const email of spent) for (let n = 0; n < 3; n += 1) await initiate(email);
  const refused = await compared(ROUNDS, {
    'unknown beyond its limit': () => initiate(spent[0]),
    'registered beyond its limit': () => initiate(spent[1]),
  });
  expectAlike('initiate', refused);
});

test('the time of verify does not show whether an address has a code', async () => {
  app.clock.advance(HOUR);
  const emails = Array.from({ length: (ROUNDS + 10) / 2 }, (_, n) => `waiting-${n}@time.example.com`);
  for (const email of emails) await initiate(email);
  const times = await compared(ROUNDS, {
    'no code': (round) => verify(`unknown-${round}@time.example.com`, 'AAAAAA'),
    'a code': (round) => verify(emails[(round + 10) % emails.length]!, 'AAAAAA'),
  });
  expectAlike('verify', times);
});

test('the time of resend does not show whether an address is known', async () => {
  app.clock.advance(HOUR);
  const studio = await makeStudio(app);
  for (let n = -10; n < ROUNDS; n += 1) {
    await knownUser(app, `registered-again-${n}@time.example.com`, studio.accountId, 'active');
    await initiate(`waiting-again-${n}@time.example.com`);
  }
  const times = await compared(ROUNDS, {
    unknown: (round) => resend(`unknown-again-${round}@time.example.com`),
    'a code': (round) => resend(`waiting-again-${round}@time.example.com`),
    registered: (round) => resend(`registered-again-${round}@time.example.com`),
  });
  expectAlike('resend', times);
});
