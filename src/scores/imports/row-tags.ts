import { DomainError } from '../../base/errors.js';
import { findUnkeepable } from '../../base/text.js';
import type { Board } from '../../boards/board/board.js';
import { boardById } from '../../boards/board/read.js';
import { invalidView } from '../../boards/views/rules.js';
import { areTags, MOST_TAGS, platformOf } from '../../boards/views/tag-value.js';
import type { Context } from '../../graphql/context.js';
import { checkPlayerTags, type DeclaredTag, declaredPlayerTags } from '../../players/tags/save.js';
import { declaredTags, type Tags } from '../schema/tags.js';
import { BadRow } from './bad-row.js';

export const LONGEST_PLATFORM = 32;
/** An error lists all values of a tag, once per line. */
const LONGEST_REASON = 300;
const COUNTRY = /^[A-Za-z]{2}$/;

/** What the board of an import accepts. */
export interface RowRules {
  board: Pick<Board, 'dimensions' | 'format'>;
  /** Player tags of all boards of the game. */
  ofPlayers: readonly DeclaredTag[];
}

/** @param boardId prefixed */
export async function rowRules(context: Context, boardId: string): Promise<RowRules> {
  const board = await context.loaders.of(boardById).load(boardId);
  const hasPlayers = board?.dimensions.some(({ source }) => source === 'player');
  return {
    board: board ?? { dimensions: [], format: null },
    ofPlayers: board && hasPlayers ? await declaredPlayerTags(context.db, board.gameId) : [],
  };
}

/** Values of a row that decide its rankings by tags, besides its time. */
export interface RowTags {
  country: string | null;
  /** As stored with an event: the platform is one of them. */
  tags: Tags | null;
  playerTags: Tags | null;
}

/** @throws BadRow */
function countryIn(country: string | undefined): string | null {
  if (country === undefined) return null;
  if (!COUNTRY.test(country))
    throw new BadRow(`country must be a two-letter ISO country code like DE, not "${shortened(country)}"`);
  return country.toUpperCase();
}

/** @param platform without control characters @throws BadRow */
function platformIn(platform: string | undefined): string | undefined {
  if (platform === undefined || platformOf(platform) !== '') return platform;
  throw new BadRow('platform must have a visible character');
}

/** @throws BadRow */
function tagsIn(value: unknown, name: string): Tags | undefined {
  if (value === undefined) return undefined;
  let found: unknown = value;
  if (typeof value === 'string') {
    try {
      found = JSON.parse(value);
    } catch {
      found = undefined;
    }
  }
  if (!areTags(found)) {
    throw new BadRow(
      `${name} must be a JSON object of at most ${MOST_TAGS} tags with values of 1 to 64 characters without comma and colon`,
    );
  }
  const unkeepable = findUnkeepable(found);
  if (unkeepable) throw new BadRow(`${name} ${unkeepable.msg}`);
  return Object.keys(found).length > 0 ? (found as Tags) : undefined;
}

function shortened(reason: string): string {
  if (reason.length <= LONGEST_REASON) return reason;
  // A slice would keep the whole text in memory.
  return `${Buffer.from(reason.slice(0, LONGEST_REASON)).toString()}…`;
}

/** Checked like submissions with an API key. @throws BadRow */
export function rowTags(
  { board, ofPlayers }: RowRules,
  given: { country: string | undefined; platform: string | undefined; tags: unknown; playerTags: unknown },
): RowTags {
  const country = countryIn(given.country);
  const platform = platformIn(given.platform);
  const tags = tagsIn(given.tags, 'tags');
  const playerTags = tagsIn(given.playerTags, 'player_tags');
  try {
    const declared = tags && declaredTags(board, tags, false);
    if (playerTags) checkOfPlayers(board, ofPlayers, playerTags);
    return {
      country,
      tags: declared || platform ? { ...declared, ...(platform && { platform }) } : null,
      playerTags: playerTags ?? null,
    };
  } catch (error) {
    if (error instanceof DomainError) throw new BadRow(shortened(error.message));
    throw error;
  }
}

/**
 * The tag must be a player tag on this board, and its value allowed on all boards of the game. @throws DomainError
 */
function checkOfPlayers(
  { dimensions }: RowRules['board'],
  ofPlayers: RowRules['ofPlayers'],
  tags: Tags,
): void {
  const known = dimensions.filter(({ source }) => source === 'player').map(({ name }) => name);
  const unknown = Object.keys(tags).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw invalidView(
      `The board declares no tag ${unknown} of players; their tags: ${known.join(', ') || 'none'}`,
    );
  }
  checkPlayerTags(ofPlayers, tags, false);
}
