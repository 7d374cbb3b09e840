// Prints the figures of the code base as a Markdown table: `node tools/house.mjs [folder of a built checkout]`. With `--check` it
// counts what has a bound, and fails beyond it (part of `npm run lint`).
// The files that a request runs through are counted by V8's own coverage in a service that this script starts.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { WebSocket } from 'ws';

const CHECK = process.argv.includes('--check');
const ROOT = path.resolve(process.argv.slice(2).find((word) => word !== '--check') ?? '.');
const SRC = path.join(ROOT, 'src');
/** Until operations are compiled and caches are filled. */
const WARM_UP = 30;
/** Background work (timers, jobs) is absent from at least one of this many samples. */
const SAMPLES = 5;

function filesBelow(dir, ending) {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(dir, entry.name);
    if (entry.isDirectory()) return ['generated', 'node_modules', 'dist'].includes(entry.name) ? [] : filesBelow(full, ending);
    return entry.name.endsWith(ending) ? [full] : [];
  });
}

const files = filesBelow(SRC, '.ts');
/** A package of its own, held to the same bounds. */
const terminal = filesBelow(path.join(ROOT, 'clients/terminal/src'), '.ts');
const texts = new Map([...files, ...terminal].map((file) => [file, readFileSync(file, 'utf8')]));
const linesOf = (list) => list.reduce((sum, file) => sum + texts.get(file).split('\n').length - 1, 0);

function folders() {
  const sizes = new Map();
  for (const file of files) sizes.set(path.dirname(file), (sizes.get(path.dirname(file)) ?? 0) + 1);
  const loose = sizes.get(SRC) ?? 0;
  sizes.delete(SRC);
  const [name, size] = [...sizes].sort((a, b) => b[1] - a[1])[0];
  return { loose, largest: `${size} (${path.relative(SRC, name)})` };
}

function importsOf(file) {
  const named = texts.get(file).matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g);
  return [...named]
    .map(([, name]) => path.resolve(path.dirname(file), name.replace(/\.js$/, '.ts')))
    .filter((target) => texts.has(target));
}

/**
 * Groups of files that import each other in a cycle, type imports included (Tarjan's strongly connected
 * components).
 */
function cycles() {
  const index = new Map();
  const low = new Map();
  const stack = [];
  const found = [];
  const visit = (file) => {
    index.set(file, index.size);
    low.set(file, index.get(file));
    stack.push(file);
    for (const target of importsOf(file)) {
      if (!index.has(target)) visit(target);
      if (stack.includes(target)) low.set(file, Math.min(low.get(file), low.get(target)));
    }
    if (low.get(file) !== index.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) found.push(group);
  };
  for (const file of texts.keys()) if (!index.has(file)) visit(file);
  return found;
}

/** Names of top-level declarations that two files or more define. */
function sharedNames() {
  const places = new Map();
  for (const file of files) {
    const names = texts.get(file).matchAll(
      /^(?:export )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let|enum) (\w+)/gm,
    );
    for (const name of new Set([...names].map((match) => match[1]))) {
      places.set(name, [...(places.get(name) ?? []), file]);
    }
  }
  return [...places].filter(([, where]) => where.length > 1);
}

/** Exports of `src` and of the terminal by file: their names and, separately, those imported by other files of the repository. */
function exports() {
  const readers = ['test', 'bench', 'seeds', 'examples', 'web', 'clients', 'tools'].flatMap((folder) =>
    ['.ts', '.tsx', '.mjs', '.cjs'].flatMap((ending) => filesBelow(path.join(ROOT, folder), ending)),
  );
  const defined = new Map();
  const taken = new Map();
  const take = (file, from, names) => {
    const target = path.resolve(path.dirname(file), from.replace(/^(.*)\bdist\/src\//, '$1src/')).replace(/\.js$/, '.ts');
    if (texts.has(target)) for (const name of names) taken.set(target, (taken.get(target) ?? new Set()).add(name));
  };
  const named = (list) => list.split(',').map((name) => name.trim().replace(/^type /, '').split(/ as |:/)[0]);
  for (const file of new Set([...files, ...readers])) {
    const text = texts.get(file) ?? readFileSync(file, 'utf8');
    if (texts.has(file)) {
      const found = text.matchAll(/^export (?:declare |abstract |async )*(?:function\*?|class|interface|type|const|let|enum) (\w+)/gm);
      defined.set(file, new Set([...found].map((match) => match[1])));
    }
    const lists = text.matchAll(/^(?:import|export) (?:type )?(?:\w+, )?\{([^}]*)\} from '([^']+)'/gm);
    for (const [, list, from] of lists) take(file, from, named(list));
    // A whole module: any of its names may be used.
    for (const [, from] of text.matchAll(/^(?:import|export) (?:type )?\*(?: as \w+)? from '([^']+)'/gm)) take(file, from, ['*']);
    const calls = text.matchAll(/(?:\{([^}]*)\} = (?:await )?)?\b(?:import|require\w*)\(\s*'([^']+)'/g);
    for (const [, list, from] of calls) take(file, from, list ? named(list) : ['*']);
  }
  return { defined, taken };
}

/** Exported names that no other file imports. What the terminal shares with src/base is one text in both. */
function unneededExports({ defined, taken }) {
  const own = [...defined].filter(([file]) => !file.includes('/clients/terminal/src/base/'));
  return own.flatMap(([file, names]) => {
    const used = taken.get(file) ?? new Set();
    return used.has('*') ? [] : [...names].filter((name) => !used.has(name)).map((name) => `${path.relative(SRC, file)} ${name}`);
  });
}

/** Names that two files or more of `src` export. */
function exportedTwice({ defined }) {
  const places = new Map();
  for (const [file, names] of defined) {
    if (!file.startsWith(SRC)) continue;
    for (const name of names) places.set(name, [...(places.get(name) ?? []), path.relative(SRC, file)]);
  }
  return [...places].filter(([, where]) => where.length > 1).map(([name, where]) => `${name} ${where.join(' ')}`);
}

/** Constants that name milliseconds or a limit other than by `_MS`, `MOST_`, `LARGEST_`, `LONGEST_`. */
function oddConstants() {
  const odd = /^(?:export )?const (\w+_MILLIS|MAX_\w+)\b/gm;
  return [...texts].flatMap(([file, text]) => [...text.matchAll(odd)].map(([, name]) => `${path.relative(SRC, file)} ${name}`));
}

/** Files that execute an operation with graphql-js or graphql-jit. */
function executors() {
  const calls = /(?<![.\w])(?:execute|subscribe|graphql|compileQuery)\(\s*[{\w]/;
  const imports = /import \{[^}]*\b(?:execute|subscribe|graphql|compileQuery)\b[^}]*\} from '(?:graphql|graphql-jit)'/;
  return files.filter((file) => imports.test(texts.get(file)) && calls.test(texts.get(file)));
}

/** As `wc -w` counts them. */
function words() {
  const clients = filesBelow(path.join(ROOT, 'clients'), 'README.md');
  const roots = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((name) => path.join(ROOT, name));
  const documents = [...roots, ...filesBelow(path.join(ROOT, 'docs'), '.md'), ...clients];
  return documents.reduce((sum, file) => sum + readFileSync(file, 'utf8').split(/\s+/).filter(Boolean).length, 0);
}

/** Lines of code shared by tests, without the tables in `test/fixtures`. */
function supportLines() {
  const shared = ['.ts', '.cjs'].flatMap((ending) => filesBelow(path.join(ROOT, 'test/support'), ending));
  return shared.reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1, 0);
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Calls methods of the Chrome DevTools protocol; events are ignored. */
async function inspector(url) {
  const socket = new WebSocket(url, { maxPayload: 1 << 30 });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const waiting = new Map();
  socket.on('message', (data) => {
    const { id, result } = JSON.parse(String(data));
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let last = 0;
  return {
    call: (method, params = {}) =>
      new Promise((resolve) => {
        waiting.set(++last, resolve);
        socket.send(JSON.stringify({ id: last, method, params }));
      }),
    close: () => socket.close(),
  };
}

/** Starts the built service on a data directory of its own. */
async function startService() {
  const data = mkdtempSync(path.join(tmpdir(), 'leaderboard-house-'));
  // When started by root, Postgres runs as another user.
  chmodSync(data, 0o711);
  const port = await freePort();
  const key = `svc_${'house'.repeat(9).slice(0, 43)}`;
  const env = {
    ...process.env,
    PORT: String(port),
    HOST: '127.0.0.1',
    DATA_DIR: data,
    SUPERADMIN_API_KEY: key,
    ANTI_CHEAT: 'false',
    ANONYMOUS_WRITES_PER_MINUTE: 'off',
    LOG_LEVEL: 'error',
  };
  // Versions without this setting refuse to start with it.
  if (![...texts.values()].some((text) => text.includes('ANONYMOUS_WRITES_PER_MINUTE'))) {
    delete env.ANONYMOUS_WRITES_PER_MINUTE;
  }
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', path.join(ROOT, 'dist/src/main.js')], { env, cwd: ROOT });
  const debuggerUrl = await new Promise((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
      const url = /ws:\/\/\S+/.exec(said)?.[0];
      if (url) resolve(url);
    });
    child.once('exit', () => reject(new Error(`The service did not start: ${said}`)));
  });
  const refused = new Promise((_, reject) => child.once('exit', () => reject(new Error('The service ended: run it by hand'))));
  refused.catch(() => undefined);
  const base = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + 60_000;
  const isReady = () => fetch(`${base}/health/ready`).then((answer) => answer.ok, () => false);
  while (!(await Promise.race([isReady(), refused]))) {
    if (Date.now() > deadline) throw new Error('The service was not ready within a minute');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const stop = () =>
    new Promise((resolve) => {
      child.once('exit', () => {
        rmSync(data, { recursive: true, force: true });
        resolve();
      });
      child.kill('SIGTERM');
    });
  return { base, key, debuggerUrl, stop };
}

/** The four requests; each returns when its response has arrived. */
async function requests({ base, key }) {
  const call = async (place, headers, body) => {
    const answer = await fetch(`${base}${place}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', ...headers },
      body: body && JSON.stringify(body),
    });
    const json = await answer.json();
    if (!answer.ok || json.errors) throw new Error(`${place} answered ${answer.status}: ${JSON.stringify(json)}`);
    return json;
  };
  const admin = { 'service-api-key': key };
  const account = await call('/v1/accounts', admin, { name: 'House' });
  const game = await call('/v1/games', admin, { account_id: account.id, name: 'House' });
  const board = await call('/v1/boards', admin, { account_id: account.id, game_id: game.id, name: 'B', keep_strategy: 'best' });
  const session = await call('/v1/client/sessions', {}, { game_id: game.id, client_fingerprint: 'house' });
  const bearer = { authorization: `Bearer ${session.access_token}` };
  let value = 0;
  let nonce;
  const takeNonce = async () => {
    nonce = (await call('/v1/client/nonce', bearer)).nonce_value;
  };
  const submit = () =>
    call('/v1/client/scores', { ...bearer, 'service-client-nonce': nonce }, {
      board_id: board.id,
      player_name: 'Ann',
      value: (value += 1),
    });
  const boards = '{ boards(first: 5) { nodes { id name slug } } }';

  const messages = [];
  const socket = new WebSocket(`${base.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await new Promise((resolve) => socket.once('open', resolve));
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  const message = async () => {
    const deadline = Date.now() + 10_000;
    while (messages.length === 0) {
      if (Date.now() > deadline) throw new Error('No live message within ten seconds');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return messages.shift();
  };
  socket.send(JSON.stringify({ type: 'connection_init', payload: {} }));
  await message();
  const watch = () => {
    const query = `subscription { boardChanged(boardId: "${board.id}", first: 5) { version entries { nodes { playerName value } } } }`;
    socket.send(JSON.stringify({ id: 'w', type: 'subscribe', payload: { query } }));
    return message();
  };
  return {
    close: () => socket.close(),
    rows: {
      'submit by REST': { before: takeNonce, run: submit },
      'page by REST': { run: () => call(`/v1/client/scores?board_id=${board.id}&limit=10`, bearer) },
      'boards by GraphQL': { run: () => call('/graphql', admin, { query: boards }) },
      'commit to socket': {
        start: watch,
        // The first row counts the submission's own files; this one those that run after its response.
        before: async () => {
          await takeNonce();
          messages.length = 0;
        },
        run: submit,
        after: message,
      },
    },
  };
}

async function filesPerRequest() {
  const service = await startService();
  const { call, close } = await inspector(service.debuggerUrl);
  await call('Profiler.enable');
  await call('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const used = async () => {
    const { result } = await call('Profiler.takePreciseCoverage');
    const own = result.filter(({ url }) => url.includes('/dist/src/'));
    // A function that begins at 0 is the script itself, which runs when it is loaded.
    const runs = ({ ranges: [whole] }) => whole.startOffset > 0 && whole.count > 0;
    return new Set(own.filter(({ functions }) => functions.some(runs)).map(({ url }) => url));
  };
  const { rows, close: end } = await requests(service);
  const counts = {};
  const submitted = new Set();
  for (const [name, row] of Object.entries(rows)) {
    await row.start?.();
    const once = async () => {
      await row.before?.();
      await used();
      await row.run();
      await row.after?.();
    };
    for (let round = 0; round < WARM_UP; round++) await once();
    let common;
    for (let sample = 0; sample < SAMPLES; sample++) {
      await once();
      const now = await used();
      common = common ? new Set([...common].filter((url) => now.has(url))) : now;
    }
    if (name === 'submit by REST') for (const url of common) submitted.add(url);
    counts[name] = name === 'commit to socket' ? [...common].filter((url) => !submitted.has(url)).length : common.size;
    if (process.env.SHOW_FILES) {
      process.stderr.write(`${name}\n${[...common].map((url) => `  ${url.split('/dist/src/')[1]}`).sort().join('\n')}\n`);
    }
  }
  end();
  close();
  await service.stop();
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(' · ');
}

/** The current SQL functions: total lines, and lines of each. */
function sqlFunctions() {
  const sizes = [];
  let total = 0;
  for (const file of filesBelow(path.join(ROOT, 'migrations/functions'), '.sql')) {
    const text = readFileSync(file, 'utf8');
    total += text.split('\n').length - 1;
    for (const part of text.split(/^(?=create or replace function )/m).slice(1)) {
      const [whole] = (/\bas \$\$/.test(part) ? /^[\s\S]*?\$\$;$/m : /^[\s\S]*?;$/m).exec(part);
      sizes.push([/function (\w+)/.exec(part)[1], whole.split('\n').length]);
    }
  }
  return { total, sizes: sizes.sort((a, b) => b[1] - a[1]) };
}

/** Pairs of folders within one top folder of `src` that import each other. */
function mutualFolders() {
  const arrows = new Set();
  for (const file of files) {
    const from = path.relative(SRC, path.dirname(file));
    for (const target of importsOf(file)) arrows.add(`${from} ${path.relative(SRC, path.dirname(target))}`);
  }
  return [...arrows].filter((arrow) => {
    const [from, to] = arrow.split(' ');
    return from < to && from.split(path.sep)[0] === to.split(path.sep)[0] && arrows.has(`${to} ${from}`);
  });
}

/** Both read any text as some moment, in the machine's time zone: only the service's own times go there. */
function looseMoments() {
  const own = ['server/pages', 'boards/views', 'submissions/read'].map((folder) => path.join(SRC, folder));
  const loose = /\bDate\.parse\(|\bnew Date\((?:String\()?(?:text|value|whole|header|raw)\b/;
  return [...texts]
    .filter(([file, text]) => loose.test(text) && !own.some((folder) => file.startsWith(folder)))
    .map(([file]) => path.relative(SRC, file));
}

/** Folders of code that is made by programs, or is data of tests. */
const NOT_WRITTEN = /(?:^|\/)(?:generated|__generated__|fixtures|dist|node_modules)\/|^src\/hooks\/printed\.ts$/;

/** Lines of code above 140 characters. Markup, patterns and data (80 characters without a blank) have no better place to break. */
function longLines() {
  const folders = ['src', 'test', 'bench', 'seeds', 'examples', 'web', 'clients', 'tools'];
  const endings = ['.ts', '.tsx', '.mjs', '.cjs'];
  const written = folders.flatMap((folder) => endings.flatMap((ending) => filesBelow(path.join(ROOT, folder), ending)));
  return written.flatMap((file) => {
    const name = path.relative(ROOT, file);
    if (NOT_WRITTEN.test(name)) return [];
    const lines = readFileSync(file, 'utf8').split('\n');
    const isLong = (line) => line.length > 140 && !/(?<!\w)<[a-z]|<\/[a-z]|\S{80}/.test(line);
    return lines.flatMap((line, at) => (isLong(line) ? [`${name}:${at + 1}`] : []));
  });
}

/** What a field of a board needs by hand: files and lines of the patch that `npm run prove:field` applies. */
function placesOfField() {
  const patch = readFileSync(path.join(ROOT, 'test/field/board-field.patch'), 'utf8');
  const parts = patch.split(/^diff --git a\/(?=\S+ b\/)/m).slice(1);
  const added = parts.map((part) => ({ file: part.split(' ')[0], lines: part.match(/^\+(?!\+\+ )/gm).length }));
  const of = (folders, outside = false) => {
    const those = added.filter(({ file }) => folders.test(file) !== outside);
    return `${those.length} · ${those.reduce((sum, { lines }) => sum + lines, 0)}`;
  };
  return `${of(/^test\//, true)} (\`src\` ${of(/^src\//)}, console ${of(/^web\//)}); tests ${of(/^test\//)}`;
}

const exported = exports();
/** What must not grow; if a number falls, it becomes the limit. */
const bounded = [
  ['exported names that no other file uses', unneededExports(exported), 0],
  ['names exported by two files or more', exportedTwice(exported), 7],
  ['constants `_MILLIS`, `MAX_`', oddConstants(), 8],
  ['files that read times of others without base/moments', looseMoments(), 0],
  ['lines of code above 140 characters', longLines(), 80],
];
for (const [name, found, bound] of bounded) {
  if (found.length <= bound) continue;
  process.stderr.write(`${name}: ${found.length}, at most ${bound}\n${found.map((one) => `  ${one}\n`).join('')}`);
  process.exitCode = 1;
}
if (CHECK) process.exit();

const sql = sqlFunctions();
const { loose, largest } = folders();
const circles = cycles();
const names = sharedNames();
const rows = [
  ['files in `src`, generated code and clients apart', files.length],
  ['lines in them', linesOf(files)],
  ['files of the terminal', terminal.length],
  ['lines in them', linesOf(terminal)],
  ['largest flat folder', largest],
  ['loose files in `src/`', loose],
  ['lines of SQL functions', sql.total],
  ['SQL functions', sql.sizes.length],
  ['the longest of them', sql.sizes.slice(0, 3).map(([name, size]) => `${name} ${size}`).join(' · ')],
  ['pairs of folders in one room that import each other', mutualFolders().length],
  ['files that one request runs through', await filesPerRequest()],
  ['files that execute a GraphQL operation', executors().length],
  ['places of a board field: files · lines', placesOfField()],
  ['groups of files that import each other in a circle', circles.length],
  ['names defined in two files or more', names.length],
  ...bounded.map(([name, found]) => [name, found.length]),
  ['lines of support code of tests', supportLines()],
  ['words of the documents', words()],
];
process.stdout.write(`| | figure |\n|---|---|\n${rows.map(([name, figure]) => `| ${name} | ${figure} |`).join('\n')}\n`);
if (process.env.SHOW_FILES) {
  for (const group of circles) process.stderr.write(`circle: ${group.map((file) => path.relative(SRC, file)).join(', ')}\n`);
  process.stderr.write(`${names.map(([name, where]) => `${name} ${where.length}`).join(', ')}\n`);
}
