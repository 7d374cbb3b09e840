import type { Input } from '../nouns/document.js';

/** The user pressed Ctrl-C at a prompt. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** True if prompts are possible. They go to standard error, so that the output can be redirected. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

const asking = { input: process.stdin, output: process.stderr };

function answered<T>(answer: T): Exclude<T, symbol> {
  if (typeof answer === 'symbol') throw new Cancelled('Cancelled.');
  return answer as Exclude<T, symbol>;
}

/** @param hint example of an answer */
export async function askText(message: string, hint?: string): Promise<string> {
  const { text } = await import('@clack/prompts');
  const answer = await text({
    ...asking,
    message,
    ...(hint !== undefined && { placeholder: hint }),
    validate: (value) => (value?.trim() ? undefined : 'Please answer, or press Ctrl-C.'),
  });
  return answered(answer).trim();
}

/** Prompts for a secret, which is not echoed. */
export async function askSecret(message: string): Promise<string> {
  const { password } = await import('@clack/prompts');
  return answered(await password({ ...asking, message })).trim();
}

export async function askYes(message: string): Promise<boolean> {
  const { confirm } = await import('@clack/prompts');
  return answered(await confirm({ ...asking, message, initialValue: false }));
}

/** Prompts for a required value that was not given. */
export async function askInput({ description, kind }: Input, what: string): Promise<string> {
  const message = `${what[0]!.toUpperCase()}${what.slice(1)}? ${description.replaceAll('`', '')}`;
  if (!kind.values) return askText(message);
  const { select } = await import('@clack/prompts');
  const options = kind.values.map((value) => ({ value, label: value }));
  return answered(await select({ ...asking, message, options }));
}
