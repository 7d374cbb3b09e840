import { Controls } from './controls.js';
import { Picture } from './draw.js';
import { Effects } from './effects.js';
import type { Ghost } from './ghosts.js';
import { Inputs } from './inputs.js';
import { Loop } from './loop.js';
import { byId, isStill } from './page.js';
import { onTheme } from './palette.js';
import type { Rivals } from './rivals.js';
import { points } from './words.js';
import { type Happening, World } from './world.js';

interface GameParts {
  rivals: Rivals;
  /** @returns the seed of its course, and the run beside it */
  begin(): { seed: number; ghost: Ghost | undefined };
  pause(): void;
  resume(): void;
  /** @returns the message to the player about the run */
  end(world: World, recording: Uint8Array): Promise<string>;
}

/** A button that the player still holds must not start the next run. */
const REST_MS = 500;

/** The game on the page: its stage, its card, and one run after the other. */
export class Game {
  readonly #stage = byId('stage');
  readonly #go = byId<HTMLButtonElement>('go');
  readonly #pause = byId<HTMLButtonElement>('pause');
  readonly #picture = new Picture(byId<HTMLCanvasElement>('canvas'));
  readonly #effects = new Effects(isStill);
  readonly #controls: Controls;
  readonly #loop: Loop;
  #world = new World(addressedSeed() ?? 1);
  #inputs = new Inputs();
  #ghost: Ghost | undefined;
  #runs = 0;

  constructor(private readonly parts: GameParts) {
    this.#loop = new Loop({
      isHeld: () => this.#step(),
      frame: (world, happenings, seconds) => this.#frame(world, happenings, seconds),
      over: (world) => void this.#over(world),
    });
    this.#controls = new Controls(this.#stage, {
      isPlaying: () => this.#loop.isRunning,
      pause: () => this.#rest(),
    });
  }

  ready(): void {
    // By script alone: those who come with the tab key want the buttons.
    this.#stage.tabIndex = -1;
    new ResizeObserver(() => {
      this.#picture.fit();
      this.#draw();
    }).observe(this.#stage);
    onTheme(() => this.#draw());
    this.#go.addEventListener('click', () => this.#begin());
    this.#pause.addEventListener('click', () => this.#rest());
    this.#go.focus({ preventScroll: true });
    byId('driver').addEventListener('submit', (event) => {
      event.preventDefault();
      if (!this.#loop.isRunning) this.#begin();
    });
  }

  #begin(): void {
    byId('card').hidden = true;
    this.#pause.hidden = false;
    this.#stage.focus({ preventScroll: true });
    if (this.#loop.isPaused) {
      this.parts.resume();
      this.#loop.resume();
    } else this.#startRun();
  }

  #startRun(): void {
    this.parts.rivals.reset();
    const { seed, ghost } = this.parts.begin();
    this.#world = new World(seed);
    this.#inputs = new Inputs();
    this.#ghost = ghost;
    this.#effects.reset();
    this.#loop.start(this.#world);
  }

  /** The player's input of a step is recorded, and the ghost does its own. */
  #step(): boolean {
    const { isHeld } = this.#controls;
    this.#inputs.add(isHeld);
    this.#ghost?.replay.step();
    return isHeld;
  }

  #rest(): void {
    if (!this.#loop.isRunning) return;
    this.#loop.pause();
    this.parts.pause();
    this.#showCard('Paused', `${points(this.#world.score)} points so far.`, 'Go on');
  }

  #frame(world: World, happenings: Happening[], seconds: number): void {
    this.#effects.see(world, happenings);
    this.#effects.pass(seconds);
    const passed = this.parts.rivals.pass(world.score);
    if (passed) this.#effects.say(`${passed.playerName} passed: #${passed.rank}`, world.x + 60, 70);
    this.#draw();
  }

  #draw(): void {
    const { score, level } = this.#world;
    byId('score').textContent = points(score);
    byId('level').textContent = level > 1 ? `×${level}` : '';
    const { next } = this.parts.rivals;
    byId('next').textContent = next ? `Next: #${next.rank} ${next.playerName}, ${points(next.value)}` : '';
    this.#picture.draw(this.#world, this.#effects, this.#ghost);
  }

  async #over(world: World): Promise<void> {
    this.#runs += 1;
    const run = this.#runs;
    this.#fade();
    this.#showCard(`${points(world.score)} points`, 'Sending …', 'Play again');
    const message = await this.parts.end(world, this.#inputs.file());
    if (run === this.#runs && this.#world === world) byId('result').textContent = message;
  }

  #showCard(headline: string, text: string, button: string): void {
    byId('headline').textContent = headline;
    byId('result').textContent = text;
    this.#go.textContent = button;
    this.#go.disabled = true;
    byId('card').hidden = false;
    this.#pause.hidden = true;
    setTimeout(() => {
      this.#go.disabled = false;
      // Not while the player writes a name.
      if (document.activeElement === this.#stage || document.activeElement === document.body)
        this.#go.focus();
    }, REST_MS);
  }

  /** The sparks of a crash fade behind the card. */
  #fade(): void {
    let last = performance.now();
    const frame = (now: number) => {
      if (this.#loop.isRunning) return;
      this.#effects.pass(Math.min(0.1, Math.max(0, (now - last) / 1_000)));
      last = now;
      this.#draw();
      if (this.#effects.sparks.length + this.#effects.captions.length > 0) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }
}

/** Of the address (`?seed=7`), for a course that is to be played again. */
export function addressedSeed(): number | undefined {
  const written = Number(new URLSearchParams(location.search).get('seed'));
  return Number.isInteger(written) && written > 0 ? written : undefined;
}
