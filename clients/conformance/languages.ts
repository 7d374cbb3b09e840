import type { Language } from './run.js';

/** The clients whose drivers run here. Commands begin in the folder of the repository. */
export const LANGUAGES = {
  typescript: { name: 'TypeScript (Node)', command: ['node', 'clients/typescript/conformance/driver.mjs'] },
  lua: { name: 'Lua 5.4', command: ['lua5.4', 'clients/lua/conformance/driver.lua'] },
  love: { name: 'LÖVE 11.4', command: ['love', 'clients/lua/conformance/love'] },
} satisfies Record<string, Language>;
