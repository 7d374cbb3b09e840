import type { Dice } from './dice.js';

/** Documents that are meant to be dear, endless or no documents. */
export function oddDocument(dice: Dice): string {
  const deep = (depth: number) =>
    `{ game(id: "x") ${'{ boards { nodes { game '.repeat(depth)}{ id } ${'} } }'.repeat(depth)} }`;
  const types = `{ __schema { types { name ${'fields { type { name ofType { name '.repeat(3)}${'} } } '.repeat(3)} } } }`;
  return dice.pick([
    ...[
      '',
      ' ',
      '{',
      '}',
      '{}',
      'query',
      'null',
      '{ me',
      '{ me { } }',
      '# only a comment',
      '\u0000',
      '\ufeff{ me { kind } }',
      '{ nothing }',
      '{ me }',
    ],
    ...[
      'query A { me { kind } } query B { me { kind } }',
      'query A { me { kind } } query A { me { kind } }',
      'fragment F on Me { kind }',
    ],
    ...[
      '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
      '{ me { ...M } } fragment M on Me { kind ...M }',
    ],
    ...[
      '{ me { ... on Game { id } } }',
      '{ node(id: "x") { ... on Nothing { id } } }',
      'subscription { boardChanged(boardId: "x") { id } me { kind } }',
    ],
    ...[
      'mutation { __typename }',
      'query ($a: [[[[String!]!]!]!]!) { me { kind } }',
      'query ($a: Int = "x") { me { kind } }',
      'query ($a: Nothing) { me { kind } }',
    ],
    ...[
      '{ __schema { queryType { name } } __type(name: "Game") { fields { name } } }',
      types,
      '{ __type(name: "\\u0000") { name } }',
    ],
    ...[deep(1), deep(3), deep(6), deep(60), deep(400)],
    `{ ${Array.from({ length: 40 }, (_, i) => `a${i}: me { kind }`).join(' ')} }`,
    `{ ${'me { kind } '.repeat(150)} }`,
    `{ ${'__typename '.repeat(3_000)} }`,
    `{ accounts(first: 100) { nodes { games(first: 100) { nodes { boards(first: 100) { nodes { id } } } } } } }`,
    `{ nodes(ids: [${'"x", '.repeat(101)}"x"]) { id } }`,
    `query (${Array.from({ length: 300 }, (_, i) => `$v${i}: Int`).join(' ')}) { me { kind } }`,
    `mutation { ${Array.from({ length: 20 }, (_, i) => `a${i}: updateGame(id: "gam_x", input: {}) { game { id } }`).join(' ')} }`,
    `${'fragment F on Me { kind } '.repeat(50)} { me { ...F } }`,
    `{ me { ${'... { '.repeat(300)} kind ${'} '.repeat(300)} } }`,
  ]);
}
