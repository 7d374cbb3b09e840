import { shownDuration, texts } from '../../src/server/pages/texts.js';

const words = { starts: texts.startsIn, ends: texts.endsIn, closes: texts.closesIn };
const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Visitors refetch spread over this time after a deadline, not all at the same moment. */
const SPREAD_MS = 4_000;

/** Counts down every second in the last hour, shows moments in the visitor's own time, and refetches the page at a deadline. */
export function keepClocks(root: ParentNode): void {
  const times = [...root.querySelectorAll<HTMLTimeElement>('time[data-moment]')];
  for (const time of times) {
    const local = LOCAL.format(new Date(time.dateTime));
    if (time.dataset.moment === 'ended') time.textContent = texts.endedOn(local);
    else time.title = local;
  }
  const running = times.filter((time) => time.dataset.moment !== 'ended');
  if (running.length === 0) return;
  const opened = Date.now();
  const step = () => {
    for (const time of running) {
      const kind = time.dataset.moment as keyof typeof words;
      const deadline = Date.parse(time.dateTime);
      const seconds = Math.max(0, Math.ceil((deadline - Date.now()) / 1_000));
      const text = words[kind](shownDuration(seconds, true));
      if (time.textContent !== text) time.textContent = text;
      // A visitor's clock that runs ahead would ask again and again.
      if (seconds > 0 || deadline < opened) continue;
      clearInterval(timer);
      setTimeout(() => location.reload(), 1_000 + Math.random() * SPREAD_MS);
    }
  };
  const timer = setInterval(step, 1_000);
  step();
}
