import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeApp } from './app.js';
import { makeLog } from './base/log.js';
import { packageRoot } from './base/package.js';
import { readConfig } from './config/table.js';
import { defaultsIn } from './configuration/defaults.js';
import { configurationSchema } from './configuration/schema.js';
import { openDatabase } from './db/pool.js';
import { printed } from './graphql/engine/printed.js';
import type { ServiceSchema } from './graphql/schema.js';
import type { Hooks } from './hooks/hooks.js';
import { hookTypes } from './hooks/print-types.js';
import { restApi } from './rest/middleware.js';
import { openApi } from './rest/openapi/document.js';
import { checkOperations, operationsSource } from './rest/routes/rest-route.js';
import { EVENT_NAMES } from './webhooks/events/event-types.js';
import { eventFiles } from './webhooks/schemas/event-files.js';

/** A file with the public contract of this version; committed, and printed by `npm run contract`. */
interface ContractFile {
  /** Path in the package, e.g. `schema/schema.graphql`. */
  name: string;
  text: string;
}

// No database access: the schema is built from classes, and a pool connects at its first query.
const NO_DATABASE = 'postgres://unused@localhost/unused';

const SETTINGS = { ...readConfig({}), jwtSecret: 'signs nothing', keySecret: 'hashes nothing' };

/**
 * The service's schema as it is built at start-up, without a database.
 * @param hooks of an installation that extends it
 */
export async function contractSchema(hooks: Hooks = {}): Promise<ServiceSchema> {
  const database = openDatabase(NO_DATABASE);
  try {
    const log = makeLog('silent');
    const app = await makeApp({ settings: SETTINGS, database, clock: Date.now, log, hooks });
    await app.close();
    return { whole: app.whole, schema: app.schema };
  } finally {
    await database.close();
  }
}

/** The contract files of schema, route table and operations. Header names carry the default prefix. */
export function contractFiles({ whole, schema }: ServiceSchema): ContractFile[] {
  const { view, routes } = restApi(whole);
  checkOperations(view, operationsSource());
  const document = openApi(routes, SETTINGS.headerPrefix);
  return [
    { name: 'schema/schema.graphql', text: printed(schema) },
    { name: 'src/hooks/printed.ts', text: hookTypes(schema) },
    { name: 'schema/openapi.json', text: `${JSON.stringify(document, null, 2)}\n` },
    {
      name: 'schema/leaderboards.schema.json',
      text: `${JSON.stringify(configurationSchema(document as never, defaultsIn(schema), EVENT_NAMES), null, 2)}\n`,
    },
    ...eventFiles(),
  ];
}

const GENERATOR = path.join(packageRoot, 'tools/client-types/node_modules/openapi-typescript/bin/cli.js');

/**
 * The types of the TypeScript client, generated from the OpenAPI document. Takes seconds: runs in its own process, with
 * the generator's version of TypeScript (see tools/client-types).
 */
export function clientTypes(openapi: string): ContractFile {
  const text = execFileSync(process.execPath, [GENERATOR], { input: openapi, encoding: 'utf8' });
  return { name: 'clients/typescript/src/generated/rest.ts', text };
}

/** The text that is now in the file below `root`; undefined: there is no file. */
function committedText({ name }: ContractFile, root = packageRoot): string | undefined {
  try {
    return readFileSync(path.join(root, name), 'utf8');
  } catch {
    return undefined;
  }
}

// npm run contract: writes the files; with --check it writes nothing and fails when they differ.
async function printContract(check: boolean): Promise<void> {
  const files = contractFiles(await contractSchema());
  const openapi = files.find(({ name }) => name === 'schema/openapi.json')!;
  for (const file of [...files, clientTypes(openapi.text)]) {
    const same = committedText(file) === file.text;
    if (same) {
      process.stdout.write(`${file.name} is up to date.\n`);
    } else if (check) {
      process.stderr.write(`${file.name} is out of date. Run "npm run contract".\n`);
      process.exitCode = 1;
    } else {
      writeFileSync(path.join(packageRoot, file.name), file.text);
      process.stdout.write(`${file.name} written.\n`);
    }
  }
}

if (require.main === module) void printContract(process.argv.includes('--check'));
