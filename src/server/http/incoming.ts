import { IncomingMessage } from 'node:http';

const offers = new WeakMap<IncomingMessage, boolean>();

/**
 * A request whose offer to upgrade counts for WebSockets only. Any other one, like `h2c` of Java's client, is ignored
 * as RFC 9110 section 7.8 allows: the request is served in HTTP/1.1, with its body.
 *
 * Node's parser writes `upgrade` before it knows the headers and reads it after; once it is true, the body is no
 * longer parsed and the connection is handed over, so that nothing later could undo it.
 */
export class Incoming extends IncomingMessage {
  get upgrade(): boolean {
    if (!offers.get(this)) return false;
    return this.method === 'CONNECT' || this.headers.upgrade?.toLowerCase() === 'websocket';
  }

  // The parent's constructor writes it, too, when fields of this class are not there yet: hence the map.
  set upgrade(offered: boolean | null) {
    offers.set(this, offered === true);
  }

  /**
   * Whether an offer was ignored. The connection must then end with the answer: the parser drops what follows the
   * request in the same packet, where the other protocol would begin.
   */
  get ignoredOffer(): boolean {
    return offers.get(this) === true && !this.upgrade;
  }
}
