import type { Hooks } from '../../../src/hooks/hooks.js';

type Functions = Omit<Hooks, 'jobs'>;
type Call = { hook: string; input: unknown; caller: string };

/** Hooks that record every call, and also do what a test has set. */
export class Recorder {
  calls: Call[] = [];
  behaviour: Functions = {};
  readonly hooks: Hooks;

  constructor(jobs: Hooks['jobs'] = {}) {
    const names: (keyof Functions)[] = [
      ...(['preCreateGame', 'postCreateGame', 'preCreateBoard', 'postCreateBoard', 'rateLimit'] as const),
      ...(['preCreateBoardTemplate', 'preUpdateBoardTemplate', 'preCreateScore', 'postCreateScore'] as const),
      'postCompleteRegistration',
    ];
    const entries = names.map((hook) => [
      hook,
      (input: never, caller: { kind: string }, tools: never) => {
        this.calls.push({ hook, input, caller: caller.kind });
        return (this.behaviour[hook] as ((...all: unknown[]) => unknown) | undefined)?.(input, caller, tools);
      },
    ]);
    this.hooks = { ...(Object.fromEntries(entries) as Hooks), jobs };
  }

  /** The calls since the last time, without those made for every request. */
  take(): Call[] {
    return this.calls.splice(0).filter(({ hook }) => hook !== 'rateLimit');
  }

  /** The names of {@link take}. */
  names(): string[] {
    return this.take().map(({ hook }) => hook);
  }

  /** Replaces the behaviour from now on. */
  does(behaviour: Functions): void {
    this.behaviour = behaviour;
    this.calls = [];
  }
}
