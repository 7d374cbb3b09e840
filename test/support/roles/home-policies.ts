/** The policies of home-rows.ts, in the form of policy-table.ts: for something of aurora, with the target's record beside it. */
export const HOME_POLICIES = `
              visitor   player    sibling   stranger  admin     rival     superadmin

ADMIN_AT_HOME:
  live        KEY       KEY       KEY       KEY       ok        403       ok
  deleted     KEY       KEY       KEY       KEY       404       403       404
  buried      KEY       KEY       KEY       KEY       404       403       404
  suspended   KEY       KEY       KEY       KEY       403       403       ok

ADMIN_WATCH_AT_HOME
  live        KEY       KEY       KEY       KEY       ok        403       ok
  deleted     KEY       KEY       KEY       KEY       404       403       404
  buried      KEY       KEY       KEY       KEY       404       403       404

ADMIN_TEMPLATE_AT_HOME: A board made from a template of another game.
  live        KEY       KEY       KEY       KEY       ok        403       ok
  deleted     KEY       KEY       KEY       KEY       404       403       404
  buried      KEY       KEY       KEY       KEY       404       403       404
  suspended   KEY       KEY       KEY       KEY       403       403       BAD_REQUEST

ADMIN_DEFAULT_AT_HOME: A new game whose first board is one of another game.
  live        KEY       KEY       KEY       KEY       ok        403       ok
  deleted     KEY       KEY       KEY       KEY       404       403       404
  buried      KEY       KEY       KEY       KEY       404       403       404
  suspended   KEY       KEY       KEY       KEY       403       403       GAME

ADMIN_BOARD_AT_HOME: A game beside its board, or another.
  live        KEY       KEY       KEY       KEY       ok        403       ok
  deleted     KEY       KEY       KEY       KEY       GAME      403       GAME
  buried      KEY       KEY       KEY       KEY       GAME      403       GAME
  suspended   KEY       KEY       KEY       KEY       GAME      403       GAME

ADMIN_SCORE_AT_HOME: A score of the board; there are no others.
  live        KEY       KEY       KEY       KEY       ok        403       ok
  deleted     KEY       KEY       KEY       KEY       404       403       404
  buried      KEY       KEY       KEY       KEY       404       403       404
  suspended   KEY       KEY       KEY       KEY       404       403       404

BOTH_AT_HOME
  live        KEY       ok        403       403       ok        403       ok
  deleted     KEY       404       403       403       404       403       404
  buried      KEY       404       403       403       404       403       404
  suspended   KEY       403       403       403       403       403       ok

BOTH_BOARD_AT_HOME
  live        KEY       ok        403       403       ok        403       ok
  deleted     KEY       GAME      403       403       GAME      403       GAME
  buried      KEY       GAME      403       403       GAME      403       GAME
  suspended   KEY       GAME      403       403       GAME      403       GAME

BOTH_SCORE_AT_HOME
  live        KEY       ok        403       403       ok        403       ok
  deleted     KEY       404       403       403       404       403       404
  buried      KEY       404       403       403       404       403       404
  suspended   KEY       404       403       403       404       403       404

BOTH_SIBLING_AT_HOME: A player of the studio's other game.
  live        KEY       403       403       403       ok        403       ok

CLIENT_AT_HOME
  live        TOKEN     ok        403       403       TOKEN     TOKEN     TOKEN
  deleted     TOKEN     404       403       403       TOKEN     TOKEN     TOKEN
  buried      TOKEN     404       403       403       TOKEN     TOKEN     TOKEN
  suspended   TOKEN     403       403       403       TOKEN     TOKEN     TOKEN

CLIENT_SCORE_AT_HOME
  live        TOKEN     ok        403       403       TOKEN     TOKEN     TOKEN
  deleted     TOKEN     404       403       403       TOKEN     TOKEN     TOKEN
  buried      TOKEN     404       403       403       TOKEN     TOKEN     TOKEN
  suspended   TOKEN     404       403       403       TOKEN     TOKEN     TOKEN

CLIENT_SIBLING_AT_HOME
  live        TOKEN     403       403       403       TOKEN     TOKEN     TOKEN

WATCH_AT_HOME published: Players of the board; there are no others.
  live        ok        ok        ok        ok        ok        ok        ok
  deleted     404       404       404       404       404       404       404
  buried      404       404       404       404       404       404       404
  suspended   404       404       404       404       404       404       404

WATCH_WINDOW_AT_HOME published: A window around a player who is not on the board begins at its top.
  live        ok        ok        ok        ok        ok        ok        ok
  deleted     ok        ok        ok        ok        ok        ok        ok
  buried      ok        ok        ok        ok        ok        ok        ok
  suspended   ok        ok        ok        ok        ok        ok        ok
`;
