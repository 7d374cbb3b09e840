import { ApolloServer } from '@apollo/server';
import { buildSchema, type GraphQLError } from 'graphql';
import { Documents } from '../../src/graphql/engine/documents.js';
import { Engine, type Prepared } from '../../src/graphql/engine/execute.js';

const schema = buildSchema('type Query { a: Int b: Int }');
const documentsOf = () => new Documents(new Engine(schema), true);

test('a valid document is known by its text and the names of its operations', () => {
  const documents = documentsOf();
  const text = 'query A { a } query B { b }';
  expect(documents.known(text, 'A')).toBeUndefined();
  const a = documents.prepare(text, 'A') as Prepared;
  expect(a.operation?.name?.value).toBe('A');
  expect(documents.known(text, 'A')).toBe(a);
  expect(documents.prepare(text, 'B')).not.toBe(a);
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

test('documents that are not valid leave nothing, and long ones do not displace the others', () => {
  const documents = documentsOf();
  const faulty = documents.prepare('{ c }', undefined) as readonly GraphQLError[];
  expect(faulty.map(({ message }) => message)).toEqual([expect.stringMatching(/^Cannot query field "c"/)]);
  expect(documents.prepare('{', undefined)).toHaveLength(1);
  documents.prepare('{ a }', undefined);
  const long = `{ b } # ${'x'.repeat(20_000)}`;
  documents.prepare(long, undefined);
  expect([documents.known('{ c }', null), documents.known(long, null)]).toEqual([undefined, undefined]);
  for (let i = 0; i < 599; i += 1) documents.prepare(`{ a b } # ${i}`, undefined);
  expect(documents.known('{ a }', null)).toBeDefined();
  for (let i = 0; i < 600; i += 1) documents.prepare(`{ b a } # ${i}`, undefined);
  expect(documents.known('{ a }', null)).toBeUndefined();
});
