// Apart from the others: the first view has no people.

export const PEOPLE_TEXTS = {
  people: 'Users',
  person: 'User',
  invite: 'Invite user',
  send: 'Send invitation',
  email: 'Email address',
  name: 'Name',
  nameHint: 'Optional. Derived from the address if left empty.',
  inviteHint:
    'The email says who invites and what the user will be able to do. It is valid for 24 hours. ' +
    'They sign in with their email address or a passkey.',
  invited: (email: string) => `Invitation sent to ${email}`,
  noPeople: 'No users yet. Invite the first one.',
  status: { ACTIVE: 'active', INVITED: 'invited', SUSPENDED: 'suspended' },
  changed: {
    ACTIVE: (name: string) => `${name} activated`,
    INVITED: (name: string) => `${name} invited`,
    SUSPENDED: (name: string) => `${name} suspended. Their keys stop working.`,
  },
  deleted: (name: string) => `${name} deleted`,
  change: 'Change role',
  changeOf: (name: string) => `Change the role of ${name}`,
  changeHint: 'Signs the user out everywhere. Their keys get the new role with the next request.',
  changedRole: (name: string) => `Role of ${name} changed`,
};

export const SINGLE_SIGN_ON_TEXTS = {
  change: 'Change',
  notAllowed: 'This account does not use single sign-on.',
  allowOwn: 'Allow its own issuer',
  allowInstallation: "Use the installation's issuer",
  notSet: 'not set yet',
  ofInstallation: 'of the installation',
  name: 'Name',
  issuerHint: (origin: string) => `Redirect address at the issuer: ${origin}/console/signed-in`,
  clientId: 'Client id',
  secret: 'Client secret',
  secretHint: 'Leave empty to keep the present one. It is never shown.',
  scopes: 'Scopes',
  claim: 'Claim with groups',
  domains: 'Domains',
  domainsHint: 'Separated by commas. People with a verified address in one of them join by signing in.',
  noDomains: 'none: by invitation, or from a session',
  groups: 'Roles of groups',
  groupsHint:
    'One group a line, such as “moderators = moderator”. Applied at each sign-in and while signed in.',
  groupsWrong: 'Name a group and viewer, moderator, developer or admin on each line.',
  noGroups: 'none: roles are set here',
  defaultRole: 'Role of everyone else',
  only: 'Only way in',
  onlyLong: 'Turn emailed codes and pasted keys off (passkeys of administrators stay)',
  yes: 'yes',
  no: 'no',
  keyDays: 'Stop keys after days without sign-in',
  keyDaysHint: 'Leave empty to keep them.',
  roles: { VIEWER: 'viewer', MODERATOR: 'moderator', DEVELOPER: 'developer', ADMIN: 'admin' },
};
