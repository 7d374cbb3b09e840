import 'reflect-metadata';
import { contractSchema } from '../src/contract.js';
import { restApi } from '../src/rest/middleware.js';
import { RouteRunner } from '../src/rest/run.js';
import { Loaders } from '../src/graph/loader.js';
async function main() {
  const schema = await contractSchema();
  const t0 = performance.now();
  const api = restApi(schema);
  console.log('restApi', (performance.now() - t0).toFixed(0), 'ms');
  const caller = { kind: 'client', accountId: 'acc_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c1d', gameId: 'gam_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c1d', deviceId: 'dev_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c1d', identityId: 'ide_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c1d', sessionId: 'ses_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c1d', testMode: false, version: 1 };
  const ctx = { caller, clock: Date.now, loaders: new Loaders(undefined as never), responseHeaders: {} } as never;
  const find = (op: string) => new RouteRunner(api.view, api.routes.find((r) => r.route.operation === op)!);
  // Submission with the resolver replaced by one that answers at once: what REST itself costs.
  const submit = find('SubmitScore');
  const score = { id: 'scr_1', accountId: 'a', gameId: 'g', boardId: 'b', identityId: 'i', playerName: 'n', value: 1, valueDisplay: null, metadata: { a: 1 }, rank: 3, status: 'active', isTest: false, isPlaceholder: false, createdAt: new Date(), updatedAt: new Date() };
  const nodes = Array.from({ length: 50 }, () => score);
  const page = { nodes, edges: [], count: 50, entryCount: 50, pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: null, endCursor: 'x' } };
  const body = { board_id: 'brd_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c1d', player_name: 'Ann', value: 12, metadata: { a: 1 } };
  const time = async (name: string, f: () => Promise<unknown>) => {
    for (let i = 0; i < 3000; i++) await f();
    const n = 10000, t = process.cpuUsage();
    for (let i = 0; i < n; i++) await f();
    const u = process.cpuUsage(t);
    console.log(name.padEnd(40), ((u.user + u.system) / n).toFixed(1), 'us');
  };
  for (let k = 0; k < 2; k++) {
    await time('nonce (real)', () => find0.run(ctx, [], {}, undefined));
    const field = submit.rest.field; 
    (field as any).resolve = () => ({ score });
    await time('submit, resolver stubbed', () => submit.run(ctx, [], {}, body));
    (list.rest.field as any).resolve = () => page;
    await time('list of 50, resolver stubbed', () => list.run(ctx, [], { board_id: 'brd_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c1d', limit: '50' }, undefined));
    const r: any = await list.run(ctx, [], { board_id: 'brd_x', limit: '50' }, undefined);
    await time('stringify list of 50', async () => JSON.stringify(r));
  }
}
import * as _ from 'graphql';
let find0: RouteRunner, list: RouteRunner;
(async () => { const schema = await contractSchema(); const api = restApi(schema); find0 = new RouteRunner(api.view, api.routes.find((r) => r.route.operation === 'GetNonce')!); list = new RouteRunner(api.view, api.routes.find((r) => r.route.operation === 'ListClientScores')!); await main(); })();
