import type { Operator } from '../operator.js';
import type { Player } from '../players.js';
import { Random } from '../random.js';
import * as documents from './documents.js';

const HOUR_MS = 3_600_000;
const PLAYED_MS = 28 * 24 * HOUR_MS;
/** Lines of a chunk, and pause between two looks at an import. */
const LINES = 5_000;
const LOOK_MS = 50;

/**
 * Plants a score of each player within the last weeks, by an import. Nothing when the board has had one.
 * @returns waits until the board shows it
 */
export async function plantMultitude(
  operator: Operator,
  boardId: string,
  players: Player[],
  value: (index: number, random: Random) => number,
): Promise<() => Promise<void>> {
  const { board } = await operator.run<{ board: { scoreImports: { nodes: unknown[] } } }>(
    documents.LIST_IMPORTS,
    {
      boardId,
    },
  );
  if (board.scoreImports.nodes.length > 0) return async () => undefined;
  const { createScoreImport } = await operator.run<{ createScoreImport: { scoreImport: { id: string } } }>(
    documents.BEGIN_IMPORT,
    { boardId },
  );
  const { id } = createScoreImport.scoreImport;
  const random = new Random(players.length);
  const until = operator.time - HOUR_MS;
  const lines = players.map((player, i) =>
    JSON.stringify({
      external_key: player.fingerprint,
      identity_kind: 'device',
      player_name: player.name,
      value: value(i, random),
      occurred_at: new Date(until - Math.round(random.next() * PLAYED_MS)).toISOString(),
    }),
  );
  for (let from = 0; from < lines.length; from += LINES) {
    const content = lines.slice(from, from + LINES).join('\n');
    const input = { number: from / LINES, format: 'NDJSON', content };
    await operator.run(documents.ADD_CHUNK, { input: { id, ...input } });
  }
  await operator.run(documents.FINISH_IMPORT, { id });
  return async () => {
    let status = '';
    while (status !== 'FINISHED') {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      const { scoreImport } = await operator.run<{ scoreImport: { status: string } }>(
        documents.IMPORT_STATUS,
        { id },
      );
      status = scoreImport.status;
    }
  };
}
