import { useMe } from '../../api/me.js';
import { HAS_PASSKEYS } from '../../api/place.js';
import { Head } from '../../parts/card.js';
import { May } from '../../parts/may.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { Keys } from './keys.js';
import { PasskeyDemand } from './passkey-demand.js';
import { SingleSignOn } from './single-sign-on.js';
import { Users } from './users.js';

export function People() {
  const { gameIds } = useMe();
  return (
    <Page title={t.nav.people} crumbs={[[t.nav.people]]}>
      <Head title={t.nav.people} />
      <div className="stack">
        <May needs="PEOPLE">
          <Users />
        </May>
        <Keys />
        {HAS_PASSKEYS && !gameIds && (
          <May needs="PEOPLE">
            <PasskeyDemand />
            <SingleSignOn />
          </May>
        )}
      </div>
    </Page>
  );
}
