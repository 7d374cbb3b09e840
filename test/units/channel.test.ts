import { EventEmitter } from 'node:events';
import { SetupError } from '../../src/base/errors.js';
import { Channel, type Peer } from '../../src/process/channel.js';

type Calls = { double: { given: number; answer: number }; fail: { given: string; answer: null } };

/** Both ends of a pipe: what one sends, the other hears, as JSON. */
function pipe(): [Peer & EventEmitter, Peer & EventEmitter] {
  const ends = [new EventEmitter(), new EventEmitter()] as const;
  const end = (own: number) =>
    Object.assign(ends[own]!, {
      send: (message: unknown, sent: (error: Error | null) => void) => {
        const text = JSON.stringify(message);
        setImmediate(() => ends[1 - own]!.emit('message', JSON.parse(text)));
        sent(null);
      },
    });
  return [end(0), end(1)];
}

const answers = {
  double: async (given: number) => 2 * given,
  fail: async (given: string): Promise<null> => {
    throw given.endsWith('.') ? new SetupError(given) : new TypeError(given);
  },
};
const silent = { double: () => new Promise<number>(() => undefined), fail: answers.fail };

test('requests of both sides are answered', async () => {
  const [left, right] = pipe();
  const [one, other] = [new Channel<Calls, Calls>(left, answers), new Channel<Calls, Calls>(right, answers)];
  expect(await Promise.all([one.ask('double', 2), other.ask('double', 5), one.ask('double', 7)])).toEqual([
    4, 10, 14,
  ]);
});

test('a sentence for the operator arrives as it is; another error has its stack', async () => {
  const [left, right] = pipe();
  const one = new Channel<Calls, Calls>(left, answers);
  new Channel<Calls, Calls>(right, answers);
  const sentence = await one.ask('fail', 'Choose another port.').catch((error: unknown) => error);
  expect(sentence).toEqual(new SetupError('Choose another port.'));
  expect(sentence).toBeInstanceOf(SetupError);
  const bug = await one.ask('fail', 'is not a function').catch((error: unknown) => error);
  expect(bug).not.toBeInstanceOf(SetupError);
  expect((bug as Error).message).toMatch(/TypeError: is not a function\n +at /);
});

test('a side that is gone or silent answers with an error', async () => {
  const [left, right] = pipe();
  const one = new Channel<Calls, Calls>(left, answers);
  new Channel<Calls, Calls>(right, silent);
  await expect(one.ask('double', 1, 1)).rejects.toThrow('does not respond');
  const open = one.ask('double', 1);
  left.emit('disconnect');
  await expect(open).rejects.toThrow('has ended');
});
