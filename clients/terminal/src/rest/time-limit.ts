type Send = (request: Request) => Promise<Response>;

/**
 * Runs `send` within `timeoutMs`, reading of the body included. The timer references all that aborts the request: a
 * derived signal (`AbortSignal.any`, a `Request` made from another one) can be lost to garbage collection.
 * @returns rejects, as does reading the body, with a `DOMException` called `TimeoutError`, or with the reason of the
 * request's own signal
 */
export function withinTime(send: Send, timeoutMs: number): Send {
  return async (request) => {
    const ending = new AbortController();
    const { signal } = ending;
    const ended = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    const late = () => ending.abort(new DOMException(`No response within ${timeoutMs} ms.`, 'TimeoutError'));
    const timer = setTimeout(late, timeoutMs);
    const abort = () => ending.abort(request.signal.reason);
    request.signal.addEventListener('abort', abort);
    const done = () => {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', abort);
    };
    try {
      if (request.signal.aborted) abort();
      const response = await Promise.race([send(new Request(request, { signal })), ended]);
      if (response.body) return withBody(response, readUntil(response.body, signal, done));
      done();
      return response;
    } catch (error) {
      done();
      throw error;
    }
  };
}

function readUntil(body: ReadableStream, signal: AbortSignal, done: () => void): ReadableStream {
  return body.pipeThrough(new TransformStream({ flush: done }), { signal });
}

function withBody(response: Response, body: ReadableStream): Response {
  const { status, statusText, headers, url } = response;
  return Object.defineProperty(new Response(body, { status, statusText, headers }), 'url', { value: url });
}
