import type { Happening, World } from './world.js';

interface Spark {
  x: number;
  y: number;
  dx: number;
  dy: number;
  left: number;
  size: number;
  kind: 'lantern' | 'crash';
}

interface Caption {
  text: string;
  /** Seconds that it is still shown. */
  left: number;
  x: number;
  y: number;
  isLarge: boolean;
}

const CAPTION_SECONDS = 1.1;
const MOST_CAPTIONS = 6;

/** Sparks, words and the wake, which fly about and fade. Still pictures show the words alone. */
export class Effects {
  sparks: Spark[] = [];
  captions: Caption[] = [];
  /** Where the boat was, newest first. */
  wake: { x: number; y: number }[] = [];
  /** Seconds of the shake after a crash. */
  shake = 0;

  constructor(private readonly isStill: () => boolean) {}

  reset(): void {
    this.sparks = [];
    this.captions = [];
    this.wake = [];
    this.shake = 0;
  }

  see(world: World, happenings: Happening[]): void {
    for (const happening of happenings) {
      if (happening.kind === 'lantern') {
        this.#burst(happening.x, happening.y, 6, 'lantern');
        this.say(`+${happening.points}`, happening.x, happening.y - 12);
      } else if (happening.kind === 'crash') {
        this.#burst(world.x, world.y, 26, 'crash');
        this.shake = this.isStill() ? 0 : 0.4;
      } else if (happening.kind === 'level') this.say(`×${happening.level}`, world.x, world.y - 26, true);
      else if (happening.kind === 'close') this.say('Close! +1,000', world.x + 30, world.y + 30);
      else this.say('Lantern missed', world.x + 60, world.y + 34);
    }
    this.wake.unshift({ x: world.x, y: world.y });
    if (this.wake.length > 46) this.wake.pop();
  }

  say(text: string, x: number, y: number, isLarge = false): void {
    this.captions.push({ text, x, y, isLarge, left: CAPTION_SECONDS });
    if (this.captions.length > MOST_CAPTIONS) this.captions.shift();
  }

  pass(seconds: number): void {
    this.shake = Math.max(0, this.shake - seconds);
    for (const spark of this.sparks) {
      spark.left -= seconds;
      spark.x += spark.dx * seconds;
      spark.y += spark.dy * seconds;
    }
    for (const caption of this.captions) {
      caption.left -= seconds;
      if (!this.isStill()) caption.y -= 26 * seconds;
    }
    this.sparks = this.sparks.filter(({ left }) => left > 0);
    this.captions = this.captions.filter(({ left }) => left > 0);
  }

  #burst(x: number, y: number, count: number, kind: Spark['kind']): void {
    if (this.isStill()) return;
    for (let n = 0; n < count; n += 1) {
      const angle = (2 * Math.PI * n) / count + Math.random();
      const speed = (kind === 'crash' ? 180 : 90) * (0.4 + Math.random());
      const [dx, dy] = [Math.cos(angle) * speed + 80, Math.sin(angle) * speed];
      this.sparks.push({
        x,
        y,
        dx,
        dy,
        kind,
        left: 0.3 + 0.4 * Math.random(),
        size: 1.5 + 2 * Math.random(),
      });
    }
  }
}
