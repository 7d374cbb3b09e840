import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { isRunning, readPidFile } from '../../src/db/embedded/server-process.js';
import { clusterOf, embeddedServers, kill, socketDir } from '../support/embedded-servers.js';
import { aSecond, until } from '../support/wait.js';

const { made, start, owner, connect, ask } = embeddedServers();

/** A promise and the function that resolves it, for the service's callbacks. */
function happening(): { happened: Promise<void>; happens: () => void } {
  let happens: () => void = () => undefined;
  const happened = new Promise<void>((resolve) => {
    happens = resolve;
  });
  return { happened, happens };
}

describe('ownership', () => {
  it('is refused to a second process, and passes with the data when the first is killed', async () => {
    const first = owner(made);
    const owned = await first.report;
    if (!('pid' in owned)) throw new Error(owned.refused);
    await ask(owned.connectionString, 'create table handed_over as select 42 as answer');

    const second = owner(made);
    const refused = await second.report;
    expect(refused).toEqual({ error: 'SetupError', refused: expect.stringContaining(made) });
    expect(refused).toEqual(
      expect.objectContaining({ refused: expect.stringContaining(`process ${first.child.pid}`) }),
    );
    expect(isRunning(owned.pid)).toBe(true);

    // The whole process group at once: the server must not belong to it.
    process.kill(-(first.child.pid ?? Number.NaN), 'SIGKILL');
    await once(first.child, 'exit');
    const before = performance.now();
    const backAgain = happening();
    const heir = await start(made, { onUp: backAgain.happens });
    expect(performance.now() - before).toBeLessThan(3 * aSecond());
    expect(heir).toMatchObject({ adopted: true, pid: owned.pid });
    expect(heir.connectionString()).toBe(owned.connectionString);
    expect(await ask(heir.connectionString(), 'select answer from handed_over')).toEqual([42]);

    // An adopted server is watched like one's own.
    await kill(heir.pid);
    await backAgain.happened;
    expect(heir.pid).not.toBe(owned.pid);
    expect(await ask(heir.connectionString(), 'select answer from handed_over')).toEqual([42]);
    await heir.stop();
    expect(isRunning(heir.pid)).toBe(false);
    expect(existsSync(socketDir(heir.connectionString()))).toBe(false);
  });

  it('is taken again when only its connection ended, without notifying the service', async () => {
    let downs = 0;
    const postgres = await start(made, { onDown: () => (downs += 1) });
    const owners = `select pid from pg_locks join pg_stat_activity using (pid)
                    where locktype = 'advisory' and application_name like 'leaderboard owner%'`;
    const client = await connect(postgres.connectionString());
    const present = async () => (await client.query<{ pid: number }>(owners)).rows[0]?.pid;
    const lost = await present();
    await client.query('select pg_terminate_backend($1)', [lost]);
    await until(async () => ![undefined, lost].includes(await present()));
    expect(downs).toBe(0);
  });
});

describe('supervision', () => {
  it('starts a killed server again, which answers at the same place with all that was committed', async () => {
    const events: string[] = [];
    const backAgain = happening();
    const postgres = await start(made, {
      onDown: () => events.push('down'),
      onUp: () => {
        events.push('up');
        backAgain.happens();
      },
    });
    const { pid } = postgres;
    await ask(postgres.connectionString(), 'create table committed as select 42 as answer');
    await kill(pid);
    await backAgain.happened;
    expect(events).toEqual(['down', 'up']);
    expect(postgres.pid).not.toBe(pid);
    expect(await ask(postgres.connectionString(), 'select answer from committed')).toEqual([42]);
    await postgres.stop();
    expect(isRunning(postgres.pid)).toBe(false);
    expect(events).toEqual(['down', 'up']);
  });

  it('waits for a session that outlives its server, then starts it', async () => {
    const said: string[] = [];
    const backAgain = happening();
    const postgres = await start(made, {
      onUp: backAgain.happens,
      log: (line) => said.push(line),
    });
    const [session] = await ask(postgres.connectionString(), 'select pg_backend_pid()');
    process.kill(Number(session), 'SIGSTOP');
    await kill(postgres.pid);
    await until(() => said.some((line) => line.includes('pre-existing shared memory block')));
    process.kill(Number(session), 'SIGKILL');
    await backAgain.happened;
    expect(await ask(postgres.connectionString(), 'select 1')).toEqual([1]);
  });

  it('ends with stop, also while the server is down', async () => {
    const gone = happening();
    const postgres = await start(made, { onDown: gone.happens });
    process.kill(postgres.pid, 'SIGKILL');
    await gone.happened;
    await postgres.stop();
    const file = readPidFile(clusterOf(made));
    expect(file && isRunning(file.pid)).toBeFalsy();
    expect(existsSync(socketDir(postgres.connectionString()))).toBe(false);
  });
});
