/** A command that cannot be carried out as it was given. The message is a sentence for who typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
