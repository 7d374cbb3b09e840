import { GeneratedClients, type GeneratorName, lackOf } from './generated-clients.js';

// `npm run prove:generated-clients` has the others, which take minutes.
const CHEAP: GeneratorName[] = ['openapi-python-client', 'Hey API', 'Orval'];

let clients: GeneratedClients;
beforeAll(async () => {
  clients = await GeneratedClients.start();
});
afterAll(() => clients.close());

for (const name of CHEAP) {
  const lack = lackOf(name);
  if (lack) console.warn(lack);
  (lack ? test.skip : test)(
    `${name}: its client has every operation, compiles and reads a board`,
    () => clients.prove(name),
    600_000,
  );
}
