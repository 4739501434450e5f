// One match: the text and position of its groups. Positions are UTF-16 indexes, as for JavaScript's slice.
import { PyError } from '../errors.ts'

export class PyMatch {
  /** The text that was searched. */
  readonly input: string
  readonly start: number
  readonly end: number
  /** Undefined where a group took no part; the whole match is the first. */
  private readonly texts: ReadonlyArray<string | undefined>
  private readonly names: ReadonlyMap<string, number>

  constructor(
    input: string,
    start: number,
    texts: ReadonlyArray<string | undefined>,
    names: ReadonlyMap<string, number>,
  ) {
    this.input = input
    this.start = start
    this.end = start + texts[0]!.length
    this.texts = texts
    this.names = names
  }

  /** A group's text by number or name; null when it took no part. */
  group(which: number | string = 0): string | null {
    const number = typeof which === 'number' ? which : this.names.get(which)
    if (number === undefined || number < 0 || number >= this.texts.length) {
      throw new PyError('IndexError', 'no such group')
    }
    return this.texts[number] ?? null
  }

  /** The texts of all groups but the whole. */
  groups<T = null>(absent: T = null as T): Array<string | T> {
    return this.texts.slice(1).map((text) => text ?? absent)
  }

  /** The named groups. */
  groupDict(): Map<string, string | null> {
    return new Map([...this.names].map(([name, number]) => [name, this.texts[number] ?? null]))
  }
}
