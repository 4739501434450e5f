// The places in top files: the lines of targets and of SLS names. Searched only for an error.
import type { Position } from '../base/mod.ts'
import { type Dict, isList, type Value } from '../data/mod.ts'
import { positionOf } from '../yaml/mod.ts'

interface TopFile {
  value: Value
  file: string
  sourceLine(line: number): number
}

export class TopPlaces {
  private readonly files: TopFile[] = []

  remember(file: TopFile): void {
    this.files.push(file)
  }

  /** The line of a target in the section of an environment. */
  ofTarget(saltenv: Value, target: Value): Position | undefined {
    return this.find(saltenv, (targets) => (targets.has(target) ? positionOf(targets, target) : undefined))
  }

  /** The line where an SLS is first named for an environment. */
  ofSls(saltenv: Value, sls: string): Position | undefined {
    return this.find(saltenv, (targets) => {
      for (const [target, names] of targets) {
        if (names === sls) return positionOf(targets, target)
        const index = isList(names) ? names.indexOf(sls) : -1
        if (index >= 0) return positionOf(names, index)
      }
      return undefined
    })
  }

  private find(saltenv: Value, place: (targets: Dict) => ReturnType<typeof positionOf>): Position | undefined {
    for (const { value, file, sourceLine } of this.files) {
      const targets = value instanceof Map ? value.get(saltenv) : undefined
      const found = targets instanceof Map ? place(targets) : undefined
      if (found) return { file, line: sourceLine(found.line), column: found.column }
    }
    return undefined
  }
}
