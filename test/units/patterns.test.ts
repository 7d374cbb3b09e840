import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from '@swc/core';

const SRC = path.resolve(__dirname, '../../src');

const LENGTH = 4_000;
/** A pattern that reads every character a few times takes a fiftieth of that. */
const LONG_MS = 1.5;
/** Four times as much to read: four times the work, sixteen where it is quadratic. */
const GROWTH = 8;
/** A pattern under suspicion is tried as often. */
const TIMES = 10;

interface Pattern {
  file: string;
  source: string;
  flags: string;
}

/** Every regular expression that is written in the service's sources. */
function patterns(): Pattern[] {
  const found: Pattern[] = [];
  for (const file of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const text = readFileSync(path.join(SRC, file), 'utf8');
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      const { type, pattern, flags } = node as Record<string, string>;
      if (type === 'RegExpLiteral') found.push({ file, source: pattern!, flags: flags! });
      Object.values(node).forEach(visit);
    };
    visit(parseSync(text, { syntax: 'typescript', decorators: true }));
  }
  return found;
}

const PUMPS = [...' \ta1A-_./,:;%@+`"{}(<\\\né=#', '-a', 'a.', 'a ', ' ,', '1.', '/a'];
const ENDS = ['', '\u0001', 'x', '!'];

/** Texts that make a pattern try again and again: what it begins with, one piece over and over, and what it cannot end with. */
function* attacks({ source }: Pattern): Generator<(length: number) => string> {
  const head = (/^\^?((?:[\w /:"@-]|\\[/.])+)/.exec(source)?.[1] ?? '').replaceAll('\\', '');
  for (const start of new Set(['', head])) {
    for (const pump of new Set([...PUMPS, ...source])) {
      for (const end of ENDS) yield (length) => start + pump.repeat(length / pump.length) + end;
    }
  }
}

/** Of the process's own time: the clock goes on while another process has the core. */
function millis(pattern: RegExp, text: string, times: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let n = 0; n < times; n += 1) {
    const from = process.cpuUsage();
    text.replace(pattern, '');
    best = Math.min(best, process.cpuUsage(from).user / 1_000);
  }
  return best;
}

function growth(pattern: RegExp, attack: (length: number) => string): number {
  // The best of some: another process has the core's caches meanwhile.
  const short = millis(pattern, attack(LENGTH), TIMES);
  return short < LONG_MS ? 1 : millis(pattern, attack(4 * LENGTH), TIMES) / short;
}

test('no regular expression takes more than linear time, whatever it reads', () => {
  const found = patterns();
  expect(found.length).toBeGreaterThan(100);
  const slow = found.filter((each) => {
    const pattern = new RegExp(each.source, each.flags);
    for (const attack of attacks(each)) {
      if (millis(pattern, attack(LENGTH), 1) > LONG_MS && growth(pattern, attack) > GROWTH) return true;
    }
    return false;
  });
  expect(slow).toEqual([]);
});
