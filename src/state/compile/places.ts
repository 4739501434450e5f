// Where in the tree a piece of high data was written. The YAML reader knows the line in the rendered text, the template
// stage which line of the file wrote it; neither is asked before there is an error to report.
import type { Position } from '../../base/mod.ts'
import type { Value } from '../../data/mod.ts'
import { positionOf } from '../../yaml/mod.ts'

export interface SlsSource {
  file: string
  sourceLine(line: number): number
}

export class Places {
  private readonly sources = new Map<object, SlsSource>()
  private readonly causes = new Map<object, Value>()

  /** Remembers that this dict or list came from that file. */
  remember(container: Value, source: SlsSource): void {
    if (typeof container === 'object' && container !== null) this.sources.set(container, source)
  }

  /** The same file for a container that lies in a remembered one. */
  inherit(from: Value, container: Value): void {
    const source = typeof from === 'object' && from !== null ? this.sources.get(from) : undefined
    if (source) this.remember(container, source)
  }

  /** A container that no file holds, made because of what is written at `cause`. */
  standIn(container: object, cause: Value): void {
    this.causes.set(container, cause)
  }

  /** The place of a container that is remembered, or of a key in it. */
  of(container: Value | undefined, key?: Value): Position | undefined {
    if (typeof container !== 'object' || container === null) return undefined
    const cause = this.causes.get(container)
    if (cause !== undefined) return this.of(cause)
    const source = this.sources.get(container)
    if (source === undefined) return undefined
    const found = key === undefined ? positionOf(container) : (positionOf(container, key) ?? positionOf(container))
    return found && { file: source.file, line: source.sourceLine(found.line), column: found.column }
  }
}
