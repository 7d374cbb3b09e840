import type { Random } from './random.js';

/** A player, made up. */
export interface Player {
  name: string;
  /** The fingerprint by which the game would recognise the device. */
  fingerprint: string;
  platform: string;
  country: string;
  city: string;
  timeZone: string;
  /** How well: around 0, mostly between -1 and 1. */
  skill: number;
}

const NAMES = [
  'Aria Novak',
  'BlinkFox',
  'captain_mo',
  'Dewdrop',
  'ElKaiser',
  'Fenja',
  'gizmo77',
  'Hana Sato',
  'IronLyra',
  'Jurek',
  'kestrel',
  'Lumi',
  'Maël',
  'NightOwl',
  'Oluchi',
  'pixelpaul',
  'Quillon',
  'Rosalba',
  'sockmonster',
  'Tariq',
  'Umbra',
  'Vesna',
  'Wren',
  'Xochitl',
  'Yuki',
  'zephyr_9',
  'Ásdís',
  'Brunhilde',
  'Cosmo Finch',
  'dr_drift',
  'Emeka',
  'FlipFlop',
  'Guðrún',
  'hexagon',
  'Ilse',
  'Joaquín',
  'Kiki',
  'Lorenzo V.',
  'mirabelle',
  'Noor',
  'Otto',
  'Priya',
] as const;

const PLACES = [
  { country: 'DE', city: 'Leipzig', timeZone: 'Europe/Berlin' },
  { country: 'SE', city: 'Malmö', timeZone: 'Europe/Stockholm' },
  { country: 'JP', city: 'Sapporo', timeZone: 'Asia/Tokyo' },
  { country: 'BR', city: 'Recife', timeZone: 'America/Recife' },
  { country: 'CA', city: 'Halifax', timeZone: 'America/Halifax' },
  { country: 'NG', city: 'Lagos', timeZone: 'Africa/Lagos' },
  { country: 'FR', city: 'Nantes', timeZone: 'Europe/Paris' },
  { country: 'IN', city: 'Pune', timeZone: 'Asia/Kolkata' },
] as const;

const PLATFORMS = ['windows', 'macos', 'linux', 'android', 'ios'] as const;

/** The few dozen players of the seeds. */
export function seedPlayers(random: Random): Player[] {
  return NAMES.map((name, i) => madeUp(random, name, `seed-device-${String(i + 1).padStart(3, '0')}`));
}

function madeUp(random: Random, name: string, fingerprint: string): Player {
  const place = random.pick(PLACES);
  return { name, fingerprint, platform: random.pick(PLATFORMS), ...place, skill: random.bell() };
}
