/**
 * Works on several boards or requests in turns, one step each, until none has a step left: accounts take turns, and so do the ones of
 * each account, so that neither a large one nor many of them hold up the others.
 * @param read what there is to do, read again in each round to pick up new work
 * @param step false: no more steps now
 * @param ownerOf whose it is. Default: each has an owner of its own
 * @returns how many there were in the first round
 */
export async function inTurns<T>(
  read: () => Promise<readonly T[]>,
  nameOf: (one: T) => string,
  step: (one: T) => Promise<boolean>,
  isClosed: () => boolean,
  ownerOf: (one: T) => string = nameOf,
): Promise<number> {
  const ended = new Set<string>();
  /** The number of the last step of each. */
  const turns = new Map<string, number>();
  let first: number | undefined;
  for (let turn = 1; ; ) {
    const pending = (await read()).filter((one) => !ended.has(nameOf(one)));
    first ??= pending.length;
    if (pending.length === 0) return first;
    const waited = pending.toSorted((a, b) => (turns.get(nameOf(a)) ?? 0) - (turns.get(nameOf(b)) ?? 0));
    const ofOwner = new Map(waited.toReversed().map((one) => [ownerOf(one), one]));
    for (const one of pending) {
      if (ofOwner.get(ownerOf(one)) !== one) continue;
      if (isClosed()) return first;
      turns.set(nameOf(one), turn++);
      if (!(await step(one))) ended.add(nameOf(one));
    }
  }
}
