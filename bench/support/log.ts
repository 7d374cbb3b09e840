import { makeLog } from '../../src/base/log.js';

/**
 * Errors only, for what is measured in this process. Silenced when a signal takes the database away under the work.
 */
export const log = makeLog('error');
