import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { signatureOf } from '../../src/base/outbound/webhook-signature.js';
import { newSecret } from '../../src/webhooks/endpoints/secret.js';
import { SCRATCH } from '../support/scratch.js';
import { until } from '../support/wait.js';

// The receivers of the guide, as they are printed there: each accepts what is signed, and nothing else.

const ROOT = path.resolve(__dirname, '../..');
const GUIDE = readFileSync(path.join(ROOT, 'docs/guides/webhooks.md'), 'utf8');
const blockOf = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(GUIDE)![1]!;

const MCS = '/usr/bin/mcs';
const hasPython = (() => {
  try {
    return (
      execFileSync('python3', ['-c', 'import sys; print(sys.version_info >= (3, 9))'], {
        encoding: 'utf8',
      }).trim() === 'True'
    );
  } catch {
    return false;
  }
})();

const dir = mkdtempSync(path.join(SCRATCH, 'webhook-receivers-'));
const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

const LANGUAGES: [name: string, runs: boolean, start: (env: NodeJS.ProcessEnv) => ChildProcess][] = [
  [
    'ts',
    true,
    (env) => {
      const file = path.join(dir, 'receiver.ts');
      writeFileSync(file, blockOf('ts'));
      const more = { NODE_PATH: path.join(ROOT, 'node_modules') };
      return spawn(process.execPath, ['-r', path.join(ROOT, 'test/support/ts-require.cjs'), file], {
        env: { ...env, ...more },
      });
    },
  ],
  [
    'python',
    hasPython,
    (env) => {
      const file = path.join(dir, 'receiver.py');
      writeFileSync(file, blockOf('python'));
      return spawn('python3', [file], { env });
    },
  ],
  [
    'csharp',
    existsSync(MCS),
    (env) => {
      const file = path.join(dir, 'Receiver.cs');
      writeFileSync(file, blockOf('csharp'));
      execFileSync(MCS, [`-out:${path.join(dir, 'receiver.exe')}`, file]);
      return spawn('mono', [path.join(dir, 'receiver.exe')], { env });
    },
  ],
];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

for (const [language, runs, start] of LANGUAGES) {
  (runs ? test : test.skip)(`the receiver in ${language}`, async () => {
    const secret = newSecret();
    const port = await freePort();
    const child = start({
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      WEBHOOK_SECRET: secret,
      PORT: String(port),
    });
    running.push(child);
    let output = '';
    child.stdout?.on('data', (part) => {
      output += part;
    });
    child.stderr?.on('data', (part) => {
      output += part;
    });
    const post = async (signed: string, at: number, body: string, id = 'dlv_1') => {
      const headers = { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signed };
      const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
      return (await fetch(`http://127.0.0.1:${port}/`, sent)).status;
    };
    await until(
      () =>
        fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' }).then(
          () => true,
          () => false,
        ),
      100,
      `the receiver in ${language}: ${output}`,
    );
    const body = JSON.stringify({ id: 'dlv_1', type: 'board.closed', data: { name: 'Ärmel 🎮' } });
    const now = Math.floor(Date.now() / 1_000);
    const [other, former] = [newSecret(), newSecret()];
    expect(await post(signatureOf([secret], 'dlv_1', now, body), now, body)).toBe(200);
    expect(await post(signatureOf([secret, former], 'dlv_1', now, body), now, body)).toBe(200);
    expect(await post(signatureOf([other], 'dlv_1', now, body), now, body)).toBe(401);
    expect(await post(signatureOf([secret], 'dlv_1', now, body), now, `${body} `)).toBe(401);
    expect(await post(signatureOf([secret], 'dlv_1', now, body), now, body, 'dlv_2')).toBe(401);
    expect(await post(signatureOf([secret], 'dlv_1', now - 3_600, body), now - 3_600, body)).toBe(401);
    await until(() => output.includes('dlv_1'), 50);
    expect(output.match(/dlv_1/g)).toHaveLength(1);
  });
}
