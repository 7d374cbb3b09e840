import { scenarios } from '../../clients/conformance/scenario.js';
import { testsOf } from './client-conformance.js';

testsOf('typescript');

/** Those that a browser at another origin may see otherwise: headers that preflights have to allow, answers that it may read. */
const OF_ORIGINS = ['watch', 'rate-limit'];

testsOf(
  'chromium',
  scenarios().filter(({ name }) => OF_ORIGINS.includes(name)),
);
