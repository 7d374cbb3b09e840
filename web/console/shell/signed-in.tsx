import { useEffect, useRef, useState } from 'react';
import type { Fault } from '../api/fault.js';
import { CONSOLE_PATH } from '../api/place.js';
import { returnFromIssuer } from '../api/provider.js';
import { ownKey, signIn } from '../api/session.js';
import { ActionFault } from '../parts/controls.js';
import { Waiting } from '../parts/states.js';
import { t } from '../texts.js';
import { Door } from './door.js';

const text = t.provider;

/** Where issuers send browsers back. */
export function SignedIn() {
  const [fault, setFault] = useState<Fault>();
  const once = useRef(false);
  useEffect(() => {
    if (once.current) return;
    once.current = true;
    const response = location.search.slice(1);
    // The code is not to stay in the history.
    history.replaceState(null, '', location.pathname);
    const denied = new URLSearchParams(response).get('error');
    const sentence = denied ? text.denied : text.nothingBegun;
    const none = {
      code: 'CANCELLED',
      message: sentence,
      requestId: undefined,
      fields: {},
      retryAfter: undefined,
    };
    if (denied) return setFault(none);
    void returnFromIssuer(response).then((returned) => {
      if (returned === undefined) return setFault(none);
      if ('code' in returned) return setFault(returned);
      if ('linked' in returned) return location.replace(`${CONSOLE_PATH}/security`);
      ownKey.set(returned.id);
      signIn(returned.key);
      location.replace(`${CONSOLE_PATH}/`);
    });
  }, []);
  return (
    <Door title={text.returning} foot={fault && <a href={`${CONSOLE_PATH}/`}>{text.back}</a>}>
      {fault ? <ActionFault fault={fault} /> : <Waiting />}
    </Door>
  );
}
