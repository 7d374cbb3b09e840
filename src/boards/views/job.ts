import type { Job } from '../../jobs/job.js';
import { writeDuePeriods } from './periods.js';

/** The job that writes the boundaries of periods weeks ahead. */
export const viewPeriodsJob: Job = {
  name: 'write-view-periods',
  description: 'Prepares upcoming periods of views.',
  everyMinutes: 60,
  run: async ({ db, now, signal }) => ({ done: await writeDuePeriods(db, now, signal) }),
};
