// gdtoolkit, which parses and lints GDScript: of the machine, or from PyPI in a Python environment in the user's cache folder.
const { spawnSync } = require('node:child_process');
const { existsSync, rmSync } = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const WANTED = 'gdtoolkit==4.5.0';
const CACHE = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
const FOLDER = path.join(CACHE, 'leaderboard-service', WANTED);
const PATIENCE_MS = 180_000;

/** One of its programs, e.g. `gdparse`; undefined: it is not here. */
function gdtool(name) {
  const places = [
    path.join(FOLDER, 'bin'),
    ...(process.env.PATH ?? '').split(':'),
    path.join(os.homedir(), '.local/bin'),
  ];
  return places.map((place) => path.join(place, name)).find((file) => existsSync(file));
}

function installGdtoolkit() {
  if (gdtool('gdparse') && gdtool('gdlint')) return;
  process.stdout.write(`Installing ${WANTED} …\n`);
  const run = (program, ...args) => {
    const options = { encoding: 'utf8', timeout: PATIENCE_MS, stdio: ['ignore', 'ignore', 'pipe'] };
    const { status, stderr, error } = spawnSync(program, args, options);
    if (status === 0) return true;
    const reason = error?.message ?? stderr.trim().split('\n').at(-1);
    process.stdout.write(
      `The scripts for Godot are not parsed: ${program} ${args[0]} ${args[1]}: ${reason}\n`,
    );
    // Half an environment would be taken for a whole one.
    rmSync(FOLDER, { recursive: true, force: true });
    return false;
  };
  if (run('python3', '-m', 'venv', FOLDER))
    run(
      path.join(FOLDER, 'bin/python'),
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      WANTED,
    );
}

module.exports = { gdtool, installGdtoolkit };
