import { kind } from '../../src/graphql/records/kinds.js';
import { asked, changeInput, later, newInput, preset } from '../../src/graphql/records/record.js';

const top = kind.whole(0, 100);

test.each([
  ['a number', preset(top, 101, 'A number.'), 'the default of field must be 0 to 100'],
  ['a text', preset(kind.label(3), '', 'A name.'), /^FieldInput: the default of field must/],
  ['a list', preset(kind.tags, ['x'.repeat(65)], 'Labels.'), /the default of field must be at most 32 tags/],
  ['what is stored elsewhere', asked(top, 'A number.', { initial: -1 }), 'must be 0 to 100'],
])('a default outside its own rule is refused when the input is made: %s', (_, field, message) => {
  expect(() => newInput('FieldInput', 'A record.', { field })).toThrow(message);
});

test('also that of a field that a new record is not given', () => {
  const field = later(preset(top, 101, 'A number.'));
  expect(() => newInput('FieldInput', 'A record.', { field })).not.toThrow();
  expect(() => changeInput('FieldInput', 'Changes.', { field })).toThrow('must be 0 to 100');
});

test('defaults at the bounds and null are not', () => {
  const fields = {
    least: preset(top, 0, 'A number.'),
    most: preset(top, 100, 'A number.'),
    none: preset(kind.orNull(top), null, 'A number.'),
    many: preset(kind.tags, [], 'Labels.'),
  };
  expect(() => newInput('FieldInput', 'A record.', fields)).not.toThrow();
  expect(() => changeInput('FieldInput', 'Changes.', fields)).not.toThrow();
});
