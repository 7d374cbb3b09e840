/** A command that cannot be run as it was typed. The message is a sentence for the user. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
