import { HAS_PASSKEYS } from '../../api/place.js';
import { Head } from '../../parts/card.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { PasskeyList } from './passkeys.js';
import { ProviderLinks } from './provider-links.js';
import { Sessions } from './sessions.js';

/** How the caller gets in. */
export function Security() {
  return (
    <Page title={t.security.title} crumbs={[[t.security.title]]}>
      <Head title={t.security.title} meta={t.security.hint} />
      <div className="stack">
        {HAS_PASSKEYS && <PasskeyList />}
        {HAS_PASSKEYS && <ProviderLinks />}
        <Sessions />
      </div>
    </Page>
  );
}
