import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Data } from '../support/http.js';
import { patience } from '../support/wait.js';

/** Of this version, and of 26 November, whose schema is another one. */
const WATCHES = ['entries', 'scores'].map(
  (entries) => `subscription ($id: ID!) { boardChanged(boardId: $id, first: 5) {
  version entries: ${entries} { nodes { rank playerName value } } } }`,
);
/** Between the end of a connection and the next attempt. */
const PAUSE_MS = 50;

interface State {
  version: number;
  scores: string[];
}

/**
 * Watches the first five of a board as a page or a game does: opens another connection when one ends. Fails when a version is
 * older than one that was seen, on an earlier connection, too.
 */
abstract class Viewer {
  /** The newest message. */
  state: State | undefined;
  messages = 0;
  /** Connections that have delivered a state. */
  connections = 0;
  /** The longest time between the last message of a connection and the first one of the next. */
  longestGapMs = 0;
  protected stopped = false;
  #fault: Error | undefined;
  #last = 0;

  constructor(
    protected readonly url: string,
    protected readonly board: string,
    protected readonly token: string,
  ) {}

  /** One connection; resolves when it has ended, however it did. */
  protected abstract connect(): Promise<void>;
  protected abstract cut(): void;

  async watch(): Promise<void> {
    while (!this.stopped) {
      const before = this.messages;
      const ended = this.#last;
      this.onFirst = () => {
        this.connections += 1;
        if (ended > 0) this.longestGapMs = Math.max(this.longestGapMs, performance.now() - ended);
      };
      await this.connect();
      if (this.messages > before) this.#last = performance.now();
      if (!this.stopped) await delay(PAUSE_MS);
    }
  }

  protected onFirst: (() => void) | undefined;

  protected received({ version, scores }: State): void {
    this.onFirst?.();
    this.onFirst = undefined;
    this.messages += 1;
    if (version < (this.state?.version ?? 0)) {
      this.#fault ??= new Error(`version ${version} came after ${this.state?.version}`);
    }
    this.state = { version, scores };
    this.#last = performance.now();
  }

  stop(): void {
    this.stopped = true;
    this.cut();
  }

  check(): void {
    if (this.#fault) throw this.#fault;
  }
}

class SocketViewer extends Viewer {
  #socket: WebSocket | undefined;
  #watch = 0;

  protected connect(): Promise<void> {
    const socket = new WebSocket(`${this.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    this.#socket = socket;
    const send = (frame: object) => socket.send(JSON.stringify(frame));
    socket.on('error', () => undefined);
    socket.on('open', () =>
      send({ type: 'connection_init', payload: { Authorization: `Bearer ${this.token}` } }),
    );
    socket.on('message', (data) => {
      const { type, payload } = JSON.parse(String(data)) as { type: string; payload?: Data };
      if (type === 'connection_ack') {
        const query = WATCHES[this.#watch];
        send({ type: 'subscribe', id: 'watch', payload: { query, variables: { id: this.board } } });
      }
      if (type === 'error') {
        this.#watch = 1 - this.#watch;
        socket.close();
      }
      const changed = payload?.data?.boardChanged;
      if (!changed) return;
      const scores = changed.entries.nodes.map(
        ({ rank, playerName, value }: Data) => `${rank} ${playerName} ${value}`,
      );
      this.received({ version: changed.version, scores });
    });
    return new Promise((resolve) => socket.on('close', () => resolve()));
  }

  protected cut(): void {
    this.#socket?.close();
  }
}

class StreamViewer extends Viewer {
  #ended = new AbortController();

  protected async connect(): Promise<void> {
    this.#ended = new AbortController();
    if (this.stopped) return;
    try {
      const headers = { authorization: `Bearer ${this.token}` };
      const place = `${this.url}/v1/client/boards/${this.board}/live?limit=5`;
      const response = await fetch(place, { headers, signal: this.#ended.signal });
      if (!response.ok) return;
      let text = '';
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
        const events = (text + part).split('\n\n');
        text = events.pop()!;
        for (const event of events) this.#read(event);
      }
    } catch {
      // The connection was cut.
    }
  }

  #read(event: string): void {
    const data = /^data: (.*)$/m.exec(event)?.[1];
    if (!data || !event.includes('event: board')) return;
    const { version, scores } = JSON.parse(data) as Data;
    const lines = scores.map(
      ({ rank, player_name, value }: Data) => `${rank} ${player_name} ${value}`,
    ) as string[];
    this.received({ version, scores: lines });
  }

  protected cut(): void {
    this.#ended.abort();
  }
}

/** Viewers of a board, half of them over sockets and half over server-sent events. */
export class Viewers {
  readonly #viewers: Viewer[];
  readonly #watching: Promise<void>[];

  constructor(
    private readonly url: string,
    private readonly board: string,
    /** Access token of a game client. */
    private readonly token: string,
    count: number,
  ) {
    this.#viewers = Array.from({ length: count }, (_, i) => {
      return i % 2 === 0 ? new SocketViewer(url, board, token) : new StreamViewer(url, board, token);
    });
    this.#watching = this.#viewers.map((viewer) => viewer.watch());
  }

  /** Resolves when each viewer has the board's state. */
  async started(): Promise<void> {
    await this.#until(({ state }) => state !== undefined, 'a first message for each viewer');
  }

  /**
   * Called when nothing is submitted any more: fails unless each viewer has got the board as it is now, and no version ever
   * went back.
   * @returns a line about it
   */
  async check(): Promise<string> {
    const headers = { authorization: `Bearer ${this.token}` };
    const response = await fetch(`${this.url}/v1/client/scores?board_id=${this.board}&limit=5`, { headers });
    const { data } = (await response.json()) as Data;
    const lines = data.map(({ rank, player_name, value }: Data) => `${rank} ${player_name} ${value}`);
    const isRight = ({ state }: Viewer) => JSON.stringify(state?.scores) === JSON.stringify(lines);
    await this.#until(isRight, `the state ${JSON.stringify(lines)} at each viewer`);
    for (const viewer of this.#viewers) viewer.check();
    const versions = new Set(this.#viewers.map(({ state }) => state!.version));
    assert.equal(versions.size, 1, `viewers end at different versions: ${[...versions]}`);
    const sum = (of: (viewer: Viewer) => number) => this.#viewers.reduce((all, one) => all + of(one), 0);
    const gap = Math.max(...this.#viewers.map(({ longestGapMs }) => longestGapMs));
    return (
      `${this.#viewers.length} viewers, ${sum(({ messages }) => messages)} messages over ` +
      `${sum(({ connections }) => connections)} connections, at most ${Math.round(gap)} ms between two of them; no ` +
      `version went back, all have the newest state`
    );
  }

  async close(): Promise<void> {
    for (const viewer of this.#viewers) viewer.stop();
    await Promise.all(this.#watching);
  }

  async #until(holds: (viewer: Viewer) => boolean, what: string): Promise<void> {
    const inTime = patience(what);
    while (!this.#viewers.every(holds)) {
      inTime();
      await delay(20);
    }
  }
}
