import { setImmediate } from 'node:timers/promises';
import type { ImportFormat } from '../../src/scores/imports/import.js';
import { linesOf, MOST_COLUMNS } from '../../src/scores/imports/lines.js';

test.each([
  // Lines of other cells than columns at its end, too.
  ['csv', `external_key,value\n${'p\n'.repeat(5_000)}`, 5_000, 'has 1 cells for 2 columns'],
  [
    'ndjson',
    `${JSON.stringify({ external_key: 'p', tags: Array(500).fill(1) })}\n`.repeat(5_000),
    5_000,
    undefined,
  ],
] as const)(
  'all of a chunk of %s is parsed in turns with other work',
  async (format, content, count, fault) => {
    const faults = new Set<string | undefined>();
    let [lines, most, reading] = [0, 0, true];
    const others = (async () => {
      while (reading) {
        const before = lines;
        await setImmediate();
        most = Math.max(most, lines - before);
      }
    })();
    for await (const line of linesOf(format, content)) {
      faults.add(line.fault);
      // A reader that lets others work: meanwhile the rest would arrive.
      for (let turn = 0; lines === 0 && turn < 200; turn += 1) await setImmediate();
      lines += 1;
    }
    reading = false;
    await others;
    expect([...faults]).toEqual([fault]);
    expect(lines).toBe(count);
    expect(most).toBeLessThan(count / 2);
  },
);

async function read(content: string, format: ImportFormat = 'csv'): Promise<Record<string, unknown>[]> {
  const read = [];
  for await (const { values } of linesOf(format, content)) read.push(values);
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

test('columns that are not read are not kept', async () => {
  const csv = 'external_key,note,value\np,x,1\n';
  expect(await read(csv)).toEqual([{ external_key: 'p', value: '1' }]);
  expect(await read('{"external_key":"p","note":"x","value":1}', 'ndjson')).toEqual([
    { external_key: 'p', value: 1 },
  ]);
});
