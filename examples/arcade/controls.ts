interface Handlers {
  /** Asked at each key: only then keys belong to the game. */
  isPlaying(): boolean;
  pause(): void;
}

const HOLD_KEYS = ['Space', 'ArrowUp', 'KeyW'];
const PAUSE_KEYS = ['Escape', 'KeyP'];

/** One button: a key, a finger or the mouse. */
export class Controls {
  readonly #held = new Set<string>();

  constructor(stage: HTMLElement, handlers: Handlers) {
    addEventListener('keydown', (event) => {
      if (!handlers.isPlaying() || event.target instanceof HTMLInputElement) return;
      if (PAUSE_KEYS.includes(event.code)) return handlers.pause();
      if (!HOLD_KEYS.includes(event.code)) return;
      // Neither the page is to scroll nor a button to be pressed.
      event.preventDefault();
      this.#held.add(event.code);
    });
    addEventListener('keyup', (event) => {
      // Nor when it is let go: a switch that has the focus keeps its state.
      if (this.#held.delete(event.code)) event.preventDefault();
    });
    stage.addEventListener('pointerdown', (event) => {
      if (!handlers.isPlaying() || (event.target as Element).closest('button')) return;
      event.preventDefault();
      this.#held.add(`pointer ${event.pointerId}`);
    });
    for (const end of ['pointerup', 'pointercancel'] as const) {
      addEventListener(end, (event) => this.#held.delete(`pointer ${event.pointerId}`));
    }
    // A long touch is a long turn.
    stage.addEventListener('contextmenu', (event) => event.preventDefault());
    addEventListener('blur', () => {
      this.#held.clear();
      handlers.pause();
    });
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) handlers.pause();
    });
  }

  get isHeld(): boolean {
    return this.#held.size > 0;
  }
}
