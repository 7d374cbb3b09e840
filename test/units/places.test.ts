import { copyFileSync, mkdtempSync, renameSync, rmSync, truncateSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { isPublic, subscriberOf } from '../../src/base/ip-address.js';
import { Places } from '../../src/server/auth/origin.js';
import { until } from '../support/wait.js';

const FILES = path.resolve(__dirname, '../fixtures/place');
const folder = mkdtempSync(path.join(os.tmpdir(), `leaderboard-test-${process.pid}-`));
afterAll(() => rmSync(folder, { recursive: true }));

const NOWHERE = { city: null, country: null, timezone: null };
const copied = (name: string, file: string) => {
  copyFileSync(path.join(FILES, name), `${file}.new`);
  renameSync(`${file}.new`, file);
};

test('a half written or missing file changes nothing until there is a whole one again', async () => {
  const file = path.join(folder, 'places.mmdb');
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const logged = (sentence: string) => lines.filter((line) => line.includes(sentence)).length;
  copied('GeoLite2-Country-Test.mmdb', file);
  const places = await Places.open(file, log);
  try {
    expect(places.find('81.2.69.142')).toEqual({ city: null, country: 'GB', timezone: null });
    truncateSync(file, 5_000);
    await until(() => logged('still using the previous one') === 1);
    expect(places.find('81.2.69.142').country).toBe('GB');
    rmSync(file);
    expect(places.find('81.2.69.142').country).toBe('GB');
    copied('GeoIP2-City-Test.mmdb', file);
    await until(() => logged('loaded the GeoIP database') === 2);
    expect(places.find('81.2.69.142')).toEqual({ city: 'London', country: 'GB', timezone: 'Europe/London' });
  } finally {
    places.close();
  }
});

test('records that cannot be read are logged once and make nothing fail', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const places = await Places.open(path.join(FILES, 'GeoIP2-City-Test-Broken-Double-Format.mmdb'), log);
  for (const address of ['2001:220::1', '81.2.69.142', 'fe80::1%eth0', 'nonsense']) places.find(address);
  places.close();
  expect(lines.length).toBeLessThanOrEqual(1);
  expect((await Places.open(undefined, log)).find('81.2.69.142')).toEqual(NOWHERE);
});

test('a look-up costs next to nothing', async () => {
  const places = await Places.open(path.join(FILES, 'GeoIP2-City-Test.mmdb'), pino({ level: 'silent' }));
  const rounds = 20_000;
  const before = process.cpuUsage();
  for (let n = 0; n < rounds; n += 1) places.find(n % 2 ? '81.2.69.142' : `203.0.${n % 250}.${n % 240}`);
  const { user, system } = process.cpuUsage(before);
  const micros = (user + system) / rounds;
  places.close();
  process.stderr.write(`places: ${micros.toFixed(2)} µs of CPU a look-up\n`);
  expect(micros).toBeLessThan(100);
});

test.each([
  ['203.0.113.9', true],
  ['8.8.8.8', true],
  ['2001:db8::1', true],
  ['127.0.0.1', false],
  ['10.255.0.1', false],
  ['172.31.0.1', false],
  ['172.32.0.1', true],
  ['192.168.1.1', false],
  ['100.64.0.1', false],
  ['::1', false],
  ['fd12::1', false],
  ['fe80::1%eth0', false],
])('%s is public: %s', (address, expected) => {
  expect(isPublic(address)).toBe(expected);
});

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:0DB8::', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('%s stands for %s', (address, expected) => {
  expect(subscriberOf(address)).toBe(expected);
});
