/**
 * Flows that `npm run prove:cells -- flows` leaves out, each with its reason. All others run through a gateway with a second
 * cell beside (TEST_CELLS=1, test/support/through-gateway.ts).
 */
const PROCESS = 'starts processes of the service itself: there is no app in the test to put a gateway before';
const CELLS = 'is about cells, and has gateways of its own';
const METRICS = 'reads the metrics of a process, which a gateway has by cell (docs/operations/monitoring.md)';
const READY = 'is about a service that is not ready: a gateway is, for its other cells (cells-away)';
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
  metrics: METRICS,
  operate: PROCESS,
  overload: METRICS,
  'read-only-database': READY,
  'respell-addresses': DATABASE,
  'reviews-killed': PROCESS,
  roles:
    'deletes and restores records beside the service, and names records of several accounts without a ' +
    'credential: `-- doors` has the matrix over two cells',
  'rules-killed': PROCESS,
  'silent-database': READY,
  startup: PROCESS,
  tracing: PROCESS,
  'upgrade-database': DATABASE,
  workers: PROCESS,
};

const CONSOLE = 'the superadmin signs in to the console on the address of a cell (docs/operations/cells.md)';

/** Tests of other flows that fail through a gateway, each with its reason. */
export const DIFFERS: Readonly<Record<string, string>> = {
  'a revoked key ends the work without loss, a superadmin sees the installation': CONSOLE,
  'axe finds no fault on any screen in either theme, whatever players and boards are called': CONSOLE,
  'a superadmin makes accounts and jam codes, looks at another account, and sees jobs and health': CONSOLE,
  "a profile's key is sent to no other service; the environment's goes before it":
    'the superadmin names no cell (--cell, cells-gateway)',
  'an error ends the subscription alone: a refusal as it is, any other as INTERNAL, logged':
    'the test reads the log of one cell; operations that name nothing run on any',
  'the metrics show the same': METRICS,
  'results of mails are counted': METRICS,
};
