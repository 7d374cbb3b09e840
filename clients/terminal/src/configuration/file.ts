import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { type Document, isAlias, isMap, isNode, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import { FileError, type FileFault, UsageError } from '../output/failure.js';

/** Way to a value of the file: names of members and indexes of items. */
type ValuePath = readonly (string | number)[];

/** More faults of one file are not shown. */
const MOST_FAULTS = 20;

/** A YAML file, in which every value has its place. */
export class YamlFile {
  readonly #document: Document.Parsed;
  readonly #lines = new LineCounter();
  readonly #faults: FileFault[] = [];

  /** @throws FileError when it is not YAML, or has a key twice */
  constructor(
    readonly name: string,
    content: string,
  ) {
    this.#document = parseDocument(content, { lineCounter: this.#lines, prettyErrors: false });
    for (const { message, pos } of [...this.#document.errors, ...this.#document.warnings]) {
      this.#fault(pos[0], message);
    }
    this.refuseFaults();
  }

  /** Its content as JSON values. @throws FileError when its aliases expand to too much */
  value(): unknown {
    try {
      return this.#document.toJS();
    } catch (error) {
      throw new FileError([{ file: this.name, line: 1, column: 1, message: (error as Error).message }]);
    }
  }

  /** The place of a value for people: `leaderboards.yaml:12:5`. */
  place(way: ValuePath): string {
    const { line, col } = this.#lines.linePos(this.#offset(way, 'value'));
    return `${this.name}:${line}:${col}`;
  }

  /** Notes a fault of the value at the end of the way, or of its key. */
  fault(way: ValuePath, message: string, of: 'value' | 'key' = 'value'): void {
    this.#fault(this.#offset(way, of), message);
  }

  /** @throws FileError with all faults so far, in the order of the file */
  refuseFaults(): void {
    if (this.#faults.length === 0) return;
    const sorted = this.#faults.toSorted((a, b) => a.line - b.line || a.column - b.column);
    throw new FileError(sorted.slice(0, MOST_FAULTS));
  }

  #fault(offset: number, message: string): void {
    const { line, col } = this.#lines.linePos(offset);
    this.#faults.push({ file: this.name, line: Math.max(line, 1), column: Math.max(col, 1), message });
  }

  /** Offset of the value, or of the nearest one above it that is written there. */
  #offset(way: ValuePath, of: 'value' | 'key'): number {
    let node: Node | null = this.#document.contents;
    let offset = node?.range?.[0] ?? 0;
    for (const [index, step] of way.entries()) {
      const whole: Node | undefined = isAlias(node) ? node.resolve(this.#document) : (node ?? undefined);
      let next: unknown;
      if (isMap(whole)) {
        const pair = whole.items.find(
          ({ key }) => (isScalar(key) ? String(key.value) : key) === String(step),
        );
        if (of === 'key' && index === way.length - 1 && isNode(pair?.key)) return pair.key.range![0];
        next = pair?.value;
      } else if (whole && 'items' in whole) {
        next = (whole.items as unknown[])[Number(step)];
      }
      if (!isNode(next)) return offset;
      node = next;
      offset = node.range?.[0] ?? offset;
    }
    return offset;
  }
}

/** Reads a YAML file; `-` is standard input. @throws UsageError when it cannot be read, FileError when it is not YAML */
export async function readYamlFile(name: string): Promise<YamlFile> {
  if (name === '-') return new YamlFile('standard input', await text(process.stdin));
  let content: string;
  try {
    content = readFileSync(name, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${name}: ${(error as Error).message}`);
  }
  return new YamlFile(name, content);
}
