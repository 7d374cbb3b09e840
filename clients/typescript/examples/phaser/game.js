// A game of Phaser 3 or 4: tap as often as you can in five seconds, and see yourself rise. BASE, GAME and BOARD are in
// index.html. `npm install phaser leaderboard-client`, then a bundler, e.g. `npx vite`.
import { Leaderboard } from 'leaderboard-client';
import { watch } from 'leaderboard-client/live';
import * as Phaser from 'phaser';

const { BASE, GAME, BOARD } = globalThis.LEADERBOARD;
const RUN_MS = 5_000;

const leaderboard = new Leaderboard({ url: BASE, gameId: GAME, playerName: 'You' });

/** The message to a player for a run's result. */
function messageFor(result) {
  if (result.status === 'queued') return 'Saved. It is sent as soon as there is a connection.';
  if (result.status === 'refused') return `Not counted: ${result.error.message}`;
  const rise = result.previousRank === null ? '' : `, up ${result.previousRank - result.rank}`;
  if (result.kept) return `Rank ${result.rank}${rise}${result.isPersonalBest ? ' - your best!' : ''}`;
  return `Your best is ${result.score.value}, rank ${result.rank}`;
}

class Tapping extends Phaser.Scene {
  create() {
    const text = (y, content, size = 24) =>
      this.add.text(20, y, content, { fontSize: `${size}px`, color: '#ffffff' });
    this.score = text(20, 'Tap to begin', 32);
    this.message = text(70, '');
    this.places = text(120, '', 20);
    this.taps = 0;
    this.isRunning = false;
    this.input.on('pointerdown', () => this.tap());
    this.input.keyboard?.on('keydown-SPACE', () => this.tap());
    const ending = new AbortController();
    this.events.once('shutdown', () => ending.abort());
    this.follow(ending.signal);
  }

  tap() {
    if (!this.isRunning) this.begin();
    this.taps += 1;
    this.score.setText(`${this.taps}`);
  }

  begin() {
    this.isRunning = true;
    this.taps = 0;
    this.message.setText('');
    // Session and nonces are ready when the run ends.
    leaderboard.prepare().catch(() => undefined);
    this.time.delayedCall(RUN_MS, () => this.end());
  }

  async end() {
    this.isRunning = false;
    this.message.setText('Sending ...');
    const result = await leaderboard.submit({ boardId: BOARD, value: this.taps }, { deadlineMs: 4_000 });
    this.message.setText(messageFor(result));
  }

  /** The places around the player, live; the last ones stay while there is no connection. */
  async follow(signal) {
    try {
      for await (const { scores } of watch(leaderboard, BOARD, { limit: 7, around: 'me', signal })) {
        this.places.setText(scores.map(({ rank, playerName, value }) => `${rank}. ${playerName}  ${value}`));
      }
    } catch (error) {
      this.message.setText(error.message);
    }
  }
}

export const game = new Phaser.Game({
  type: Phaser.AUTO,
  width: 480,
  height: 360,
  backgroundColor: '#1d2430',
  scene: new Tapping('tapping'),
});
