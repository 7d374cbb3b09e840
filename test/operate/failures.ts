import type { Cluster } from './cluster.js';
import type { ClusterNode } from './node.js';

/** An event in a cluster, and its repair. */
export interface Failure {
  kind: string;
  /** Node that it concerns; the primary unless it says so. */
  of?: 'standby';
  happen(node: ClusterNode, cluster: Cluster): unknown;
  repair?(node: ClusterNode): void;
  /** The primary stays, or becomes it again. */
  keeps?: true;
}

export const KILLED: Failure = {
  kind: 'machine killed',
  happen: (node) => node.kill(),
  repair: (node) => node.start(),
};
const FROZEN: Failure = {
  kind: 'machine frozen',
  happen: (node) => node.freeze(),
  repair: (node) => node.thaw(),
};

/** They take the primary away, in turn. */
export const FAILURES: readonly Failure[] = [
  KILLED,
  FROZEN,
  {
    kind: 'machine cut off',
    happen: (node) => node.cutOff(),
    repair: (node) => node.reconnect(),
  },
  {
    kind: 'switch-over',
    happen: async (node, cluster) => cluster.switchOver(node, await cluster.standby()),
  },
  { kind: 'Postgres killed', happen: (node) => node.killPostgres() },
];

/** They leave the primary where it is. */
export const FURTHER: readonly Failure[] = [
  { ...KILLED, kind: 'standby killed', of: 'standby', keeps: true },
  { ...FROZEN, kind: 'standby frozen', of: 'standby', keeps: true },
  { kind: 'etcd away', happen: (_, cluster) => cluster.loseEtcd(), keeps: true },
];
