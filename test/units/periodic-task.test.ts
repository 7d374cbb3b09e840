import { PeriodicTask } from '../../src/base/clock.js';
import type { Log } from '../../src/base/log.js';
import { until } from '../support/wait.js';

test('a failure that lasts is logged once, and its end', async () => {
  const lines: string[] = [];
  const noting = (level: string) => (_: object, message: string) => void lines.push(`${level} ${message}`);
  const log = { debug: noting('debug'), info: noting('info'), warn: noting('warn') } as unknown as Log;
  const results = [true, false, false, false, true, true, false];
  const run = async () => {
    if (!(results.shift() ?? true)) throw new Error('away');
  };
  const task = new PeriodicTask(run, { everyMillis: 1, log, failure: 'nothing could be read' });
  task.start();
  await until(() => lines.length === 6);
  await task.close();
  expect(lines).toEqual([
    'warn nothing could be read',
    'debug nothing could be read',
    'debug nothing could be read',
    'info over: nothing could be read',
    'warn nothing could be read',
    'info over: nothing could be read',
  ]);
});
