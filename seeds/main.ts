import path from 'node:path';
import { makeLog } from '../src/base/log.js';
import { readConfig } from '../src/config/table.js';
import { openMigrated, visitServer } from '../src/process/database.js';
import { keepSecret, openSecrets } from '../src/process/secrets.js';
import { type Disposal, runProcess } from '../src/process/shutdown.js';
import { Operator } from './operator.js';
import { plant } from './plant.js';

// npm run seed: plants a small studio with players and scores, also while the service runs. A second time: nothing.
runProcess(async (disposal: Disposal) => {
  const config = readConfig(process.env);
  const log = makeLog(config.logLevel);
  const server = await visitServer(config, log);
  disposal.add(server.close);
  const { database, close } = await openMigrated(server);
  disposal.add(close);
  const secrets = await openSecrets(config, database.knex);
  const operator = await Operator.enter({ settings: { ...config, ...secrets }, database, log });
  disposal.add(() => operator.leave());
  const { boards, submissions, key } = await plant(operator);
  const say = (line: string) => process.stdout.write(`${line}\n`);
  say(`${submissions} submissions were planted in ${server.place}. The boards:`);
  for (const [name, id] of boards) say(`  ${name.padEnd(32)}${id}`);
  if (key !== undefined) {
    const file = path.join(config.dataDir, 'studio-key');
    keepSecret(file, key);
    say(`The studio's API key, shown this once and kept in ${file}: ${key}`);
  }
  return 'done';
});
