import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, startSession } from '../support/make.js';
import { PNG } from '../support/pictures.js';
import { submit } from '../support/play.js';

// Generators of clients, each with a program that uses its client: both populations of a board in one list.

const ROOT = path.resolve(__dirname, '../..');
const run = promisify(execFile);
const GIBIBYTE = 2 ** 30;

const snake = (id: string) => id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

interface Generator {
  /** Packages of npm, and of Python, by exact version. */
  npm?: string[];
  python?: string[];
  /** Generates into `client` of the working directory. */
  command: string[];
  /** The file's text has the operation of this id. */
  has(text: string, id: string): boolean;
  /** Says that a part of the document was left out. */
  complaint: RegExp;
  /** Prints the number of scores in the list. */
  program: string;
}

const OPENAPI_GENERATOR = ['openapi-generator-cli', 'generate', '-i', 'openapi.json', '-o', 'client', '-g'];
const WRAPPER = '@openapitools/openapi-generator-cli@2.35.0';
/** Of OpenAPI Generator: an operation or body that it can't read. */
const UNREAD = /unsupported|ignored|skipp|could not|not found in/i;

export const GENERATORS = {
  'openapi-python-client': {
    python: ['openapi-python-client==0.29.1', 'ruff==0.17.6'],
    command: 'openapi-python-client generate --path openapi.json --output-path client --meta none'.split(' '),
    has: (text, id) => text.includes(`# ${snake(id)}.py\n`),
    complaint: /warning|error/i,
    program: `
from io import BytesIO
from client import AuthenticatedClient
from client.api.games import set_game_logo
from client.api.scores import list_scores
from client.models import ListScoresIsTest
from client.types import File
c = AuthenticatedClient(base_url=BASE, token=KEY, prefix='', auth_header_name='service-api-key')
assert set_game_logo.sync(GAME, client=c, body=File(payload=BytesIO(open('logo.png', 'rb').read()))).logo_url
print(len(list_scores.sync(client=c, board_id=BOARD, is_test=ListScoresIsTest.ALL).data))
`,
  },
  'OpenAPI Generator, python': {
    npm: [WRAPPER],
    python: ['urllib3==2.8.0', 'python-dateutil==4.0.0', 'pydantic==2.14.4'],
    command: [...OPENAPI_GENERATOR, 'python', '--additional-properties=packageName=generated'],
    has: (text, id) => text.includes(`def ${snake(id)}(`),
    complaint: UNREAD,
    program: `
import sys
sys.path.insert(0, 'client')
import generated
c = generated.Configuration(host=BASE, api_key={'apiKey': KEY})
page = generated.ScoresApi(generated.ApiClient(c)).list_scores(board_id=BOARD, is_test='all')
print(len(page.actual_instance.data))
`,
  },
  'OpenAPI Generator, typescript-fetch': {
    npm: [WRAPPER],
    command: [
      ...OPENAPI_GENERATOR,
      'typescript-fetch',
      '--additional-properties=modelPropertyNaming=original',
    ],
    has: (text, id) => text.includes(`async ${id}(`),
    complaint: UNREAD,
    program: `
import { Configuration, ScoresApi } from './client';
const api = new ScoresApi(new Configuration({ basePath: BASE, apiKey: KEY }));
void api.listScores({ boardId: BOARD, isTest: 'all' }).then((page) => console.log(page.data.length));
`,
  },
  'Hey API': {
    npm: ['@hey-api/openapi-ts@0.95.0', 'typescript@5.9.3'],
    command: 'openapi-ts -i openapi.json -o client'.split(' '),
    has: (text, id) => text.includes(`export const ${id} = `),
    complaint: /warn|error|skipp/i,
    program: `
import { client } from './client/client.gen';
import { listScores } from './client/sdk.gen';
client.setConfig({ baseUrl: BASE, auth: KEY });
void listScores({ query: { board_id: BOARD, is_test: 'all' }, throwOnError: true }).then(({ data }) =>
  console.log(data.data.length),
);
`,
  },
  Orval: {
    npm: ['orval@7.13.2'],
    command: 'orval --config orval.config.js'.split(' '),
    has: (text, id) => text.includes(`export const ${id} = async`),
    complaint: /warn|error|skipp/i,
    program: `
import { listScores } from './client/index';
void listScores({ board_id: BOARD, is_test: 'all' }, { headers: { 'service-api-key': KEY } }).then((answer) => {
  if (answer.status !== 200) throw new Error(String(answer.status));
  console.log(answer.data.data.length);
});
`,
  },
} satisfies Record<string, Generator>;

export type GeneratorName = keyof typeof GENERATORS;

/** Undefined: what the generator needs is on this machine. */
export function lackOf(name: GeneratorName): string | undefined {
  const { npm = [], python }: Generator = GENERATORS[name];
  const tools: string[][] = [];
  if (python) tools.push(['python3', '-c', 'import ensurepip, sys; assert sys.version_info >= (3, 10)']);
  if (npm.includes(WRAPPER)) tools.push(['java', '-version']);
  for (const [command = '', ...args] of tools) {
    try {
      execFileSync(command, args, { stdio: 'ignore' });
    } catch {
      return `${name} is not tested: it needs ${command === 'java' ? 'Java' : 'Python 3.10 with python3-venv'}.`;
    }
  }
  return undefined;
}

/** What the client's files say, each under its name. */
function textOf(dir: string): string {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|py)$/.test(entry.name))
    .map(({ parentPath, name }) => `# ${name}\n${readFileSync(path.join(parentPath, name), 'utf8')}`)
    .join('\n');
}

const TSCONFIG = {
  compilerOptions: {
    ...{ strict: true, target: 'es2022', module: 'nodenext', lib: ['es2022', 'dom', 'dom.iterable'] },
    ...{ outDir: 'out', rootDir: '.', skipLibCheck: true, types: ['node'] },
    typeRoots: [path.join(ROOT, 'node_modules/@types')],
  },
  include: ['program.ts', 'client'],
};

/** A service with a board that has one score of each population, for programs of generated clients. */
export class GeneratedClients {
  private constructor(
    private readonly app: TestApp,
    private readonly dir: string,
    private readonly names: Data,
  ) {}

  static async start(): Promise<GeneratedClients> {
    const app = await startApp();
    const studio = await makeStudio(app);
    const game = await makeGame(studio);
    const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
    for (const testMode of [false, true])
      await submit(await startSession(app, game.id, { testMode }), board.id, 10);
    const KEY = studio.admin.headers['service-api-key'];
    const dir = mkdtempSync(path.join(os.tmpdir(), `leaderboard-test-${process.pid}-generated-`));
    return new GeneratedClients(app, dir, { BASE: app.url, KEY, GAME: game.id, BOARD: board.id });
  }

  async close(): Promise<void> {
    await this.app.close();
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** Installs the generator, generates, compiles and runs. @throws if anything of the document is missing or fails */
  async prove(name: GeneratorName): Promise<void> {
    const { npm, python, command, has, complaint, program }: Generator = GENERATORS[name];
    const cwd = path.join(this.dir, name.replace(/\W+/g, '-'));
    mkdirSync(cwd);
    const places = ['node_modules/.bin', 'venv/bin'].map((place) => path.join(cwd, place));
    const env = {
      ...process.env,
      BASE: this.names.BASE,
      PWD: cwd,
      PATH: [...places, process.env.PATH].join(':'),
    };
    const exec = async (file: string, ...args: string[]): Promise<string> => {
      const done = await run(file, args, { cwd, env, maxBuffer: GIBIBYTE }).catch((error) => {
        throw new Error(`${name}: ${file} ${args.join(' ')}\n${error.stdout}${error.stderr}`);
      });
      return done.stdout + done.stderr;
    };
    const file = (place: string, content: string | Uint8Array) =>
      writeFileSync(path.join(cwd, place), content);
    file('package.json', '{"private": true, "type": "commonjs"}');
    file('openapi.json', await (await fetch(`${this.app.url}/openapi.json`)).text());
    // The wrapper's own file, which names the version of the generator.
    file('openapitools.json', '{"generator-cli": {"version": "7.23.0"}}');
    file('logo.png', PNG);
    const output = { target: 'client/index.ts', client: 'fetch', baseUrl: this.names.BASE };
    file('orval.config.js', `module.exports = ${JSON.stringify({ all: { input: 'openapi.json', output } })}`);
    if (python) {
      await exec('python3', '-m', 'venv', 'venv');
      await exec('pip', 'install', '--quiet', '--disable-pip-version-check', ...python);
    }
    if (npm) await exec('npm', 'install', '--no-audit', '--no-fund', '--save-exact', ...npm);
    const said = await exec(command[0]!, ...command.slice(1));
    const complaints = said.split('\n').filter((line) => complaint.test(line));
    if (complaints.length > 0) throw new Error(`${name} complains:\n${complaints.join('\n')}`);
    const missing = this.#missingFrom(textOf(path.join(cwd, 'client')), cwd, has);
    if (missing.length > 0) throw new Error(`${name} leaves out ${missing.join(', ')}`);
    const printed = program.startsWith('\nimport {')
      ? await this.#typescript(program, file, exec)
      : await this.#python(program, file, exec);
    if (printed.trim() !== '2') throw new Error(`${name}: not two scores, but ${printed}`);
  }

  #missingFrom(text: string, cwd: string, has: Generator['has']): string[] {
    const { paths }: Data = JSON.parse(readFileSync(path.join(cwd, 'openapi.json'), 'utf8'));
    const operations = Object.values<Data>(paths).flatMap((item) => Object.values<Data>(item));
    return operations.map(({ operationId }) => operationId).filter((id) => !has(text, id));
  }

  #constants(line: (name: string, value: string) => string): string {
    return Object.entries<string>(this.names)
      .map(([name, value]) => line(name, JSON.stringify(value)))
      .join('');
  }

  #typescript(program: string, file: (place: string, text: string) => void, exec: Exec): Promise<string> {
    file('tsconfig.json', JSON.stringify(TSCONFIG));
    file('program.ts', `${this.#constants((name, value) => `const ${name} = ${value};\n`)}${program}`);
    const tsc = path.join(ROOT, 'node_modules/.bin/tsc');
    return exec(tsc, '-p', '.').then(() => exec(process.execPath, 'out/program.js'));
  }

  #python(program: string, file: (place: string, text: string) => void, exec: Exec): Promise<string> {
    file('program.py', `${this.#constants((name, value) => `${name} = ${value}\n`)}${program}`);
    return exec('python', '-W', 'error', '-m', 'compileall', '-q', 'client').then(() =>
      exec('python', 'program.py'),
    );
  }
}

type Exec = (file: string, ...args: string[]) => Promise<string>;
