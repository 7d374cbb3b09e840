import { ServerCpu } from './cpu.js';
import type { ServiceProcess } from './service-process.js';
import { median } from './statistics.js';
import { millis, times } from './table.js';

const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ');

/** Documents of a stranger, each refused. Within the limit of tokens, as many errors or comparisons as fit. */
const DOCUMENTS: [string, string][] = [
  ['400 unknown types', `query (${many(400, (i) => `$v${i}: Boardxx${i}`)}) { __typename }`],
  ['900 unknown fields', `{ ${many(900, (i) => `boardx${i}`)} }`],
  ['400 unknown arguments', `{ board(${many(400, (i) => `boardId${i}: 1`)}) { id } }`],
  [
    '600 aliases of two names',
    `{ publicBoard(by: { shortCode: "A" }) { ${many(600, (i) => (i % 2 ? 'a: slug' : 'a: name'))} } }`,
  ],
  [
    '800 fields of two types',
    `{ node(id: "x") { ... on Game { ${many(400, () => 'slug')} } ... on BoardTemplate { ${many(400, () => 'slug')} } } }`,
  ],
];

/** CPU of refused documents beside one with a single error, in alternating slices. */
export async function faultyDocuments(service: ServiceProcess, pairs: number, requests: number) {
  const cpu = ServerCpu.of(service.pid)!;
  let texts = 0;
  const refuse = async (query: string) => {
    // Each text is new to the service.
    texts += 1;
    const body = JSON.stringify({ query: `${query} # ${texts}` });
    const answer = await fetch(`http://127.0.0.1:${service.port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await answer.arrayBuffer();
    if (answer.status !== 400) throw new Error(`${answer.status} is no refusal`);
  };
  const slice = async (query: string) => {
    const before = cpu.used();
    for (let n = 0; n < requests; n += 1) await refuse(query);
    return (cpu.used() - before) / requests / 1_000;
  };
  const single = '{ nothing }';
  const rows: string[][] = [];
  for (const [name, document] of DOCUMENTS) {
    const [small, large]: [number[], number[]] = [[], []];
    await slice(single);
    await slice(document);
    for (let n = 0; n < pairs; n += 1) {
      small.push(await slice(single));
      large.push(await slice(document));
    }
    const ratio = median(large.map((used, n) => used / small[n]!));
    rows.push([name, String(document.length), millis(median(small)), millis(median(large)), times(ratio)]);
  }
  return rows;
}
