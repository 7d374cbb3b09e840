import { askYes, Cancelled, canAsk } from '../input.js';
import { UsageError } from './failure.js';

/** @param command that has to be confirmed @throws UsageError where nobody can be asked */
export function requireTerminal(command: string): void {
  if (!canAsk()) throw new UsageError(`${command} needs --yes where it can't ask.`);
}

/** @throws Cancelled unless the user says yes */
export async function confirm(message: string): Promise<void> {
  if (!(await askYes(message))) throw new Cancelled('Cancelled. Nothing was changed.');
}
