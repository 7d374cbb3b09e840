import { setImmediate } from 'node:timers/promises';
import { linesOf, MOST_COLUMNS } from '../../src/scores/imports/lines.js';

test('all of a chunk is parsed in turns with other work, lines of other cells than columns at its end, too', async () => {
  const faults = new Set<string | undefined>();
  let [lines, most, reading] = [0, 0, true];
  const others = (async () => {
    while (reading) {
      const before = lines;
      await setImmediate();
      most = Math.max(most, lines - before);
    }
  })();
  for await (const { fault } of linesOf('csv', `external_key,value\n${'p\n'.repeat(5_000)}`)) {
    faults.add(fault);
    // A reader that lets others work: meanwhile the rest would arrive.
    for (let turn = 0; lines === 0 && turn < 200; turn += 1) await setImmediate();
    lines += 1;
  }
  reading = false;
  await others;
  expect([...faults]).toEqual(['has 1 cells for 2 columns']);
  expect(lines).toBe(5_000);
  // Each takes some 80 µs.
  expect(most).toBeLessThan(1_000);
});

async function read(content: string): Promise<Record<string, unknown>[]> {
  const read = [];
  for await (const { values } of linesOf('csv', content)) read.push(values);
  return read;
}

test('a record has so many columns, and ends in time, however it is written', async () => {
  const more = ','.repeat(MOST_COLUMNS - 2);
  expect(await read(`external_key,value${more}`.replace(/,(?=,|$)/g, () => `,${Math.random()}`))).toEqual([]);
  for (const line of ['external_key', 'external_key,value\np']) {
    await expect(read(`${line}${more},,`)).rejects.toThrow(`more than ${MOST_COLUMNS} columns`);
    await expect(read(`${line}${','.repeat(1 << 18)}`)).rejects.toThrow(/^line \d is longer than/);
    await expect(read(`${line}${'\n'.repeat(1 << 18)}`)).resolves.toBeDefined();
  }
  await expect(read(`external_key,metadata\np,"${'x'.repeat(70_000)}"\n`)).rejects.toThrow(/Max Record Size/);
  // Twice as long where it is written.
  const metadata = '"'.repeat(60_000);
  expect(await read(`external_key,metadata\np,"${metadata.replaceAll('"', '""')}"\n`)).toEqual([
    { external_key: 'p', metadata },
  ]);
});
