// The places of high data in the state tree. The YAML reader knows the line in the rendered text, the template stage
// maps it to a line of the file; both are evaluated only for an error.
import type { Position } from '../../base/mod.ts'
import type { Dict, Value } from '../../data/mod.ts'
import { originOf, originsIn, positionOf, positionOfKey, type TextPosition } from '../../yaml/mod.ts'

export interface SlsSource {
  file: string
  sourceLine(line: number): number
}

interface Cause {
  container: Value
  key: Value | undefined
}

export class Places {
  private readonly sources = new Map<object, SlsSource>()
  private readonly causes = new Map<object, Cause>()
  /** The file of everything in a remembered container, made at the first question about something inside one. */
  private inside: Map<object, SlsSource> | undefined

  /** Remembers that this dict or list, with all that is in it, came from that file. */
  remember(container: Value, source: SlsSource): void {
    if (typeof container !== 'object' || container === null) return
    this.sources.set(container, source)
    this.inside = undefined
  }

  /** Record a container within a remembered one as part of the same file. */
  inherit(from: Value, container: Value): void {
    const source = typeof from === 'object' && from !== null ? this.sources.get(from) : undefined
    if (source) this.remember(container, source)
  }

  /** Record a generated container, whose cause is at a key or an index of `cause`. */
  standIn(container: object, cause: Value, key?: Value): void {
    this.causes.set(container, { container: cause, key })
  }

  /** The place of a container, or of a key or an index in it. */
  of(container: Value | undefined, key?: Value): Position | undefined {
    if (typeof container !== 'object' || container === null) return undefined
    const cause = this.causes.get(container)
    if (cause !== undefined) return this.of(cause.container, cause.key)
    const found = key === undefined ? positionOf(container) : (positionOf(container, key) ?? positionOf(container))
    return this.inFile(container, found)
  }

  /** Return the place of a state of an ID, written as `module` or `module.function`. */
  ofState(body: Value | undefined, state: Value): Position | undefined {
    if (!(body instanceof Map) || this.causes.has(body)) return this.of(body)
    const isMeant = (key: Value): boolean =>
      key === state || (typeof key === 'string' && key.startsWith(`${String(state)}.`))
    return this.inFile(body, positionOfKey(body, isMeant)) ?? this.of((body as Dict).get(state)) ?? this.of(body)
  }

  private inFile(container: object, found: TextPosition | undefined): Position | undefined {
    const source = found && this.sourceOf(container)
    return source && { file: source.file, line: source.sourceLine(found.line), column: found.column }
  }

  private sourceOf(container: object): SlsSource | undefined {
    const known = this.sources.get(container)
    if (known) return known
    const origin = originOf(container)
    return origin && this.everything().get(origin)
  }

  private everything(): Map<object, SlsSource> {
    if (this.inside) return this.inside
    const all = new Map<object, SlsSource>()
    for (const [container, source] of this.sources) {
      const origin = originOf(container)
      // skip containers within another remembered container
      if (origin === undefined || all.has(origin)) continue
      for (const inner of originsIn(container)) all.set(inner, source)
    }
    this.inside = all
    return all
  }
}
