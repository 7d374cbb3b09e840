import { buildSchema, parse, validate } from 'graphql';
import { DomainError } from '../../src/base/errors.js';
import { domainErrorOf, faultOf } from '../../src/graphql/errors.js';

test('an unexpected error outside of any field is INTERNAL, and its message stays inside', () => {
  const { code, message } = domainErrorOf(faultOf(new Error('connection to 10.0.0.7 refused')));
  expect(code).toBe('INTERNAL');
  expect(message).not.toContain('10.0.0.7');
});

test('a fault of the document is BAD_REQUEST with its sentence', () => {
  const [unknown] = validate(buildSchema('type Query { a: Int }'), parse('{ b }'));
  expect(domainErrorOf(unknown)).toMatchObject({ code: 'BAD_REQUEST', message: unknown!.message });
  const syntax = (() => {
    try {
      return parse('{');
    } catch (error) {
      return error;
    }
  })();
  expect(domainErrorOf(syntax).code).toBe('BAD_REQUEST');
});

test('a coded error outside of any field keeps its code', () => {
  expect(domainErrorOf(faultOf(new DomainError('RATE_LIMITED', 'later'))).code).toBe('RATE_LIMITED');
});
