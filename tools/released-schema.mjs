// Keeps the present GraphQL schema, without descriptions, as that of the version in package.json: what its clients are written
// against, and the base of test/contract/released-schema.test.ts. Refused if it breaks clients of the schema kept so far,
// unless the version is a new major one.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, findBreakingChanges, parse, print, visit } from 'graphql';

const ROOT = path.resolve(import.meta.dirname, '..');
const read = (name) => readFileSync(path.join(ROOT, name), 'utf8');
const RELEASED = 'test/contract/released.graphql';

const { version } = JSON.parse(read('package.json'));
const released = read(RELEASED);
const [, ofVersion] = /^# (\S+)$/m.exec(released);
const majorOf = (text) => text.split('.')[0];

const present = read('schema/schema.graphql');
const breaks = findBreakingChanges(buildSchema(released), buildSchema(present));
if (breaks.length > 0 && majorOf(version) === majorOf(ofVersion))
  throw new Error(breaks.map(({ description }) => description).join('\n'));
const bare = visit(parse(present, { noLocation: true }), {
  enter: (node) => (node.description ? { ...node, description: undefined } : undefined),
});
writeFileSync(path.join(ROOT, RELEASED), `# ${version}\n${print(bare)}\n`);
