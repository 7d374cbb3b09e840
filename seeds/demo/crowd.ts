import type { Player } from '../players.js';
import type { Random } from '../random.js';

interface Home {
  country: string;
  city: string;
  timeZone: string;
  names: readonly string[];
}

const HOMES: readonly Home[] = [
  {
    ...{ country: 'DE', city: 'Leipzig', timeZone: 'Europe/Berlin' },
    names: ['Anneke', 'Bastian', 'Jörg', 'Lea', 'Malte', 'Nele', 'Thore', 'Ümit', 'Wiebke'],
  },
  {
    ...{ country: 'BR', city: 'Recife', timeZone: 'America/Recife' },
    names: ['Beatriz', 'Caio', 'Davi', 'Iara', 'João', 'Luísa', 'Rafael', 'Tainá', 'Vinícius'],
  },
  {
    ...{ country: 'JP', city: 'Sapporo', timeZone: 'Asia/Tokyo' },
    names: ['あおい', 'Haruto', '美咲', 'Kenji', 'ソラ', 'Mei', 'Ren', '結衣', 'Yuto'],
  },
  {
    ...{ country: 'NG', city: 'Lagos', timeZone: 'Africa/Lagos' },
    names: ['Adaeze', 'Babatunde', 'Chidi', 'Ifeoma', 'Kẹ́hìndé', 'Ngozi', 'Segun', 'Temitọpẹ', 'Zainab'],
  },
  {
    ...{ country: 'PL', city: 'Gdańsk', timeZone: 'Europe/Warsaw' },
    names: ['Agnieszka', 'Bartek', 'Grześ', 'Kasia', 'Łukasz', 'Małgosia', 'Michał', 'Wojtek', 'Zofia'],
  },
  {
    ...{ country: 'IN', city: 'Pune', timeZone: 'Asia/Kolkata' },
    names: ['Aarav', 'Diya', 'इशा', 'Kabir', 'Meera', 'Rohan', 'Saanvi', 'Vikram', 'आर्या'],
  },
  {
    ...{ country: 'MX', city: 'Oaxaca', timeZone: 'America/Mexico_City' },
    names: ['Andrés', 'Citlali', 'Emilia', 'Iker', 'Joaquín', 'Lupe', 'Nayeli', 'Óscar', 'Valentina'],
  },
  {
    ...{ country: 'KR', city: 'Busan', timeZone: 'Asia/Seoul' },
    names: ['김하늘', 'Dahyun', 'Jiho', '이서준', 'Minseo', 'Seojin', '박지우', 'Taeyang', 'Yuna'],
  },
  {
    ...{ country: 'EG', city: 'Alexandria', timeZone: 'Africa/Cairo' },
    names: ['Amira', 'Farid', 'ليلى', 'Karim', 'Mariam', 'نور', 'Salma', 'Tarek', 'Youssef'],
  },
  {
    ...{ country: 'UA', city: 'Lviv', timeZone: 'Europe/Kyiv' },
    names: ['Андрій', 'Daryna', 'Ігор', 'Katya', 'Леся', 'Oksana', 'Тарас', 'Yarko', 'Зоряна'],
  },
  {
    ...{ country: 'SE', city: 'Malmö', timeZone: 'Europe/Stockholm' },
    names: ['Astrid', 'Björn', 'Elsa', 'Göran', 'Håkan', 'Linnéa', 'Nils', 'Siv', 'Åke'],
  },
  {
    ...{ country: 'CA', city: 'Halifax', timeZone: 'America/Halifax' },
    names: ['Avery', 'Benoît', 'Chloë', 'Dylan', 'Isla', 'Mackenzie', 'Noémie', 'Owen', 'Quinn'],
  },
];

const MOODS = 'amber brave calm dusty electric frosty golden hidden idle jolly lucky mellow neon quiet'.split(
  ' ',
);
const BEINGS = 'badger comet dolphin falcon gecko heron lynx magpie otter panda raven tapir walrus'.split(
  ' ',
);
const PLATFORMS = ['windows', 'macos', 'linux', 'android', 'ios'] as const;
/** Draws of a name before it gets a number. */
const TRIES = 10;
const INITIALS = 'ABCDEFGHJKLMNPRSTVW';

/** Players of the demo by the thousand: made up, each name once. */
export function crowd(random: Random, size: number): Player[] {
  const taken = new Set<string>();
  return Array.from({ length: size }, (_, i) => {
    const home = HOMES[i % HOMES.length]!;
    let name = nameOf(random, home);
    for (let tries = 1; taken.has(name) && tries < TRIES; tries += 1) name = nameOf(random, home);
    while (taken.has(name)) name = numbered(random);
    taken.add(name);
    const { names: _names, ...place } = home;
    const fingerprint = `demo-device-${i + 1}`;
    return { name, fingerprint, platform: random.pick(PLATFORMS), ...place, skill: random.bell() };
  });
}

/** A first name, one with an initial, or a handle. */
function nameOf(random: Random, { names }: Home): string {
  const first = random.pick(names);
  const [mood, being] = [random.pick(MOODS), random.pick(BEINGS)];
  const handles = [
    `${mood}_${being}`,
    `${mood}${being[0]!.toUpperCase()}${being.slice(1)}`,
    `${being}.${random.whole(2, 99)}`,
  ];
  return random.pick([first, `${first} ${random.pick([...INITIALS])}.`, random.pick(handles)]);
}

/** A handle with a number, for when all others are taken. */
function numbered(random: Random): string {
  return `${random.pick(MOODS)}_${random.pick(BEINGS)}${random.whole(10, 9_999)}`;
}
