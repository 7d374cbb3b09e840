/**
 * Works on several boards in turns, one step each, until none has a step left, so that a large board does not hold
 * up the others.
 * @param read what there is to do, read again in each round to pick up new work
 * @param step false: no more steps now
 * @returns how many boards there were in the first round
 */
export async function inTurns<T>(
  read: () => Promise<readonly T[]>,
  nameOf: (one: T) => string,
  step: (one: T) => Promise<boolean>,
  isClosed: () => boolean,
): Promise<number> {
  const ended = new Set<string>();
  let first: number | undefined;
  for (;;) {
    const pending = (await read()).filter((one) => !ended.has(nameOf(one)));
    first ??= pending.length;
    if (pending.length === 0) return first;
    for (const one of pending) {
      if (isClosed()) return first;
      if (!(await step(one))) ended.add(nameOf(one));
    }
  }
}
