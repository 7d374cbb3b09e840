// A board's ranking in pages with Relay, as a studio and as a visitor reads it. LEADERBOARD_URL, LEADERBOARD_API_KEY and
// BOARD_ID name a service, a studio and a published board with more than two players; npm start.
import './dom.js';
import assert from 'node:assert/strict';
import { Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { RelayEnvironmentProvider } from 'react-relay';
import { Environment, Network, RecordSource, Store } from 'relay-runtime';
import { BoardPage, PublicPage } from './boards.js';

const { LEADERBOARD_URL: url, LEADERBOARD_API_KEY: key, BOARD_ID: id } = process.env;
assert(url && key && id, 'Set LEADERBOARD_URL, LEADERBOARD_API_KEY and BOARD_ID.');

// Relay warns where two records of different types have one id.
const warnings = [];
console.error = (...words) => warnings.push(words.join(' '));
console.warn = console.error;

function environmentOf(headers) {
  const fetchOperation = async ({ text }, variables) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: text, variables }),
    });
    return response.json();
  };
  return new Environment({
    network: Network.create(fetchOperation),
    store: new Store(new RecordSource()),
  });
}

async function until(found, what) {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const value = found();
    if (value) return value;
    assert(Date.now() < deadline, `${what}\n${document.body.innerHTML}\n${warnings.join('\n')}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

const rows = () => [...document.querySelectorAll('li')].map(({ value, textContent }) => [value, textContent]);

/** Every page, by its button. */
async function walk(environment, page) {
  const root = createRoot(document.querySelector('main'));
  root.render(
    <RelayEnvironmentProvider environment={environment}>
      <Suspense fallback="Loading">{page}</Suspense>
    </RelayEnvironmentProvider>,
  );
  await until(() => rows().length === 2, 'The first page did not come.');
  for (let button = document.querySelector('button'); button; button = document.querySelector('button')) {
    const before = rows().length;
    button.click();
    await until(() => rows().length > before, 'The next page did not come.');
  }
  const all = rows();
  root.unmount();
  return all;
}

async function main() {
  const studio = environmentOf({ 'service-api-key': key });
  const seen = await walk(studio, <BoardPage id={id} />);
  assert(seen.length > 2);
  assert.deepEqual(
    seen.map(([rank]) => rank),
    seen.map((_row, i) => i + 1),
  );
  // One store for both: a board and what is public of it stay two records.
  assert.deepEqual(await walk(studio, <PublicPage id={id} />), seen);
  assert.deepEqual(await walk(environmentOf({}), <PublicPage id={id} />), seen);
  assert.deepEqual(warnings, []);
  for (const [rank, text] of seen) console.log(`${rank}. ${text}`);
  console.log(`${seen.length} entries in pages of two, as studio and as visitor, without a warning.`);
}

main().catch((error) => {
  console.log(error);
  process.exitCode = 1;
});
