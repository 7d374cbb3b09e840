import { Caller, type Data } from '../support/http.js';
import { DataDir, freePort, Program } from '../support/process.js';

/** How long seeding may take. */
export const PLANTING_MS = 240_000;

/** The demo in its own process, started as usual, and its output. */
export class Demo {
  readonly dir = new DataDir();
  program!: Program;
  url!: string;
  /** A visitor without a key. */
  visitor!: Caller;

  /** @returns the link that signs in */
  async start(more: Record<string, string> = {}): Promise<string> {
    const port = String(await freePort());
    const settings = { DATA_DIR: this.dir.path, HOST: '127.0.0.1', PORT: port, ...more };
    this.program = new Program('seeds/demo.ts', settings);
    const [, link = ''] = await this.program.says(/(http\S+\/demo#\S+) — the console as Mara/, PLANTING_MS);
    await this.program.says(/Ctrl-C ends the demo/);
    this.url = new URL(link).origin;
    this.visitor = new Caller(this.url);
    return link;
  }

  /** The running sprint; undefined between two sprints. */
  async presentSprint(): Promise<Sprint | undefined> {
    const { publicGame } = await this.visitor.data(
      '{ publicGame(by: { slug: "moonlit-drift" }) { boards(first: 50) { nodes { name endsAt isActive ' +
        'shortCode ranking { totalCount } } } } }',
    );
    const sprint: Data | undefined = publicGame.boards.nodes.find(
      ({ name, isActive }: Data) => isActive && name.startsWith('Sprint '),
    );
    return (
      sprint && {
        ...(sprint as Sprint),
        entryCount: sprint.ranking.totalCount,
        number: Number(sprint.name.split(' ')[1]),
      }
    );
  }

  async remove(): Promise<void> {
    if (this.program?.running) await this.program.kill('SIGKILL');
    await this.dir.remove();
  }
}

export interface Sprint {
  number: number;
  endsAt: string;
  entryCount: number;
}
