import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  GraphQLObjectType,
  type GraphQLSchema,
  isIntrospectionType,
  isSpecifiedScalarType,
  printType,
} from 'graphql';
import { makeApp } from './app.js';
import { readConfig } from './config.js';
import { openDatabase } from './db/pool.js';
import { makeLog } from './log.js';
import { packageRoot } from './package.js';
import { restApi } from './rest/middleware.js';
import { openApi } from './rest/openapi.js';

/** A file that tells the outside what this version promises; committed, and printed by `npm run contract`. */
export interface ContractFile {
  /** Below the package, e.g. `schema/schema.graphql`. */
  name: string;
  text: string;
}

// Nothing is read or written here: the schema is made of classes, and no pool connects before it is asked.
const NOWHERE = 'postgres://nobody@localhost/nothing';

const SETTINGS = { ...readConfig({}), jwtSecret: 'signs nothing', keySecret: 'hashes nothing' };

/** The service's schema as it is built at start-up, without a database. */
export async function contractSchema(): Promise<GraphQLSchema> {
  const database = openDatabase(NOWHERE);
  const app = await makeApp({ settings: SETTINGS, database, clock: Date.now, log: makeLog('silent') });
  await app.close();
  await database.close();
  return app.schema;
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}

function withFieldsByName(type: GraphQLObjectType): GraphQLObjectType {
  const config = type.toConfig();
  const fields = Object.entries(config.fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return new GraphQLObjectType({ ...config, fields: Object.fromEntries(fields) });
}

/**
 * Root types first, then by name, and the fields of root types by name: in what order classes were loaded does not
 * show. Fields of other types stand as they were declared.
 */
function printed(schema: GraphQLSchema): string {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
    (type) => type != null,
  );
  const others = Object.values(schema.getTypeMap()).filter(
    (type) =>
      !isIntrospectionType(type) && !isSpecifiedScalarType(type) && !roots.some((root) => root === type),
  );
  const types = [...roots.map(withFieldsByName), ...others.toSorted(byName)];
  return `${types.map(printType).join('\n\n')}\n`;
}

/** What the schema, the route table and the operations promise. Header names carry the default prefix. */
export function contractFiles(schema: GraphQLSchema): ContractFile[] {
  const document = openApi(restApi(schema).routes, SETTINGS.headerPrefix);
  return [
    { name: 'schema/schema.graphql', text: printed(schema) },
    { name: 'schema/openapi.json', text: `${JSON.stringify(document, null, 2)}\n` },
  ];
}

const GENERATOR = path.join(packageRoot, 'tools/client-types/node_modules/openapi-typescript/bin/cli.js');

/**
 * The types of the TypeScript client, made from the OpenAPI document. Takes seconds: in a process of its own, whose
 * TypeScript is the generator's (see tools/client-types).
 */
export function clientTypes(openapi: string): ContractFile {
  const text = execFileSync(process.execPath, [GENERATOR], { input: openapi, encoding: 'utf8' });
  return { name: 'src/client/generated/rest.ts', text };
}

/** What lies below `root` now; undefined: nothing. */
export function committedText({ name }: ContractFile, root = packageRoot): string | undefined {
  try {
    return readFileSync(path.join(root, name), 'utf8');
  } catch {
    return undefined;
  }
}

// npm run contract: writes the files; with --check it writes nothing and fails when they are not the printed ones.
async function main(check: boolean): Promise<void> {
  const files = contractFiles(await contractSchema());
  const openapi = files.find(({ name }) => name === 'schema/openapi.json')!;
  for (const file of [...files, clientTypes(openapi.text)]) {
    const same = committedText(file) === file.text;
    if (same) {
      process.stdout.write(`${file.name} is up to date.\n`);
    } else if (check) {
      process.stderr.write(`${file.name} is not what the code promises: run "npm run contract".\n`);
      process.exitCode = 1;
    } else {
      writeFileSync(path.join(packageRoot, file.name), file.text);
      process.stdout.write(`${file.name} written.\n`);
    }
  }
}

if (require.main === module) void main(process.argv.includes('--check'));
