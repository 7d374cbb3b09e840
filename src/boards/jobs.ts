import type { Job } from '../jobs/job.js';
import { expiryJob } from './board/expire.js';
import { templatesJob } from './templates/run.js';

/** @param changed called for every board that was closed, after the commit (db/changes.ts) */
export function boardJobs(changed: (topic: string) => void): Job[] {
  return [expiryJob(changed), templatesJob(changed)];
}
