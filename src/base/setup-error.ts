/** An error that prevents the start. The message is one sentence: the fault and its remedy. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}
