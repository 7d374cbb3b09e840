// Page tests need a Chromium. On Debian as root, the headless shell is installed: the same engine, for about half
// the CPU. Elsewhere an installed one is used.
const { execFileSync, spawnSync } = require('node:child_process');
const { existsSync, accessSync, constants } = require('node:fs');
const path = require('node:path');

const SHELL = 'chromium-headless-shell';
const NAMES = [
  SHELL,
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
];
const PLACES = [
  `/usr/bin/${SHELL}`,
  '/usr/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The browser that page tests drive: CHROMIUM_PATH, otherwise the first one found; undefined: none. */
function findBrowser() {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  const onPath = (process.env.PATH ?? '')
    .split(path.delimiter)
    .flatMap((dir) => NAMES.map((name) => path.join(dir, name)));
  return [...onPath, ...PLACES].find((file) => existsSync(file) && isProgram(file));
}

const isDebianRoot = () => process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0;

function installPackage(name) {
  process.stdout.write(`Installing ${name} for the page tests …\n`);
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  execFileSync('apt-get', ['update', '-qq'], options);
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], options);
}

function ensureBrowser() {
  const found = findBrowser();
  if (process.env.CHROMIUM_PATH || found?.endsWith(SHELL)) return;
  if (isDebianRoot()) {
    try {
      installPackage(SHELL);
      return;
    } catch {
      // Older releases only have the complete browser.
      if (!found) installPackage('chromium');
    }
  } else if (!found) {
    process.stderr.write(
      'Page tests need Chromium or Chrome: install one, or set CHROMIUM_PATH to where it is.\n',
    );
    process.exit(1);
  }
}

if (require.main === module) ensureBrowser();

module.exports = { findBrowser };
