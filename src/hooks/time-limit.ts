/**
 * Awaits a function of the module for a limited time.
 * @param late handles a result that arrives after it
 */
export async function within<T>(
  millis: number,
  ask: () => Promise<T>,
  late?: (result: T) => unknown,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const impatience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${millis / 1_000} s`)), millis);
  });
  const asking = ask();
  try {
    return await Promise.race([asking, impatience]);
  } catch (error) {
    if (late) void asking.then(late, () => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
