import type { RouterContext } from '@koa/router';
import { DomainError, invalid } from '../../base/errors.js';
import {
  ANY_PICTURE,
  checkPicture,
  LARGEST_PICTURE_BYTES,
  PICTURE_TYPES,
  type Picture,
  UnsoundPicture,
} from '../../base/pictures/picture.js';
import type { PictureKind } from '../../base/pictures/stored.js';
import { checkAccess } from '../../graphql/access.js';
import type { Context, ReadBytes } from '../../graphql/context.js';
import { MISSING } from '../request/faults.js';
import { recordFaults } from '../request/record.js';
import { PICTURE_RIGHT, type PictureRoute } from './routes.js';

/**
 * Stores a picture of a game; null: removes it.
 * @throws DomainError NOT_FOUND, FORBIDDEN
 */
export type SavePicture = (
  context: Context,
  gameId: string,
  kind: PictureKind,
  picture: Picture | null,
) => Promise<void>;

const TYPES = [...Object.keys(PICTURE_TYPES), ANY_PICTURE] as Parameters<typeof checkPicture>[0][];
type NamedType = (typeof TYPES)[number];

/** The request's own bytes; undefined: it has no body. */
async function bodyOf(ctx: RouterContext): Promise<{ type: NamedType; bytes: Buffer } | undefined> {
  const bytes = await (ctx.state.bytes as ReadBytes)(LARGEST_PICTURE_BYTES);
  if (!bytes || bytes.length === 0) return undefined;
  const type = ctx.is(TYPES) as NamedType | false;
  if (type) return { type, bytes };
  throw new DomainError('UNSUPPORTED_MEDIA_TYPE', `The content-type must be one of ${TYPES.join(', ')}.`);
}

/** Stores or removes the picture; the body is read once credential, role and account are checked. @throws DomainError */
export async function writePicture(
  ctx: RouterContext,
  context: Context,
  { method, kind }: PictureRoute,
  save: SavePicture,
): Promise<void> {
  checkAccess([PICTURE_RIGHT], context, ctx.query.account_id);
  const body = method === 'PUT' ? await bodyOf(ctx) : undefined;
  const faults = recordFaults(ctx, context, { kind: 'game', parameter: 'game_id', inAccount: true });
  if (method === 'PUT' && !body) faults.push({ loc: ['body'], ...MISSING });
  if (faults.length > 0) throw invalid(faults);
  await save(context, ctx.params.game_id!, kind, body ? await sound(body.type, body.bytes) : null);
}

async function sound(type: NamedType, bytes: Buffer): Promise<Picture> {
  try {
    return await checkPicture(type, bytes);
  } catch (error) {
    if (!(error instanceof UnsoundPicture)) throw error;
    throw invalid([{ loc: ['body'], msg: error.message, type: 'picture' }]);
  }
}
