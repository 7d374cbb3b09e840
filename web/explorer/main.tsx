import 'graphiql/setup-workers/vite';
import 'graphiql/style.css';
import '../docs/masthead.css';
import './style.css';
import { createRoot } from 'react-dom/client';
import type { BoardName } from './examples.js';
import { Explorer } from './explorer.js';

/** `GET /explorer/config.json`: what this deployment of the service has set. */
interface Config {
  /** First part of the service's own header names, `<headerPrefix>-api-key`. */
  headerPrefix: string;
  /** A board that visitors can see; undefined: the operator has named none. */
  board?: BoardName;
}

async function readConfig(): Promise<Config> {
  const answer = await fetch('explorer/config.json');
  if (!answer.ok) throw new Error(`its settings returned status ${answer.status}`);
  return answer.json();
}

const place = document.getElementById('root');
if (!place) throw new Error('The page has no element with id "root".');
const root = createRoot(place);
readConfig().then(
  ({ headerPrefix, board }) => root.render(<Explorer headerPrefix={headerPrefix} board={board} />),
  (fault: Error) =>
    root.render(
      <p className="fault">The explorer could not start: {fault.message}. Reload the page to try again.</p>,
    ),
);
