import { type Part, reasonToSkip, reasonToSkipCluster, runApart } from '../operate/apart.js';

// Debian's own programs with the files of deploy/, in namespaces of their own: short scenarios of `npm run prove:operate`.

const scenarios: [sentence: string, part: Part, scenario?: string][] = [
  ['nginx passes on requests, sockets, events and addresses with its deployed configuration', 'nginx'],
  ['Caddy passes on requests, sockets, events and addresses with its deployed configuration', 'caddy'],
  [
    'the service runs behind PgBouncer with its deployed configuration, and says which settings it needs',
    'pgbouncer',
  ],
  [
    'Prometheus evaluates the deployed alert rules and every query of the dashboard has figures',
    'prometheus',
  ],
  ['two processes behind nginx are replaced one after the other, and no request fails', 'nginx', 'rolling'],
  ['compose.yaml: visitors behind Caddy are counted apart, and a backup is restored', 'caddy', 'compose'],
];

for (const [sentence, part, scenario = part] of scenarios) {
  const reason = reasonToSkip(part);
  if (reason === undefined) test(sentence, () => runApart(scenario));
  else test.skip(`${sentence} (not run: ${reason})`, () => undefined);
}

const CLUSTER =
  'the primary of a cluster is killed under load: another one takes its place, and nothing is lost';
const noCluster = reasonToSkipCluster();
// Eight programs start, on a machine that other tests use, too.
if (noCluster === undefined) test(CLUSTER, () => runApart('failover'), 300_000);
else test.skip(`${CLUSTER} (not run: ${noCluster})`, () => undefined);
