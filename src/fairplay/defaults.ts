import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { AntiCheatSettings } from '../games/anti-cheat-settings.js';
import { Game } from '../games/game.js';
import { GameThresholds, shownSettings } from '../games/thresholds.js';
import { administers, ofGame } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import { ForAdministrators } from '../graphql/rights.js';
import { Only } from '../graphql/views.js';
import { type CheckSettings, serviceThresholds, type Tier } from './checks/thresholds.js';

/** The service's thresholds in the form of a game's own. */
function settingsOf(service: CheckSettings): AntiCheatSettings {
  const { defaultTier, tiers, ...numbers } = serviceThresholds(service);
  const offAt = (off: number) => (value: number) => (value === off ? ('off' as const) : value);
  const [limit, seconds] = [offAt(Number.POSITIVE_INFINITY), offAt(0)];
  const each = <T>(of: (tier: (typeof tiers)[Tier]) => T) => ({
    a: of(tiers.a),
    b: of(tiers.b),
    c: of(tiers.c),
  });
  return {
    default_tier: defaultTier,
    rate_limit: each((tier) => limit(tier.rateLimit)),
    velocity_seconds: each((tier) => seconds(tier.velocitySeconds)),
    duplicate_seconds: each((tier) => seconds(tier.duplicateSeconds)),
    progression_percent: each((tier) => limit(tier.progressionPercent)),
    progression_min_values: numbers.progressionMinValues,
    outlier_z: each((tier) => limit(tier.outlierZ)),
    outlier_min_entries: numbers.outlierMinEntries,
    outlier_medium_factor: limit(numbers.outlierMediumFactor),
  };
}

@Resolver(Game)
export class FairPlayDefaultsResolver {
  readonly #defaults: GameThresholds;

  constructor(service: CheckSettings) {
    this.#defaults = shownSettings(settingsOf(service));
  }

  @Only('graphql')
  @ForAdministrators()
  @FieldResolver(() => GameThresholds, {
    nullable: true,
    description:
      "The service's fair-play settings, which apply where the game has none of its own. Null for callers who do not administer it.",
  })
  antiCheatDefaults(@Root() game: Game, @Ctx() context: Context) {
    return administers(context, ofGame(game)) ? this.#defaults : null;
  }
}
