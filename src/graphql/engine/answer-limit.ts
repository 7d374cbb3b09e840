import { DomainError } from '../../base/errors.js';

/** Bytes of a character in JSON: as an escape of six, or at most three in UTF-8. */
const MOST_OF_A_CHARACTER = 6;
/** Number, literal, quotes, brackets and commas of one value. */
const MOST_OF_A_VALUE = 32;

/** How much JSON a value makes, counted without making it; not to the end where it is more than enough. */
class Extent {
  characters = 0;
  values = 0;

  constructor(private readonly enough: number) {}

  get isEnough(): boolean {
    return this.characters > this.enough;
  }

  add(value: unknown): void {
    this.values += 1;
    if (typeof value === 'string') this.characters += value.length;
    else if (Array.isArray(value)) {
      for (const member of value) {
        if (this.isEnough) return;
        this.add(member);
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const key in value) {
        if (this.isEnough) return;
        this.characters += key.length;
        this.add((value as Record<string, unknown>)[key]);
      }
    }
  }
}

/** Refuses answers that are larger than MAX_ANSWER_BYTES, before they are written out. */
export class AnswerLimit {
  constructor(private readonly most: number) {}

  /**
   * @param value whose JSON is the answer
   * @param written bytes of the answer beside it
   * @throws DomainError BAD_REQUEST
   */
  check(value: unknown, written = 0): void {
    const room = this.most - written;
    const extent = new Extent(room);
    extent.add(value);
    const { characters, values, isEnough } = extent;
    if (characters * MOST_OF_A_CHARACTER + values * MOST_OF_A_VALUE <= room) return;
    if (isEnough || Buffer.byteLength(JSON.stringify(value)) > room) throw this.#refusal();
  }

  /** @throws DomainError BAD_REQUEST */
  checkWritten(bytes: number): void {
    if (bytes > this.most) throw this.#refusal();
  }

  #refusal(): DomainError {
    return new DomainError(
      'BAD_REQUEST',
      `The answer is larger than ${this.most} bytes: ask for shorter pages or fewer fields (a mutation has taken effect all the same)`,
    );
  }
}
