import 'reflect-metadata';
import clusterUp, { removeCluster } from '../support/cluster-up.js';
import { GENERATORS, GeneratedClients, type GeneratorName, lackOf } from './generated-clients.js';

// npm run prove:generated-clients [-- <name>]: clients of every generator against a service of their own.

async function prove(): Promise<void> {
  const wanted = process.argv.slice(2);
  const names = (Object.keys(GENERATORS) as GeneratorName[]).filter(
    (name) => wanted.length === 0 || wanted.includes(name),
  );
  await clusterUp();
  try {
    const clients = await GeneratedClients.start();
    try {
      for (const name of names) {
        const lack = lackOf(name);
        if (!lack) await clients.prove(name);
        console.log(lack ?? `${name}: every operation, compiled, and two scores read`);
      }
    } finally {
      await clients.close();
    }
  } finally {
    await removeCluster();
  }
}

prove().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
