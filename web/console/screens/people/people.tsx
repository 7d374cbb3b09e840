import { HAS_PASSKEYS } from '../../api/place.js';
import { Head } from '../../parts/card.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { Keys } from './keys.js';
import { SingleSignOn } from './single-sign-on.js';
import { Users } from './users.js';

export function People() {
  return (
    <Page title={t.nav.people} crumbs={[[t.nav.people]]}>
      <Head title={t.nav.people} />
      <div className="stack">
        <Users />
        <Keys />
        {HAS_PASSKEYS && <SingleSignOn />}
      </div>
    </Page>
  );
}
