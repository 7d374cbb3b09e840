import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { requireCluster, visitServer } from '../../src/process/database.js';
import { clusterOf, embeddedServers, refusal } from '../support/embedded-servers.js';
import { postgres14 } from '../support/postgres-14.js';

const { root, made, start, ask, emptyDirectory } = embeddedServers();

/** Debian's package postgresql-15. */
const DEBIAN_BIN = '/usr/lib/postgresql/15/bin';
const hasDebian = existsSync(path.join(DEBIAN_BIN, 'initdb'));
if (!hasDebian) {
  process.stderr.write(
    `installed-postgres.test.ts: ${DEBIAN_BIN} is missing (apt-get install postgresql-15), its tests are skipped.\n`,
  );
}

const oldestBin = () => path.join(postgres14(), 'bin');

/** Programs that report a version and can do nothing else. */
function programsOf(version: string): string {
  const bin = emptyDirectory();
  mkdirSync(bin);
  for (const name of ['postgres', 'initdb', 'pg_ctl']) {
    writeFileSync(path.join(bin, name), `#!/bin/sh\necho "postgres (PostgreSQL) ${version}"\n`);
    chmodSync(path.join(bin, name), 0o755);
  }
  return bin;
}

(hasDebian ? describe : describe.skip)('a Postgres that is installed on the system', () => {
  it('runs the embedded database, and finds its data again', async () => {
    const dataDir = emptyDirectory();
    const first = await start(dataDir, { installedBin: DEBIAN_BIN });
    const version = await ask(first.connectionString(), 'show server_version_num');
    expect(version).toEqual([expect.stringMatching(/^15/)]);
    await ask(first.connectionString(), `create table kept as select 'here' as word`);
    await first.stop();

    const second = await start(dataDir, { installedBin: DEBIAN_BIN });
    expect(await ask(second.connectionString(), 'select word from kept')).toEqual(['here']);
    // In place: nothing of it is copied into the data directory.
    expect(readdirSync(dataDir).sort()).toEqual(['postgres-15', 'postgres.log']);

    const visit = { databaseUrl: undefined, dataDir, postgresBinDir: DEBIAN_BIN };
    requireCluster(visit);
    const running = await visitServer(visit, pino({ level: 'silent' }));
    expect(await ask(running.connectionString, 'select word from kept')).toEqual(['here']);
    await running.close();
    expect(await ask(second.connectionString(), 'select 1')).toEqual([1]);
    await second.stop();

    const bundled = await refusal(start(dataDir));
    expect(bundled).toMatch(/postgres-15 was created by Postgres 15.*set POSTGRES_BIN_DIR to/);
  });

  it('refuses the data directory of another major version, and leaves it as it is', async () => {
    const names = readdirSync(made);
    const sentence = await refusal(start(made, { installedBin: DEBIAN_BIN }));
    expect(sentence).toContain(clusterOf(made));
    expect(sentence).toMatch(/which Postgres 15 in \S+ cannot open.*change POSTGRES_BIN_DIR.*or unset it/);
    expect(readdirSync(made)).toEqual(names);
  });
});

if (process.platform === 'linux' && process.arch === 'x64') {
  it('a data directory that moved to another version under the same name is refused', async () => {
    const dataDir = emptyDirectory();
    const oldest = await start(dataDir, { installedBin: oldestBin() });
    await oldest.stop();
    writeFileSync(path.join(dataDir, 'postgres-14', 'PG_VERSION'), '13\n');
    const sentence = await refusal(start(dataDir, { installedBin: oldestBin() }));
    expect(sentence).toMatch(/postgres-14 was created by Postgres 13, which Postgres 14 in \S+ cannot open/);
  });
}

if (process.platform !== 'win32') {
  it('a Postgres older than 14 is refused before anything is made', async () => {
    const dataDir = emptyDirectory();
    const sentence = await refusal(start(dataDir, { installedBin: programsOf('13.16') }));
    expect(sentence).toMatch(/^POSTGRES_BIN_DIR contains Postgres 13, but 14 or newer/);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('a folder without server programs, or with ones that do not run, is refused in a sentence', async () => {
    const nowhere = path.join(root, 'nowhere');
    expect(await refusal(start(emptyDirectory(), { installedBin: nowhere }))).toMatch(
      /^POSTGRES_BIN_DIR is \S+nowhere, which contains no postgres\. .*pg_config --bindir/,
    );
    const clientsOnly = programsOf('15.1');
    rmSync(path.join(clientsOnly, 'initdb'));
    expect(await refusal(start(emptyDirectory(), { installedBin: clientsOnly }))).toContain(
      'contains no initdb',
    );
    const broken = programsOf('15.1');
    writeFileSync(path.join(broken, 'postgres'), '#!/bin/sh\necho "no library" >&2\nexit 127\n');
    expect(await refusal(start(emptyDirectory(), { installedBin: broken }))).toMatch(
      /do not run on this system \(no library\)/,
    );
  });
}
