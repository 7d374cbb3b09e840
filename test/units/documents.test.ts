import { ApolloServer } from '@apollo/server';
import { buildSchema, type GraphQLError } from 'graphql';
import type { Context } from '../../src/graphql/context.js';
import { Documents } from '../../src/graphql/engine/documents.js';
import { Engine, type Prepared } from '../../src/graphql/engine/execute.js';

const schema = buildSchema('type Query { a: Int b: Int }');
const documentsOf = () => new Documents(new Engine(schema), { introspection: true });
const context = { caller: { kind: 'anonymous' } } as Context;

test('a valid document is known by its text and the names of its operations', async () => {
  const documents = documentsOf();
  const text = 'query A { a } query B { b }';
  expect(documents.known(text, 'A')).toBeUndefined();
  const a = (await documents.prepare(text, 'A', context)) as Prepared;
  expect(a.operation?.name?.value).toBe('A');
  expect(documents.known(text, 'A')).toBe(a);
  expect(await documents.prepare(text, 'B', context)).not.toBe(a);
  for (const name of ['C', '', null, undefined])
    expect(documents.known(text, name)).toMatchObject({ operation: undefined });
});

test('a document that Apollo has validated is known to the other transports', async () => {
  const documents = documentsOf();
  const apollo = new ApolloServer({ schema, documentStore: documents, stopOnTerminationSignals: false });
  await apollo.executeOperation({ query: '{ a }' });
  const known = documents.known('{ a }', undefined);
  expect(known?.operation).toBeDefined();
  await apollo.executeOperation({ query: '{ a }' });
  expect(documents.known('{ a }', undefined)).toBe(known);
  await apollo.stop();
});

test('documents that are not valid leave nothing, and long ones do not displace the others', async () => {
  const documents = documentsOf();
  const faulty = (await documents.prepare('{ c }', undefined, context)) as readonly GraphQLError[];
  expect(faulty.map(({ message }) => message)).toEqual([expect.stringMatching(/^Cannot query field "c"/)]);
  expect(await documents.prepare('{', undefined, context)).toHaveLength(1);
  await documents.prepare('{ a }', undefined, context);
  const long = `{ b } # ${'x'.repeat(20_000)}`;
  await documents.prepare(long, undefined, context);
  expect([documents.known('{ c }', null), documents.known(long, null)]).toEqual([undefined, undefined]);
  for (let i = 0; i < 599; i += 1) await documents.prepare(`{ a b } # ${i}`, undefined, context);
  expect(documents.known('{ a }', null)).toBeDefined();
  for (let i = 0; i < 600; i += 1) await documents.prepare(`{ b a } # ${i}`, undefined, context);
  expect(documents.known('{ a }', null)).toBeUndefined();
});
