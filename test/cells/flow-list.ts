/**
 * Flows that `npm run prove:cells -- flows` leaves out, each with its reason. All others run through a gateway with a second
 * cell beside (TEST_CELLS=1, test/support/through-gateway.ts).
 */
const PROCESS = 'starts processes of the service itself: there is no app in the test to put a gateway before';
const CELLS = 'is about cells, and has gateways of its own';
const DATABASE = 'is about a database alone: its migration, its backup or its cut connection';

export const LEFT_OUT: Readonly<Record<string, string>> = {
  backup: DATABASE,
  'cells-away': CELLS,
  'cells-gateway': CELLS,
  'cells-killed': CELLS,
  'cells-moved-work': CELLS,
  'cells-moves': CELLS,
  cells: CELLS,
  commands: PROCESS,
  'console-restart': PROCESS,
  demo: PROCESS,
  'extension-process': PROCESS,
  faults: PROCESS,
  'hooks-process': PROCESS,
  'imports-killed': PROCESS,
  'jobs-kill': PROCESS,
  'live-killed': PROCESS,
  'old-installation': DATABASE,
  operate: PROCESS,
  'respell-addresses': DATABASE,
  'reviews-killed': PROCESS,
  'rules-killed': PROCESS,
  startup: PROCESS,
  tracing: PROCESS,
  'upgrade-database': DATABASE,
  workers: PROCESS,
};
