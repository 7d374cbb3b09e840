import { checkedGame } from '../../../../test/support/checked-game.js';
import type { Caller } from '../../../../test/support/http.js';
import { standings } from '../../../../test/support/play.js';
import { recordedRuns } from '../../../../test/support/recorded.js';
import { Terminal } from '../../../../test/support/terminal.js';

// Verdicts from a terminal: passes requested, previewed, applied and undone, and a verifier taken back.

const { on, session, board } = checkedGame();
const { record, verifier, give } = recordedRuns(on);

let terminal: Terminal;
let by: Caller;
beforeAll(async () => {
  by = await verifier();
  terminal = new Terminal({ LEADERBOARD_API: on.app.url });
  const key = on.studio.admin.headers['service-api-key'];
  expect(await terminal.run(['login'], { input: `${key}\n` })).toMatchObject({ code: 0, stderr: '' });
});
afterAll(() => terminal.close());

test('a pass is requested, previewed, applied and undone, and verdicts are taken back', async () => {
  const t = terminal;
  const { id, shortCode } = await board({
    ...{ recordings: {}, verdicts: { mode: 'DECIDE', verifyTop: 0, confirmed: true } },
  });
  const ranks = () => standings(on.studio.admin, id);
  const events = [await record(await session(), id, 20), await record(await session(), id, 10)];
  const pass = await t.json('boards', 'reverify', shortCode);
  expect(pass).toMatchObject({ status: 'sending', recording_count: 2 });
  await on.app.app.jobs.run('verification-passes');
  await give(by, events[0]!, 'rejected', { pass_id: pass.id });
  expect(await t.out('boards', 'passes', shortCode)).toContain(pass.id);

  const shown = await t.json('boards', 'apply-pass', pass.id, '--dry-run');
  expect([shown.effect.runs, await ranks()]).toEqual([1, ['1 Ann 20', '2 Ann 10']]);
  // Nobody can be asked.
  expect((await t.run(['boards', 'apply-pass', pass.id])).code).toBe(2);
  expect(await t.json('boards', 'apply-pass', pass.id, '--yes')).toMatchObject({
    verification_pass: { status: 'applied' },
  });
  expect(await ranks()).toEqual(['1 Ann 10']);
  expect(await t.json('boards', 'undo-pass', pass.id, '--yes')).toMatchObject({ status: 'undone' });
  expect(await ranks()).toEqual(['1 Ann 20', '2 Ann 10']);
  expect((await t.run(['boards', 'apply-pass', pass.id, '--yes'])).code).toBe(1);

  await give(by, events[1]!, 'rejected');
  expect(await ranks()).toEqual(['1 Ann 20']);
  const dry = await t.json('boards', 'undo-verdicts', shortCode, 'arcade', '--dry-run');
  expect([dry.undone_count, await ranks()]).toEqual([2, ['1 Ann 20']]);
  const undone = await t.json('boards', 'undo-verdicts', shortCode, 'arcade', '--yes');
  expect([undone.undone_count, await ranks()]).toEqual([2, ['1 Ann 20', '2 Ann 10']]);
});
