import type { Language } from './run.js';

const LUA = ['/usr/bin/lua5.4', '/usr/share/doc/lua-socket'];

/** The clients whose drivers run here. Commands begin in the folder of the repository. */
export const LANGUAGES = {
  typescript: {
    name: 'TypeScript, Node',
    command: ['node', 'clients/typescript/conformance/driver.mjs'],
    needs: [],
  },
  chromium: {
    name: 'TypeScript, Chromium',
    command: ['node', 'clients/typescript/conformance/chromium.mjs'],
    needs: ['/usr/bin/chromium'],
  },
  lua: { name: 'Lua 5.4', command: ['lua5.4', 'clients/lua/conformance/driver.lua'], needs: LUA },
  love: {
    name: 'LÖVE 11',
    command: ['love', 'clients/lua/conformance/love'],
    needs: ['/usr/bin/love'],
  },
} satisfies Record<string, Language>;

export type LanguageName = keyof typeof LANGUAGES;
