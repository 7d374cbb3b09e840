/** Something that stops the start. The message is one sentence: what is wrong and what to do. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}
