import type { Cluster } from './cluster.js';
import type { ClusterNode } from './node.js';

/** An event in a cluster, and its repair. */
export interface Failure {
  kind: string;
  /** Node that it concerns; the primary unless it says so. */
  of?: 'standby';
  happen(node: ClusterNode, cluster: Cluster): unknown;
  repair?(node: ClusterNode): void;
  /** The primary stays, or becomes it again; `perhaps`: Patroni starts it in place or promotes its standby. */
  keeps?: 'always' | 'perhaps';
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

/** They take the primary away for a while or for good, in turn. */
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
  { kind: 'Postgres killed', happen: (node) => node.killPostgres(), keeps: 'perhaps' },
];

/** They leave the primary where it is. */
export const FURTHER: readonly Failure[] = [
  { ...KILLED, kind: 'standby killed', of: 'standby', keeps: 'always' },
  { ...FROZEN, kind: 'standby frozen', of: 'standby', keeps: 'always' },
  { kind: 'etcd away', happen: (_, cluster) => cluster.loseEtcd(), keeps: 'always' },
];
