import type { Language } from './run.js';

const { findBrowser } = require('../../test/support/ensure-browser.cjs') as {
  findBrowser(): string | undefined;
};

const LUA = ['/usr/bin/lua5.4', '/usr/share/doc/lua-socket'];

const CSHARP = {
  driver: 'clients/csharp/Conformance~/driver.sh',
  needs: ['/usr/bin/mcs', '/usr/bin/mono', '/usr/lib/mono/4.5/System.Net.Http.dll'],
};

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
    needs: [findBrowser() ?? '/usr/bin/chromium'],
  },
  csharp: { name: 'C#, Mono, one thread', command: [CSHARP.driver, 'loop'], needs: CSHARP.needs },
  csharp_threads: { name: 'C#, Mono, threads', command: [CSHARP.driver, 'threads'], needs: CSHARP.needs },
  lua: { name: 'Lua 5.4', command: ['lua5.4', 'clients/lua/conformance/driver.lua'], needs: LUA },
  love: {
    name: 'LÖVE 11',
    command: ['love', 'clients/lua/conformance/love'],
    needs: ['/usr/bin/love'],
  },
} satisfies Record<string, Language>;

export type LanguageName = keyof typeof LANGUAGES;
