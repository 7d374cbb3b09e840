import type { Worker } from 'node:cluster';

/** A connection as node:cluster sends it to a worker: a handle of the Node.js runtime. */
interface Handle {
  close(...args: unknown[]): void;
}

/**
 * Closes, when a worker dies, the connections that were sent to it and that it had not accepted. node:cluster closes
 * the primary's handle only when the worker acknowledges it, and forgets the others: their callers would wait for ever.
 */
export function closeWithWorker({ process: child }: Worker): void {
  const underWay = new Set<Handle>();
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  const watched = (...args: unknown[]) => {
    const [, handle] = args;
    if (isHandle(handle)) {
      const close = handle.close.bind(handle);
      underWay.add(handle);
      handle.close = (...rest) => {
        underWay.delete(handle);
        close(...rest);
      };
    }
    return send(...args);
  };
  Object.assign(child, { send: watched });
  child.once('exit', () => {
    for (const handle of [...underWay]) handle.close();
  });
}

function isHandle(sent: unknown): sent is Handle {
  return typeof sent === 'object' && sent !== null && 'close' in sent && typeof sent.close === 'function';
}
