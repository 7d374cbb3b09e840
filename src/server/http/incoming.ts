import { IncomingMessage } from 'node:http';

const offers = new WeakMap<IncomingMessage, boolean>();

/**
 * A request whose upgrade offer counts for WebSockets only. Any other offer, like `h2c` of Java's client, is ignored as
 * RFC 9110 section 7.8 allows: the request is served in HTTP/1.1, with its body.
 *
 * Node's parser writes `upgrade` before it knows the headers and reads it afterwards; once it is true, the body is not
 * parsed and the connection is handed over, so that no later code could undo it.
 */
export class Incoming extends IncomingMessage {
  get upgrade(): boolean {
    if (!offers.get(this)) return false;
    return this.method === 'CONNECT' || this.headers.upgrade?.toLowerCase() === 'websocket';
  }

  // The parent's constructor writes it before the fields of this class exist: hence the map.
  set upgrade(offered: boolean | null) {
    offers.set(this, offered === true);
  }

  /**
   * True if an offer was ignored. The connection must then close after the response: the parser drops the bytes after
   * the request in the same packet, where the other protocol would begin.
   */
  get ignoredOffer(): boolean {
    return offers.get(this) === true && !this.upgrade;
  }
}
