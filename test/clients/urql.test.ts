import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { startApp, type TestApp } from '../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

test("urql reads with the option that the reference names, and by GET, its default, the service doesn't answer", async () => {
  const read = (options: { preferGetMethod?: false }) =>
    new Client({ url: `${app.url}/graphql`, exchanges: [cacheExchange, fetchExchange], ...options })
      .query('{ __typename }', {})
      .toPromise();
  const { error, data } = await read({ preferGetMethod: false });
  expect([error, data]).toEqual([undefined, { __typename: 'Query' }]);
  expect((await read({})).error?.response.status).toBe(405);
});
