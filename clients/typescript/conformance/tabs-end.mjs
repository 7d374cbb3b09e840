// Closes the game's tabs once its input ends, that is with the driver, however that ended. It holds the driver's output
// open until then, so that the end of a killed driver is seen when the tabs are gone. Arguments: DevTools address, origin.
import { setTimeout as delay } from 'node:timers/promises';

const [devtools, origin] = process.argv.slice(2);

async function tabs() {
  const targets = await fetch(`${devtools}/json/list`).then((answer) => answer.json());
  return targets.filter(({ type, url }) => type === 'page' && url.startsWith(origin));
}

process.stdin.resume().on('end', async () => {
  try {
    for (let left = await tabs(); left.length > 0; left = await tabs()) {
      await Promise.all(left.map(({ id }) => fetch(`${devtools}/json/close/${id}`)));
      await delay(10);
    }
  } catch {
    // The browser has ended, and its tabs with it.
  }
  process.exit();
});
