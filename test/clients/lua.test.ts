import { scenarios } from '../../clients/conformance/scenario.js';
import { testsOf } from './client-conformance.js';

testsOf('lua');

/** In a locale whose decimal sign is a comma. */
testsOf(
  'lua',
  scenarios().filter(({ name }) => ['numbers', 'watch'].includes(name)),
  'comma',
);

/** Those that depend on transport and storage: cancelling, texts that survive the process, headers. */
const OF_ENGINES = ['cancelled', 'killed', 'unavailable'];

// The engines themselves are not here: their functions are made of LuaSocket (clients/lua/conformance/engines.lua).
for (const engine of ['defold', 'solar2d']) {
  testsOf(
    'lua',
    scenarios().filter(({ name }) => OF_ENGINES.includes(name)),
    engine,
  );
}
