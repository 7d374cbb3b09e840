import 'reflect-metadata';
import clusterUp, { removeCluster } from '../support/cluster-up.js';
import { type GraphqlExample, graphqlExamples } from './graphql-examples.js';

// npm run prove:graphql-clients: installs and runs every example of a GraphQL client against a service of its own.

const ALL: GraphqlExample[] = ['codegen', 'apollo', 'relay'];

async function prove(): Promise<void> {
  await clusterUp();
  try {
    const { start, close } = await graphqlExamples();
    try {
      for (const name of ALL) console.log(`${name}\n${await start(name)}`);
    } finally {
      await close();
    }
  } finally {
    await removeCluster();
  }
}

prove().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
