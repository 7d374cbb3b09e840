import { GraphiQL } from 'graphiql';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type AccountIds, readAccountIds } from './account-ids.js';
import {
  type Credentials,
  forgetCredentials,
  headersFor,
  loadCredentials,
  noCredentials,
  saveCredentials,
} from './credentials.js';
import { CredentialsBar } from './credentials-bar.js';
import { type BoardName, examplesOn } from './examples.js';
import { asText, ExamplesMenu } from './examples-menu.js';
import { createFetcher } from './fetcher.js';
import { FillIds } from './fill-ids.js';
import { Live } from './live.js';
import { storageWithoutHeaders } from './storage.js';
import { SystemTheme } from './system-theme.js';

/** Relative to the page: a proxy may serve the service below a path. */
const GRAPHQL = new URL('graphql', location.href).href;

function tabsOf(board: BoardName | undefined) {
  return examplesOn(board).map(({ query, variables, headers }) => ({
    query,
    variables: asText(variables),
    headers: asText(headers),
  }));
}

/** The page: the credentials bar above GraphiQL. @param board the first example is on it */
export function Explorer({ headerPrefix, board }: { headerPrefix: string; board?: BoardName | undefined }) {
  const [exampleTabs] = useState(() => tabsOf(board));
  const [credentials, setCredentials] = useState(loadCredentials);
  // Read when an operation is sent: a new fetcher at every keystroke in the bar would make GraphiQL ask for the schema.
  const toSend = useRef(credentials);
  const schemaKnown = useRef(true);
  const [ids, setIds] = useState<AccountIds>({});
  const readIds = useCallback(async () => {
    const { sendAs, apiKey } = toSend.current;
    const known = sendAs === 'apiKey' && apiKey !== '';
    setIds(known ? await readAccountIds(GRAPHQL, headersFor(toSend.current, headerPrefix)) : {});
  }, [headerPrefix]);
  // A key of this tab from before it was loaded again.
  useEffect(() => void readIds(), [readIds]);
  const [live] = useState(() => new Live(GRAPHQL.replace(/^http/, 'ws')));
  const [fetcher, setFetcher] = useState(newFetcher);

  function newFetcher() {
    return createFetcher({
      url: GRAPHQL,
      live,
      headers: (editor) => headersFor(toSend.current, headerPrefix, editor),
      onSchema: (known) => {
        schemaKnown.current = known;
      },
      // It may have made the account's first game or board.
      onMutation: () => void readIds(),
    });
  }

  function use(next: Credentials) {
    toSend.current = next;
    setCredentials(next);
    live.end('Ended: the key or token above was changed. Press play to watch with the new one.');
  }

  return (
    <>
      <CredentialsBar
        credentials={credentials}
        onChange={(next) => {
          saveCredentials(next);
          use(next);
        }}
        onForget={() => {
          forgetCredentials();
          use(noCredentials);
        }}
        onDone={() => {
          // GraphiQL asks for the schema whenever its fetcher is a new one.
          if (!schemaKnown.current) setFetcher(newFetcher);
          void readIds();
        }}
      />
      <GraphiQL
        fetcher={fetcher}
        storage={storageWithoutHeaders}
        shouldPersistHeaders={false}
        defaultTabs={exampleTabs}
        defaultQuery=""
        defaultEditorToolsVisibility={true}
      >
        <GraphiQL.Logo>
          <ExamplesMenu ids={ids} />
        </GraphiQL.Logo>
        <SystemTheme />
        <FillIds ids={ids} />
      </GraphiQL>
    </>
  );
}
