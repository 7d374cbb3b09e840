import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type DefinitionNode, type GraphQLSchema, Kind, parse, print, printSchema } from 'graphql';
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

const ROOTS = ['Query', 'Mutation', 'Subscription'];

function nameOf(node: DefinitionNode): string {
  return 'name' in node && node.name ? node.name.value : '';
}

/** Root types first, then by name: the order of files in which classes are loaded does not show. */
function printed(schema: GraphQLSchema): string {
  const { definitions } = parse(printSchema(schema));
  const key = (node: DefinitionNode) => {
    const root = ROOTS.indexOf(nameOf(node));
    return `${root < 0 ? ROOTS.length : root} ${nameOf(node)}`;
  };
  const sorted = definitions.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  return `${print({ kind: Kind.DOCUMENT, definitions: sorted })}\n`;
}

/** What the schema, the route table and the operations promise. Header names carry the default prefix. */
export function contractFiles(schema: GraphQLSchema): ContractFile[] {
  const document = openApi(restApi(schema).routes, SETTINGS.headerPrefix);
  return [
    { name: 'schema/schema.graphql', text: printed(schema) },
    { name: 'schema/openapi.json', text: `${JSON.stringify(document, null, 2)}\n` },
  ];
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
  for (const file of contractFiles(await contractSchema())) {
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
