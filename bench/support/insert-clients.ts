import pg from 'pg';
import { serveJobs } from './child.js';

export interface InsertJob {
  connectionString: string;
  clients: number;
  seconds: number;
}

const INSERT = {
  name: 'insert',
  text: 'insert into single_inserts (player, value, at) values ($1, $2, now())',
};
const PLAYER = '01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c1d';

/** Returns commits per second. */
serveJobs(async ({ connectionString, clients, seconds }: InsertJob) => {
  const connections = Array.from({ length: clients }, () => new pg.Client({ connectionString }));
  await Promise.all(connections.map((client) => client.connect()));
  const started = performance.now();
  const end = started + seconds * 1_000;
  let commits = 0;
  await Promise.all(
    connections.map(async (client) => {
      while (performance.now() < end) {
        await client.query({ ...INSERT, values: [PLAYER, Math.floor(Math.random() * 1_000_000)] });
        commits += 1;
      }
    }),
  );
  const elapsed = (performance.now() - started) / 1_000;
  await Promise.all(connections.map((client) => client.end()));
  return commits / elapsed;
});
