// npm run prove:schemathesis [-- --minutes 10] [--as superadmin,device,visitor] [--port 3917] [--version 4.32.5]
//
// Schemathesis (a Python tool) derives requests from the OpenAPI document, valid and invalid ones and sequences of
// them, sends them to the service as `npm start` starts it, with its own data directory, and compares each response
// with the document. One run per caller; streams are left out, because they do not end.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    as: { type: 'string', default: 'superadmin,device,visitor' },
    port: { type: 'string', default: '3917' },
    version: { type: 'string', default: '4.32.5' },
    seed: { type: 'string' },
  },
});
const ROOT = path.resolve(import.meta.dirname, '..');
const SCRATCH = mkdtempSync(path.join(tmpdir(), 'prove-schemathesis-'));
// When started by root, Postgres runs as another user.
chmodSync(SCRATCH, 0o711);
const ADDRESS = `http://127.0.0.1:${options.port}`;
const KEY = 'svc_a-key-for-the-proof-that-no-other-service-has';
const READY_MS = 180_000;

/**
 * Checks whose failure means that the document is wrong or the service has a fault. `positive_data_acceptance` is
 * only reported: JSON Schema can't express rules for cursors, codes or fields that exclude each other.
 */
const REJECTED = 'positive_data_acceptance';

/** The tool's statuses for a refusal, plus 412: a missing or used nonce. */
const SETTINGS = `[checks]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 412, 415, 422, 428, 429, "5xx"]
`;

function run(command, args, settings = {}) {
  return spawnSync(command, args, { encoding: 'utf8', cwd: SCRATCH, ...settings });
}

/** Leaves this process free to read the service's log. */
function runBeside(command, args) {
  return new Promise((resolve) => {
    execFile(command, args, { encoding: 'utf8', cwd: SCRATCH, maxBuffer: 1 << 30 }, (error, stdout, stderr) => {
      // 1: there were failures, which are in the report.
      resolve({ error: error && error.code !== 1 ? error : undefined, stdout, stderr });
    });
  });
}

function python(name) {
  return path.join(SCRATCH, 'venv', process.platform === 'win32' ? 'Scripts' : 'bin', name);
}

/** Returns the path of the installed tool; undefined, after printing the reason, if it is not available. */
function install() {
  for (const [command, ...args] of [
    ['python3', '-m', 'venv', 'venv'],
    [python('pip'), 'install', '--quiet', '--disable-pip-version-check', `schemathesis==${options.version}`],
  ]) {
    const { status, error, stderr } = run(command, args);
    if (status === 0) continue;
    const reason = error?.message ?? stderr.trim().split('\n').at(-1);
    console.log(`Skipped: schemathesis ${options.version} cannot be installed here (${command} ${args[0]}: ${reason}).`);
    return undefined;
  }
  return python('schemathesis');
}

/** Starts the service. @returns a function that stops it and returns its log */
async function start() {
  const service = spawn('npm', ['start', '--silent'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PORT: options.port,
      HOST: '127.0.0.1',
      DATA_DIR: path.join(SCRATCH, 'data'),
      SUPERADMIN_API_KEY: KEY,
      ANONYMOUS_WRITES_PER_MINUTE: 'off',
      HTTP_RATE_LIMIT: 'off',
      LOG_LEVEL: 'warn',
    },
  });
  let log = '';
  for (const stream of [service.stdout, service.stderr]) stream.on('data', (chunk) => { log += chunk; });
  const ended = new Promise((resolve) => { service.once('exit', resolve); });
  const stop = async () => {
    service.kill('SIGTERM');
    await ended;
    return log;
  };
  for (const deadline = Date.now() + READY_MS; ; await new Promise((resolve) => setTimeout(resolve, 200))) {
    const ready = await fetch(`${ADDRESS}/health/ready`).catch(() => undefined);
    if (ready?.ok) return stop;
    if (service.exitCode === null && Date.now() < deadline) continue;
    throw new Error(`The service did not start:\n${await stop()}`);
  }
}

async function call(method, place, body, headers = { 'service-api-key': KEY }) {
  const answer = await fetch(`${ADDRESS}${place}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const json = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${place}: ${JSON.stringify(json)}`);
  return json;
}

/** Makes a game with a board, and returns the access token of a device. */
async function deviceToken() {
  const { account_id } = await call('GET', '/v1/me');
  const game = await call('POST', '/v1/games', { account_id, name: 'Proof' });
  await call('POST', '/v1/boards', { account_id, game_id: game.id, name: 'Points', is_published: true });
  const session = await call('POST', '/v1/client/sessions', { game_id: game.id, client_fingerprint: 'proof' }, {});
  return session.access_token;
}

async function headerOf(caller) {
  if (caller === 'superadmin') return ['-H', `service-api-key:${KEY}`];
  // In the tool's own spelling; otherwise, the request without a credential that it compares with would have this
  // one.
  if (caller === 'device') return ['-H', `Authorization:Bearer ${await deviceToken()}`];
  if (caller === 'visitor') return [];
  throw new Error(`--as takes superadmin, device and visitor, not ${caller}`);
}

/**
 * Returns the cases of a report: each with its request's label, the response's status and body, and the failed
 * checks.
 */
function* casesOf(report) {
  for (const line of readFileSync(report, 'utf8').split('\n')) {
    if (!line.startsWith('{"ScenarioFinished"')) continue;
    const { label, interactions, checks } = JSON.parse(line).ScenarioFinished.recorder ?? {};
    for (const [id, { request, response }] of Object.entries(interactions ?? {})) {
      const failed = (checks[id] ?? []).filter(({ status }) => status === 'failure');
      yield { label, request, status: response?.status_code ?? 0, content: response?.content, failed };
    }
  }
}

function textOf(content) {
  return content ? Buffer.from(content.$base64, 'base64').toString() : '';
}

/** Returns the rule named in a response: its code, or the sentence of the first detail. */
function ruleOf(content) {
  try {
    const { code, details } = JSON.parse(textOf(content));
    return details ? `${code}: ${details[0].msg}` : code;
  } catch {
    return textOf(content).slice(0, 100);
  }
}

/** True if a batch rejects items in its results, with 200 as documented. */
function rejectsItems(label, content) {
  return label.endsWith('/batch') && JSON.parse(textOf(content)).results.some(({ error }) => error !== undefined);
}

function counted(map, name) {
  map.set(name, (map.get(name) ?? 0) + 1);
}

/** Prints a caller's figures. @returns true if each response was one the document announces */
function summary(caller, report) {
  const [statuses, untruths, rules] = [new Map(), new Map(), new Map()];
  let requests = 0;
  let rejected = 0;
  for (const { label, request, status, content, failed } of casesOf(report)) {
    requests += 1;
    counted(statuses, status);
    if (status === 0 || status >= 500) counted(untruths, `${label}: status ${status}, ${textOf(content).slice(0, 200)}`);
    for (const { name, failure_info: info } of failed) {
      if (name === REJECTED) {
        rejected += 1;
        counted(rules, ruleOf(content));
      } else if (name !== 'negative_data_rejection' || !rejectsItems(label, content)) {
        const [first] = String(info?.failure?.message ?? info?.failure?.title).split('\n');
        const kind = `${request.method} ${label.replace(/^[A-Z]+ /, '')}: ${name}: ${first}`;
        if (!untruths.has(kind)) {
          const [sent, got] = [request.body, content].map((body) => textOf(body).slice(0, 1_000));
          console.log(`The first of ${kind}:\n${sent}\n${got}`);
        }
        counted(untruths, kind);
      }
    }
  }
  const listed = (map) => [...map].sort(([, a], [, b]) => b - a).map(([name, count]) => `    ${count} × ${name}`);
  console.log(`${caller}: ${requests} requests, answers by status:`);
  console.log([...statuses].sort().map(([status, count]) => `${count} × ${status || 'none'}`).join(', '));
  console.log(`  ${untruths.size} kinds of answers that the document does not announce`, ...listed(untruths).map((line) => `\n${line}`));
  console.log(`  ${rejected} requests that fit the document and break a rule it cannot say`, ...listed(rules).map((line) => `\n${line}`));
  return requests > 0 && untruths.size === 0;
}

/** @returns true if each response was one the document announces */
async function prove(tool, caller) {
  const stop = await start();
  const report = path.join(SCRATCH, `${caller}.ndjson`);
  let log = '';
  try {
    const args = ['run', `${ADDRESS}/openapi.json`, '--checks', 'all', '--continue-on-failure', '--no-color',
      '--max-time', String(Number(options.minutes) * 60), '--exclude-path-regex', '^/v1/.+/(live|export)$',
      '--suppress-health-check', 'all', '--report', 'ndjson', '--report-ndjson-path', report,
      ...(await headerOf(caller)), ...(options.seed ? ['--seed', options.seed] : [])];
    const { stdout, stderr, error } = await runBeside(tool, args);
    if (error || !existsSync(report)) throw new Error(`schemathesis did not run: ${error ?? stdout + stderr}`);
    const seed = /^Seed: .*/m.exec(stdout)?.[0] ?? '';
    console.log(`\n${seed}`);
    // If it ended or is unreachable, the service would refuse every request the same way.
    await call('GET', '/v1/me');
  } finally {
    log = await stop();
  }
  const faults = log.split('\n').filter((line) => line.includes('request failed'));
  if (faults.length > 0) console.log(`Log of the service:\n${faults.join('\n').slice(0, 20_000)}`);
  return summary(caller, report);
}

try {
  writeFileSync(path.join(SCRATCH, 'schemathesis.toml'), SETTINGS);
  const tool = install();
  let proven = true;
  if (tool) for (const caller of options.as.split(',')) proven = (await prove(tool, caller)) && proven;
  process.exitCode = proven ? 0 : 1;
} finally {
  rmSync(SCRATCH, { recursive: true, force: true });
}
