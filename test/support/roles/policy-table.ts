/**
 * The outcome for each caller in good standing, by the kind of request and by the owner of the named record: `live` is of the studio
 * "aurora", of which `admin`, `player` and (of another game) `sibling` are; `deleted` was deleted there; `buried` is of a
 * deleted account, `suspended` of a suspended one; `none`: the request names nothing. KEY, TOKEN, SUPER: asks for that
 * credential; null: an answer that shows nothing. `open`: an invalid credential is ignored; `published`: every caller
 * sees published records.
 */
export const POLICY_TABLE = `
              visitor   player    sibling   stranger  admin     rival     superadmin

ADMIN_RECORD: One record of an account.
  live        KEY       KEY       KEY       KEY       ok        403       ok
  deleted     KEY       KEY       KEY       KEY       404       404       404
  buried      KEY       KEY       KEY       KEY       404       404       404
  suspended   KEY       KEY       KEY       KEY       403       403       ok

ADMIN_POSITION: A record after which a feed goes on, deleted or not.
  live        KEY       KEY       KEY       KEY       ok        403       ok
  deleted     KEY       KEY       KEY       KEY       ok        403       ok
  buried      KEY       KEY       KEY       KEY       403       403       ok
  suspended   KEY       KEY       KEY       KEY       403       403       ok

ADMIN_ENDED: A change of a record that has ended.
  live        KEY       KEY       KEY       KEY       INVALID_TRANSITION 403 INVALID_TRANSITION
  deleted     KEY       KEY       KEY       KEY       404       404       404
  buried      KEY       KEY       KEY       KEY       404       404       404
  suspended   KEY       KEY       KEY       KEY       403       403       INVALID_TRANSITION

ADMIN_BELOW: A record below a deleted one.
  deleted     KEY       KEY       KEY       KEY       404       404       404

ADMIN_ACCOUNT: The account itself.
  live        KEY       KEY       KEY       KEY       ok        403       ok
  buried      KEY       KEY       KEY       KEY       404       404       404
  suspended   KEY       KEY       KEY       KEY       403       403       ok

ADMIN_DELETE: A deletion; of what is deleted already: the same again.
  live        KEY       KEY       KEY       KEY       ok        403       ok
  deleted     KEY       KEY       KEY       KEY       ok        403       ok
  buried      KEY       KEY       KEY       KEY       404       404       404
  suspended   KEY       KEY       KEY       KEY       403       403       ok

ADMIN_DELETE_NAMED: The same below an account that is named.
  live        KEY       KEY       KEY       KEY       ok        403       ok
  deleted     KEY       KEY       KEY       KEY       ok        403       ok
  buried      KEY       KEY       KEY       KEY       403       403       404
  suspended   KEY       KEY       KEY       KEY       403       403       ok

ADMIN_RETURN: A restoration of what went away with another record.
  live        KEY       KEY       KEY       KEY       ok        403       ok
  buried      KEY       KEY       KEY       KEY       404       404       404
  suspended   KEY       KEY       KEY       KEY       403       403       ok

ADMIN_ACCOUNT_DELETE: A deletion of the account itself.
  live        KEY       KEY       KEY       KEY       ok        403       ok
  buried      KEY       KEY       KEY       KEY       403       403       ok
  suspended   KEY       KEY       KEY       KEY       403       403       ok

ADMIN_LIST: A list, of an account that is named or of all that the caller may see.
  none        KEY       KEY       KEY       KEY       ok        ok        ok
  live        KEY       KEY       KEY       KEY       ok        403       ok
  buried      KEY       KEY       KEY       KEY       403       403       ok
  suspended   KEY       KEY       KEY       KEY       403       403       ok

ADMIN_FILTER: A filter of a list that is not looked up: an empty list reveals nothing.
  live        KEY       KEY       KEY       KEY       ok        ok        ok
  deleted     KEY       KEY       KEY       KEY       ok        ok        ok
  buried      KEY       KEY       KEY       KEY       ok        ok        ok
  suspended   KEY       KEY       KEY       KEY       ok        ok        ok

ADMIN_FIND: A record, or a list of one, by a slug or code: what is foreign does not exist.
  live        KEY       KEY       KEY       KEY       ok        404       ok
  deleted     KEY       KEY       KEY       KEY       404       404       404
  buried      KEY       KEY       KEY       KEY       404       404       404
  suspended   KEY       KEY       KEY       KEY       404       404       ok

ADMIN_CREATE: A new record in an account that is named.
  live        KEY       KEY       KEY       KEY       ok        403       ok
  buried      KEY       KEY       KEY       KEY       403       403       404
  suspended   KEY       KEY       KEY       KEY       403       403       ok

ADMIN_CREATE_BELOW: A new record below another of an account that is named.
  live        KEY       KEY       KEY       KEY       ok        403       ok
  deleted     KEY       KEY       KEY       KEY       404       403       404
  buried      KEY       KEY       KEY       KEY       403       403       404
  suspended   KEY       KEY       KEY       KEY       403       403       ok

ADMIN_ALL: A list that names nothing.
  none        KEY       KEY       KEY       KEY       ok        ok        ok

ADMIN_BOARD: Records of a board of a named account.
  live        KEY       KEY       KEY       KEY       ok        403       ok
  deleted     KEY       KEY       KEY       KEY       404       403       404
  buried      KEY       KEY       KEY       KEY       403       403       404
  suspended   KEY       KEY       KEY       KEY       403       403       ok

FRIENDS_OF: The list of another player: a game client has its own only.
  live        KEY       403       403       403       ok        403       ok
  deleted     KEY       404       404       404       404       404       404
  buried      KEY       404       404       404       404       404       404
  suspended   KEY       403       403       403       403       403       ok

ADMIN_REGULAR: The same without the account: a superadmin must name it.
  live        KEY       KEY       KEY       KEY       ok        403       ACCOUNT
  deleted     KEY       KEY       KEY       KEY       404       404       ACCOUNT
  buried      KEY       KEY       KEY       KEY       404       404       ACCOUNT
  suspended   KEY       KEY       KEY       KEY       403       403       ACCOUNT

BOTH_BOARD
  live        KEY       ok        403       403       ok        403       ok
  deleted     KEY       404       404       403       404       403       404
  buried      KEY       403       403       403       403       403       404
  suspended   KEY       403       403       403       403       403       ok

BOTH_REGULAR
  live        KEY       ok        403       403       ok        403       ACCOUNT
  deleted     KEY       404       404       404       404       404       ACCOUNT
  buried      KEY       404       404       404       404       404       ACCOUNT
  suspended   KEY       403       403       403       403       403       ACCOUNT

BOTH_SHOWN: A published board, as a record without its scores.
  live        KEY       ok        ok        403       ok        403       ok
  deleted     KEY       404       404       404       404       404       404
  buried      KEY       404       404       404       404       404       404
  suspended   KEY       403       403       403       403       403       ok

CLIENT_SHOWN
  live        TOKEN     ok        ok        403       TOKEN     TOKEN     TOKEN
  deleted     TOKEN     404       404       404       TOKEN     TOKEN     TOKEN
  buried      TOKEN     404       404       404       TOKEN     TOKEN     TOKEN
  suspended   TOKEN     403       403       403       TOKEN     TOKEN     TOKEN

BOTH_GAME_FILTER: A filter of a list of boards: for game clients a foreign or deleted game matches nothing.
  live        KEY       ok        ok        ok        ok        403       ok
  deleted     KEY       ok        ok        ok        404       404       404
  buried      KEY       ok        ok        ok        404       404       404
  suspended   KEY       ok        ok        ok        403       403       ok

CLIENT_FILTER
  live        TOKEN     ok        ok        ok        TOKEN     TOKEN     TOKEN
  deleted     TOKEN     ok        ok        ok        TOKEN     TOKEN     TOKEN
  buried      TOKEN     ok        ok        ok        TOKEN     TOKEN     TOKEN
  suspended   TOKEN     ok        ok        ok        TOKEN     TOKEN     TOKEN

BOTH_FIND_SHOWN: A published board by a slug or code.
  live        KEY       ok        ok        404       ok        404       ok
  deleted     KEY       404       404       404       404       404       404
  buried      KEY       404       404       404       404       404       404
  suspended   KEY       404       404       404       404       404       ok

CLIENT_FIND_SHOWN
  live        TOKEN     ok        ok        404       TOKEN     TOKEN     TOKEN
  deleted     TOKEN     404       404       404       TOKEN     TOKEN     TOKEN
  buried      TOKEN     404       404       404       TOKEN     TOKEN     TOKEN
  suspended   TOKEN     404       404       404       TOKEN     TOKEN     TOKEN

BOTH_RESTORE: A board; a game client that may read it may not bring it back.
  live        KEY       KEY       KEY       KEY       ok        403       ok
  deleted     KEY       KEY       KEY       KEY       ok        403       ok
  buried      KEY       KEY       KEY       KEY       404       404       404
  suspended   KEY       KEY       KEY       KEY       403       403       ok

SUPERADMIN_CREATE
  none        KEY       KEY       KEY       KEY       SUPER     SUPER     ok

SUPERADMIN_RECORD: A record of no account.
  live        KEY       KEY       KEY       KEY       SUPER     SUPER     ok

CHIEF_RECORD: A superadmin of the account, or who is to be one.
  live        KEY       KEY       KEY       KEY       SUPER     403       ok
  buried      KEY       KEY       KEY       KEY       404       404       404
  suspended   KEY       KEY       KEY       KEY       403       403       ok

CHIEF_CREATE_BELOW: A new record below it.
  live        KEY       KEY       KEY       KEY       SUPER     403       ok
  buried      KEY       KEY       KEY       KEY       403       403       404
  suspended   KEY       KEY       KEY       KEY       403       403       ok

CHIEF_KEPT: Records that a superadmin of the account needs.
  live        KEY       KEY       KEY       KEY       403       403       ok
  buried      KEY       KEY       KEY       KEY       404       404       404
  suspended   KEY       KEY       KEY       KEY       403       403       ok

CHIEF_KEPT_ACCOUNT: A deletion of its account.
  live        KEY       KEY       KEY       KEY       403       403       ok
  buried      KEY       KEY       KEY       KEY       403       403       ok
  suspended   KEY       KEY       KEY       KEY       403       403       ok

BOTH_RECORD: One record for administrators and game clients.
  live        KEY       ok        403       403       ok        403       ok
  deleted     KEY       404       404       404       404       404       404
  buried      KEY       404       404       404       404       404       404
  suspended   KEY       403       403       403       403       403       ok

BOTH_BELOW
  deleted     KEY       404       404       404       404       404       404

BOTH_LIST: A list for both; game clients name no account.
  none        KEY       ok        ok        ok        ok        ok        ok
  live        KEY       ok        ok        403       ok        403       ok
  buried      KEY       403       403       403       403       403       ok
  suspended   KEY       403       403       403       403       403       ok

BOTH_CALL
  none        KEY       ok        ok        ok        ok        ok        ok

CLIENT_RECORD
  live        TOKEN     ok        403       403       TOKEN     TOKEN     TOKEN
  deleted     TOKEN     404       404       404       TOKEN     TOKEN     TOKEN
  buried      TOKEN     404       404       404       TOKEN     TOKEN     TOKEN
  suspended   TOKEN     403       403       403       TOKEN     TOKEN     TOKEN

CLIENT_WATCH published: Clients of other games watch published boards as visitors do.
  live        TOKEN     ok        ok        ok        TOKEN     TOKEN     TOKEN
  deleted     TOKEN     404       404       404       TOKEN     TOKEN     TOKEN
  buried      TOKEN     404       404       404       TOKEN     TOKEN     TOKEN
  suspended   TOKEN     403       403       403       TOKEN     TOKEN     TOKEN

CLIENT_FIND
  live        TOKEN     ok        404       404       TOKEN     TOKEN     TOKEN
  deleted     TOKEN     404       404       404       TOKEN     TOKEN     TOKEN
  buried      TOKEN     404       404       404       TOKEN     TOKEN     TOKEN
  suspended   TOKEN     404       404       404       TOKEN     TOKEN     TOKEN

CLIENT_CALL
  none        TOKEN     ok        ok        ok        TOKEN     TOKEN     TOKEN

CLIENT_SUBMIT
  live        TOKEN     ok        GAME      GAME      TOKEN     TOKEN     TOKEN
  deleted     TOKEN     404       404       404       TOKEN     TOKEN     TOKEN
  buried      TOKEN     404       404       404       TOKEN     TOKEN     TOKEN
  suspended   TOKEN     GAME      GAME      GAME      TOKEN     TOKEN     TOKEN

NODE: A record by its id, of a kind for administrators: what is missing is null.
  live        KEY       KEY       KEY       KEY       ok        403       ok
  deleted     KEY       KEY       KEY       KEY       null      null      null
  buried      KEY       KEY       KEY       KEY       null      null      null
  suspended   KEY       KEY       KEY       KEY       403       403       ok

NODE_ACCOUNT
  live        KEY       KEY       KEY       KEY       ok        403       ok
  buried      KEY       KEY       KEY       KEY       null      null      null
  suspended   KEY       KEY       KEY       KEY       403       403       ok

NODE_SHOWN
  live        KEY       ok        ok        403       ok        403       ok
  deleted     KEY       null      null      null      null      null      null
  buried      KEY       null      null      null      null      null      null
  suspended   KEY       403       403       403       403       403       ok

NODE_BOTH
  live        KEY       ok        403       403       ok        403       ok
  deleted     KEY       null      null      null      null      null      null
  buried      KEY       null      null      null      null      null      null
  suspended   KEY       403       403       403       403       403       ok

BOTH_MALFORMED: A text that cannot be an id; the credential comes first.
  none        KEY       BAD       BAD       BAD       BAD       BAD       BAD
`;
