import type { Language } from './run.js';

/** The clients whose drivers run here. Commands begin in the folder of the repository. */
export const LANGUAGES = {
  typescript: { name: 'TypeScript (Node)', command: ['node', 'clients/typescript/conformance/driver.mjs'] },
} satisfies Record<string, Language>;
