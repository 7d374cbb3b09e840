import type { Job } from '../../jobs/job.js';
import { expiryJob } from './expire-boards.js';
import { templatesJob } from './run-templates.js';

/** @param changed is told every board that was closed, after the commit (db/changes.ts) */
export function boardJobs(changed: (topic: string) => void): Job[] {
  return [expiryJob(changed), templatesJob(changed)];
}
