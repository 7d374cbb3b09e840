/** The policies of requests that need no credential, in the form of policy-table.ts. */
export const OPEN_POLICIES = `
              visitor   player    sibling   stranger  admin     rival     superadmin

ANYONE open
  none        ok        ok        ok        ok        ok        ok        ok

ANYONE_WRONG_CODE open: A code or jam code that is none.
  none        CODE      CODE      CODE      CODE      CODE      CODE      CODE

ANYONE_WRONG_TOKEN open
  none        VOID      VOID      VOID      VOID      VOID      VOID      VOID

ANYONE_START open published: A session on a device of a game.
  live        ok        ok        ok        ok        ok        ok        ok
  deleted     404       404       404       404       404       404       404
  buried      404       404       404       404       404       404       404
  suspended   SUSP      SUSP      SUSP      SUSP      SUSP      SUSP      SUSP

ANYONE_REFRESH open: A refresh token is its own credential.
  live        ok        ok        ok        ok        ok        ok        ok
  deleted     DEAD      DEAD      DEAD      DEAD      DEAD      DEAD      DEAD
  buried      DEAD      DEAD      DEAD      DEAD      DEAD      DEAD      DEAD
  suspended   SUSP      SUSP      SUSP      SUSP      SUSP      SUSP      SUSP

ANYONE_DEAD open: A refresh token whose session does not stand any more.
  live        DEAD      DEAD      DEAD      DEAD      DEAD      DEAD      DEAD

ANYONE_BLOCKED open: The refresh token or fingerprint of a device that is shut out.
  live        BLOCKED   BLOCKED   BLOCKED   BLOCKED   BLOCKED   BLOCKED   BLOCKED

ANYONE_PUBLISHED open published: Published records of an account in good standing.
  live        ok        ok        ok        ok        ok        ok        ok
  deleted     404       404       404       404       404       404       404
  buried      404       404       404       404       404       404       404
  suspended   404       404       404       404       404       404       404

ANYONE_UNPUBLISHED open published: Unpublished records do not exist for the public.
  live        404       404       404       404       404       404       404
  suspended   404       404       404       404       404       404       404

WATCH published: A board that is watched: what is published everybody sees, what is not those whose it is.
  live        ok        ok        ok        ok        ok        ok        ok
  deleted     404       404       404       404       404       404       404
  buried      404       404       404       404       404       404       404
  suspended   404       403       403       403       403       403       ok

WATCH_UNPUBLISHED published
  live        404       ok        403       403       ok        403       ok
  suspended   404       403       403       403       403       403       ok
`;
