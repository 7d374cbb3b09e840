import { setTimeout as delay } from 'node:timers/promises';
import { context, DiagLogLevel, diag, propagation, trace } from '@opentelemetry/api';
import { SetupError } from '../base/errors.js';
import type { Log } from '../base/log.js';
import { packageVersion } from '../base/package.js';
import { startTracing } from '../base/tracing.js';
import type { Config } from '../config/table.js';
import type { Disposal } from './shutdown.js';

/** For the last spans at the end of the process; a receiver that does not answer delays it no longer. */
const LAST_MS = 2_000;

type TracingSettings = Pick<Config, 'otelExporterOtlpEndpoint' | 'otelServiceName' | 'otelTracesSamplerArg'>;

/**
 * Registers OpenTelemetry's SDK if an endpoint is set; otherwise nothing of it is loaded. To be called before databases
 * and servers are made.
 * @throws SetupError when its packages are not installed
 */
export async function openTracing(settings: TracingSettings, log: Log, disposal: Disposal): Promise<void> {
  const { otelExporterOtlpEndpoint: endpoint, otelServiceName, otelTracesSamplerArg } = settings;
  if (endpoint === undefined) return;
  const { sdk, exporter, core, resources, hooks } = await loadSdk();
  const report = (message: string) => log.warn({ reason: message }, 'failed to send traces');
  const silent = () => undefined;
  diag.setLogger(
    { error: report, warn: report, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({
      'service.name': otelServiceName,
      'service.version': packageVersion,
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(otelTracesSamplerArg) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new exporter.OTLPTraceExporter({ url }) })],
  });
  context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  startTracing();
  disposal.add(async () => {
    await Promise.race([provider.shutdown(), delay(LAST_MS, undefined, { ref: false })]);
  });
}

async function loadSdk() {
  try {
    const [sdk, exporter, core, resources, hooks] = await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/core'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/context-async-hooks'),
    ]);
    return { sdk, exporter, core, resources, hooks };
  } catch (error) {
    if (!/MODULE_NOT_FOUND$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    throw new SetupError(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages for tracing are not installed. Run npm install ' +
        '--no-save @opentelemetry/sdk-trace@2 @opentelemetry/exporter-trace-otlp-http@0.223 ' +
        '@opentelemetry/core@2 @opentelemetry/resources@2 @opentelemetry/context-async-hooks@2, or unset it.',
    );
  }
}
