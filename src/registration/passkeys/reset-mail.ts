import { greeting, letterOf, paragraph, smallPrint } from '../../mail/letter.js';
import type { MailContent } from '../../mail/outbox.js';

/** After another administrator or the operator removed all passkeys of a user. */
export function passkeysResetMail(displayName: string): MailContent {
  return letterOf('Your passkeys were reset', [
    greeting(displayName),
    paragraph(
      'An administrator removed all your passkeys for the leaderboards console and signed you out everywhere. Sign in and add a new one.',
    ),
    smallPrint("Didn't ask for this? Tell an administrator of your account."),
  ]);
}
