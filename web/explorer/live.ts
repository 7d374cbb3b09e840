import type { FetcherParams, Unsubscribable } from '@graphiql/toolkit';
import type { FormattedExecutionResult } from 'graphql';
import { type Client, createClient } from 'graphql-ws';
import type { Headers } from './credentials.js';

type Result = FormattedExecutionResult<Record<string, unknown>, unknown>;

/** Gets the results of a subscription, and sentences about its connection as results with `errors`. */
export interface Observer {
  next(result: Result): void;
  error(fault: unknown): void;
  complete(): void;
}

interface Running {
  /** Shows a sentence above the last result. */
  show(sentence: string): void;
  end(sentence: string): void;
}

/**
 * Subscriptions over graphql-ws: one client per set of headers, because they are sent once, when a socket opens.
 * A lost connection is tried again until it works, and the service then sends the newest state first; a refused one
 * (close codes 4400 to 4499) ends the subscription with the service's words.
 */
export class Live {
  private client: Client | undefined;
  private headers = '';
  private readonly running = new Set<Running>();

  constructor(private readonly url: string) {}

  subscribe(request: FetcherParams, headers: Headers, observer: Observer): Unsubscribable {
    const client = this.clientFor(headers);
    let last: Result = {};
    let shown = '';
    // The client reports the end of what was stopped, at times seconds later, when GraphiQL may run another one.
    const ifRunning = (act: () => void) => this.running.has(subscription) && act();
    const leave = () => {
      this.running.delete(subscription);
      stop();
    };
    const subscription: Running = {
      // Each failed attempt reports again; said once, the pane keeps its scroll position.
      show: (sentence) => {
        if (sentence === shown) return;
        shown = sentence;
        const errors = [{ message: sentence }, ...(last.errors ?? [])];
        observer.next({ errors, data: last.data, extensions: last.extensions });
      },
      end: (sentence) => {
        subscription.show(sentence);
        leave();
        observer.complete();
      },
    };
    this.running.add(subscription);
    const stop = client.subscribe(
      { query: request.query, variables: request.variables, operationName: request.operationName },
      {
        next: (result) =>
          ifRunning(() => {
            shown = '';
            last = result;
            observer.next(result);
          }),
        error: (fault) =>
          ifRunning(() => {
            this.running.delete(subscription);
            observer.error(Array.isArray(fault) ? fault : { message: whyEnded(fault) });
          }),
        complete: () =>
          ifRunning(() => {
            this.running.delete(subscription);
            observer.complete();
          }),
      },
    );
    return { unsubscribe: leave };
  }

  /** Ends every subscription with a sentence; the socket with the former credentials closes with the last of them. */
  end(sentence: string): void {
    for (const subscription of this.running) subscription.end(sentence);
    this.client = undefined;
  }

  private clientFor(headers: Headers): Client {
    const wanted = JSON.stringify(Object.entries(headers).sort());
    if (this.client && this.headers === wanted) return this.client;
    this.end('Ended: a subscription with other headers was started.');
    this.headers = wanted;
    this.client = createClient({
      url: this.url,
      connectionParams: headers,
      retryAttempts: Number.POSITIVE_INFINITY,
      retryWait: (tries) => new Promise((done) => setTimeout(done, Math.min(5000, 250 * 2 ** tries))),
      shouldRetry: (fault) => {
        const sentence = whyLost(fault);
        for (const subscription of this.running) if (sentence) subscription.show(sentence);
        return sentence !== undefined;
      },
    });
    return this.client;
  }
}

/** The cause by which a connection that is worth another try was lost; undefined when the service refuses this caller. */
function whyLost(fault: unknown): string | undefined {
  const goingOn = 'Retrying until it works or you press stop.';
  if (fault instanceof CloseEvent) {
    const refused = fault.code >= 4000 && fault.code !== 4408;
    return refused ? undefined : `The live connection was lost (${described(fault)}). ${goingOn}`;
  }
  // Browsers report a connection that could not be opened as an event without any detail.
  return fault instanceof Event ? `The service cannot be reached. ${goingOn}` : undefined;
}

function whyEnded(fault: unknown): string {
  if (!(fault instanceof CloseEvent)) return fault instanceof Error ? fault.message : String(fault);
  const unknownCaller = fault.code === 4401 || fault.code === 4403;
  const advice = unknownCaller ? ' Check the key or token above the editor, then press play.' : '';
  return `The service closed the live connection (${described(fault)}).${advice}`;
}

function described({ code, reason }: CloseEvent): string {
  return reason ? `${code} ${reason}` : String(code);
}
