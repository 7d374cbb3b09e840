import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import { Card, Chip } from '../../parts/card.js';
import { Loaded } from '../../parts/states.js';
import { t } from '../../texts.js';

const ServiceQuery = graphql(`
  query Service {
    jobs { name lastError lastFailedAt lastFinishedAt }
  }
`);

const EVERY_MS = 30_000;

export interface JobState {
  lastError?: string | null;
  lastFailedAt?: string | null;
  lastFinishedAt?: string | null;
}

/** True if the last run of a job ended with an error. */
export function isFailing({ lastError, lastFailedAt, lastFinishedAt }: JobState): boolean {
  if (!lastError) return false;
  return !lastFinishedAt || !lastFailedAt || lastFailedAt > lastFinishedAt;
}

/** Health of the installation, for superadmins. */
export function ServiceCard() {
  const { data, fault, again } = useRead(ServiceQuery, {}, { every: EVERY_MS });
  const failing = data?.jobs.filter(isFailing).length ?? 0;
  const side = data && (
    <Chip tone={failing ? 'bad' : 'good'} dot>
      {failing ? t.overview.failing(failing) : t.overview.allWell}
    </Chip>
  );
  return (
    <Card title={t.overview.service} side={side}>
      <Loaded data={data} fault={fault} again={again} rows={1}>
        {({ jobs }) => (
          <ul className="rows">
            <li>
              <Link to="/installation/jobs">{t.overview.jobs}</Link>
              <span className="right">{t.overview.onTime(jobs.length - failing, jobs.length)}</span>
            </li>
          </ul>
        )}
      </Loaded>
    </Card>
  );
}
