import { removeCluster } from './cluster-up.js';

export default async function clusterDown(): Promise<void> {
  await removeCluster();
}
