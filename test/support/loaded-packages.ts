import '../../src/app.js';
import { makeLog } from '../../src/base/log.js';
import { readConfig } from '../../src/config/table.js';
import { Disposal } from '../../src/process/shutdown.js';
import { openTracing } from '../../src/process/tracing.js';

// Prints the files loaded by a service without an endpoint for traces.
openTracing(readConfig({}), makeLog('silent'), new Disposal()).then(() => {
  console.log(Object.keys(require.cache).join('\n'));
});
