import {
  type Attributes,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

// Spans of the service. Until `startTracing` nothing below runs but a check of a flag. No name and no attribute holds
// text that a caller chose.

let tracing = false;

/** True if traces are recorded: OpenTelemetry's SDK is registered (process/tracing.ts). */
export function isTracing(): boolean {
  return tracing;
}

export function startTracing(): void {
  tracing = true;
}

const tracer = () => trace.getTracer('leaderboard-service');

/** Starts a span below the active one; undefined if none is active, or if it has ended or is not sampled. */
export function startSpan(name: string, attributes: Attributes, kind = SpanKind.INTERNAL): Span | undefined {
  // Timers and subscriptions keep the context of the request that made them, beyond its end.
  if (!tracing || !trace.getActiveSpan()?.isRecording()) return undefined;
  return tracer().startSpan(name, { kind, attributes });
}

/** Ends a span as failed. Messages of errors are left out: they may quote values. */
export function failSpan(span: Span, code: string | undefined): void {
  if (code !== undefined) span.setAttribute('error.type', code);
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Does work within a span below the active one, and ends it with the work. */
export function withSpan<T>(
  name: string,
  attributes: Attributes,
  work: () => T | Promise<T>,
): T | Promise<T> {
  const span = startSpan(name, attributes);
  if (!span) return work();
  const ended = (error: unknown): never => {
    failSpan(span, undefined);
    throw error;
  };
  try {
    const result = context.with(trace.setSpan(context.active(), span), work);
    if (result instanceof Promise) {
      return result.then((value) => {
        span.end();
        return value;
      }, ended);
    }
    span.end();
    return result;
  } catch (error) {
    return ended(error);
  }
}

/**
 * Does a request's work within its span, which continues the trace of its caller (`traceparent`).
 * @param headers the request's
 */
export function withRequestSpan(
  headers: Record<string, string | string[] | undefined>,
  name: string,
  work: (span: Span) => Promise<void>,
): Promise<void> {
  const caller = propagation.extract(ROOT_CONTEXT, headers);
  return tracer().startActiveSpan(name, { kind: SpanKind.SERVER }, caller, async (span) => {
    try {
      await work(span);
    } finally {
      span.end();
    }
  });
}

/** Members of a log line: the ids of the active trace. */
export function activeTrace(): { traceId?: string; spanId?: string } {
  const { traceId, spanId } = trace.getActiveSpan()?.spanContext() ?? {};
  return traceId === undefined ? {} : { traceId, spanId };
}
