/**
 * Works on several boards in turns, a step of each after the other, until none has a step left: a large one does not hold up the others.
 * @param read what there is to do, read again in each round, so that new work joins
 * @param step false: it has no further step now
 * @returns how many there were in the first round
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
