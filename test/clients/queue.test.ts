interface Queue {
  add(run: object, sent: ReadonlySet<string>): Promise<void>;
  remove(keys: ReadonlySet<string>): Promise<void>;
  list(): Promise<{ key: string }[]>;
}

// Its sources know the browser, which types of the service's tests do not.
const { RunQueue } = require('../../clients/typescript/src/queue.js') as {
  RunQueue: new (settings: object, name: string) => Queue;
};

const { Leaderboard } = require('../../clients/typescript/src/client.js') as {
  Leaderboard: new (
    options: object,
  ) => { submit(run: object): Promise<{ status: string }>; close(): Promise<void> };
};

const RUN = { key: 'second', body: {} };

/** A storage that holds one run, and cannot be read while the test says so. */
function queueOn(held: string) {
  const items = new Map([['runs', held]]);
  const faults: string[] = [];
  let readable = true;
  const storage = {
    getItem: (name: string) => {
      if (!readable) throw new Error('The disk is away');
      return items.get(name) ?? null;
    },
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  };
  const settings = {
    storage,
    locks: { request: (_name: string, work: () => Promise<unknown>) => work() },
    queueLimit: 10,
    onStorage: () => void faults.push('STORAGE'),
    onDropped: () => undefined,
  };
  const queue = new RunQueue(settings, 'runs');
  const setReadable = (value: boolean) => {
    readable = value;
  };
  return { queue, items, faults, setReadable };
}

const memory = () => {
  const items = new Map<string, string>();
  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  };
};

const keysOf = (runs: { key: string }[]) => runs.map(({ key }) => key);

test('runs that the storage cannot read for a while are not overwritten by a new one', async () => {
  const { queue, faults, setReadable } = queueOn('[{"key":"first"}]');
  setReadable(false);
  await queue.add(RUN, new Set());
  expect(keysOf(await queue.list())).toEqual(['second']);
  await queue.remove(new Set(['another']));
  setReadable(true);
  expect(keysOf(await queue.list())).toEqual(['first', 'second']);
  expect(new Set(faults)).toEqual(new Set(['STORAGE']));
});

test('content that is no list of runs is set aside before a new run is stored', async () => {
  const { queue, items } = queueOn('[{"key":"fir');
  await queue.add(RUN, new Set());
  expect(keysOf(await queue.list())).toEqual(['second']);
  expect(items.get('runs.unreadable')).toBe('[{"key":"fir');
});

test('a run that comes in any moment while the sender gives up is answered, too', async () => {
  const refusal = JSON.stringify({ error: 'Game not found', code: 'NOT_FOUND', request_id: 'x' });
  // Its body is there at once, so that all is counted in turns of promises.
  const response = { ok: false, status: 404, headers: new Headers(), text: async () => refusal };
  for (let turns = 0; turns < 60; turns += 1) {
    let second: Promise<{ status: string }> | undefined;
    const comeLater = async () => {
      for (let turn = 0; turn < turns; turn += 1) await undefined;
      return client.submit({ boardId: 'brd_1', value: 2 });
    };
    const client = new Leaderboard({
      ...{ url: 'http://service.test', gameId: 'gam_1', storage: memory(), deadlineMs: 600_000 },
      fetch: async () => {
        second ??= comeLater();
        return response;
      },
    });
    const first = client.submit({ boardId: 'brd_1', value: 1 });
    await first;
    const late = new Promise((resolve) => {
      setTimeout(resolve, 20_000, 'late').unref();
    });
    const answer = await Promise.race([second!, late]);
    await client.close();
    expect([turns, answer]).toEqual([turns, expect.objectContaining({ status: 'queued' })]);
  }
});
