import { PICTURE_KINDS, type PictureKind } from '../../base/pictures/stored.js';
import type { Right } from '../../graphql/rights.js';

/** The upload or removal of a game's picture. No GraphQL operation is behind it: GraphQL carries no files. */
export interface PictureRoute {
  method: 'PUT' | 'DELETE';
  path: string;
  kind: PictureKind;
}

export const PICTURE_RIGHT: Right = 'configure';

export const pictureRoutes: PictureRoute[] = PICTURE_KINDS.flatMap((kind) =>
  (['PUT', 'DELETE'] as const).map((method) => ({ method, path: `/v1/games/{game_id}/${kind}`, kind })),
);
