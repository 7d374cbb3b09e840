import { scenarios } from '../../clients/conformance/scenario.js';
import { testsOf } from '../support/client-conformance.js';

testsOf('lua');

/** Those that depend on a transport: its cancelling, its headers, its failures, and what it does with a page. */
const OF_TRANSPORTS = ['answer-lost', 'cancelled', 'killed', 'reads', 'strange-answer', 'unavailable'];

// The engines themselves are not here: their functions are made of LuaSocket (clients/lua/conformance/engines.lua).
for (const engine of ['defold', 'solar2d']) {
  testsOf(
    'lua',
    scenarios().filter(({ name }) => OF_TRANSPORTS.includes(name)),
    engine,
  );
}
