import { useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import { Card, Chip, Head } from '../../parts/card.js';
import { count } from '../../parts/format.js';
import { Loaded } from '../../parts/states.js';
import { Ago, When } from '../../parts/time.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { isFailing } from '../overview/service-card.js';
import { HealthCard } from './health.js';

const JobsQuery = graphql(`
  query Jobs {
    jobs {
      name
      description
      runs
      failures
      lastError
      lastFailedAt
      lastFinishedAt
      lastDone
      nextRunAt
    }
  }
`);

const EVERY_MS = 5_000;
const text = t.jobs;

/** State of the background work, for superadmins; failing jobs first. */
export function Jobs() {
  const { data, fault, again } = useRead(JobsQuery, {}, { every: EVERY_MS });
  return (
    <Page title={t.nav.jobs} crumbs={[[t.nav.installation], [t.nav.jobs]]} needs="SUPERADMIN">
      <Head title={t.nav.jobs} />
      <div className="stack">
        <HealthCard />
        <Card title={text.jobs}>
          <Loaded data={data} fault={fault} again={again}>
            {({ jobs }) => (
              <table>
                <thead>
                  <tr>
                    <th scope="col">{text.job}</th>
                    <th scope="col">{text.state}</th>
                    <th scope="col" className="number wide-only">
                      {text.runs}
                    </th>
                    <th scope="col" className="wide-only">
                      {text.last}
                    </th>
                    <th scope="col" className="wide-only">
                      {text.next}
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {jobs
                    .toSorted((a, b) => Number(isFailing(b)) - Number(isFailing(a)))
                    .map((job) => (
                      <tr key={job.name}>
                        <td>
                          <span className="strong">{job.name}</span>
                          <div className="small soft">{job.description}</div>
                          {job.lastError && (
                            <div className="small bad-text">
                              {job.lastError} {job.lastFailedAt && <When at={job.lastFailedAt} />}
                            </div>
                          )}
                        </td>
                        <td>
                          <Chip tone={isFailing(job) ? 'bad' : 'good'}>
                            {isFailing(job) ? text.fails : text.well}
                          </Chip>
                        </td>
                        <td className="number wide-only">{count(job.runs)}</td>
                        <td className="wide-only">{job.lastFinishedAt && <Ago at={job.lastFinishedAt} />}</td>
                        <td className="wide-only">{job.nextRunAt && <When at={job.nextRunAt} />}</td>
                      </tr>
                    ))}
                </tbody>
              </table>
            )}
          </Loaded>
        </Card>
      </div>
    </Page>
  );
}
