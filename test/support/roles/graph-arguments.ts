import type { RowRequest } from './rows.js';

// Arguments of root fields, naming records of the target's studio.

/** The filter of a list by a record of another kind, e.g. `game`. */
export const named =
  (kind: string) =>
  ({ of }: RowRequest) => ({ filter: { [`${kind}Id`]: of[`${kind}_id`] } });
/** The filter of a list. */
export const where = (filter: (request: RowRequest) => object) => (request: RowRequest) => ({
  filter: filter(request),
});

/** The record by its id. @param name of the id in the target's names */
export const id =
  (name: string) =>
  ({ of }: RowRequest) => ({ id: of[name] });
export const inputId =
  (name: string) =>
  ({ of }: RowRequest) => ({ input: { id: of[name] } });
export const ofAccount = ({ of }: RowRequest) => ({ accountId: of.account_id });
/** The record by its key. */
export const keyed =
  (key: 'id' | 'slug' | 'shortCode', name: string) =>
  ({ of }: RowRequest) => ({ by: { [key]: of[name] } });
export const onBoard = ({ of }: RowRequest) => ({ boardId: of.board_id });
export const byBoardSlug = ({ of }: RowRequest) => ({ gameSlug: of.game_slug, slug: of.board_slug });
/** A board by the key of its slug. */
export const bySlug = ({ of }: RowRequest) => ({
  by: { slug: { game: of.game_slug, board: of.board_slug } },
});
/** An argument that takes an id. @param name of the id in the target's names */
export const by =
  (argument: string, name: string) =>
  ({ of }: RowRequest) => ({ [argument]: of[name] });
