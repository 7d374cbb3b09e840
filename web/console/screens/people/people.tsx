import { Head } from '../../parts/card.js';
import { May } from '../../parts/may.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { Keys } from './keys.js';
import { Users } from './users.js';

export function People() {
  return (
    <Page title={t.nav.people} crumbs={[[t.nav.people]]}>
      <Head title={t.nav.people} />
      <div className="stack">
        <May needs="PEOPLE">
          <Users />
        </May>
        <Keys />
      </div>
    </Page>
  );
}
