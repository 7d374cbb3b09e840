import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestApp } from './app.js';
import { makeKey, type Studio } from './make.js';

const ROOT = path.resolve(__dirname, '../..');

export function documentText(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

const blocksOf = (language: string) => new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');

/** The blocks of a text in a language, as they are printed. */
export function blocksIn(text: string, language = 'sh'): string[] {
  return [...text.matchAll(blocksOf(language))].map(([, block]) => block!);
}

/** Functions that the README's tour defines, as lines of a shell. */
export function tourFunctions(...names: string[]): string[] {
  const lines = blocksIn(documentText('README.md')).join('').split('\n');
  return lines.filter((line) => names.some((name) => line.startsWith(`${name}()`)));
}

const KEY_NAMED = /\bkey with the scopes? ((?:`\w+`(?:, | and )?)+)/g;

/** The scopes of each key that a text names: "a key with the scopes `read` and `configure`". */
export function keysIn(text: string): string[][] {
  return [...text.matchAll(KEY_NAMED)].map(([, scopes]) =>
    [...scopes!.matchAll(/`(\w+)`/g)].map(([, scope]) => scope!),
  );
}

/** A block of commands in a guide. */
export interface GuideCommands {
  commands: string;
  /** Some of its commands need an API key. */
  needsKey: boolean;
  /** Scopes of the key that the guide names last before the block, in the same section or before all sections. */
  scopes: string[] | undefined;
}

const NEEDS_KEY = /\badmin |\$KEY\b|\bleaderboard /;

export function guideCommands(text: string): GuideCommands[] {
  const [intro = '', ...sections] = text.split(/^(?=## )/m);
  return [intro, ...sections].flatMap((section) =>
    [...section.matchAll(blocksOf('sh'))].map(({ 1: commands = '', index }) => ({
      commands,
      needsKey: NEEDS_KEY.test(commands),
      scopes: keysIn(section.slice(0, index)).at(-1) ?? keysIn(intro)[0],
    })),
  );
}

/** A key with these scopes alone. @param gameId the only game that it reaches; absent: all */
export async function keyWith(
  app: TestApp,
  { accountId, userId }: Studio,
  scopes: string[] | undefined,
  gameId?: string,
): Promise<string> {
  if (!scopes) throw new Error('The guide does not say which key its commands need.');
  const input = { scopes: scopes.map((scope) => scope.toUpperCase()), gameId };
  return (await makeKey(app.superadmin, accountId, userId, input)).key;
}
