import { makeLog } from '../../src/base/log.js';

/** For what is measured in this process: errors only. Silenced when a signal takes the database away under the work. */
export const log = makeLog('error');
