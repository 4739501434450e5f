// Where the rules of the reactor are written: in a file of the master's configuration, or in the file that `reactor` names.
// Looked up once, when the first reaction is written down.
import { readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { globFiles, option } from '../config/mod.ts'
import { type Dict, isDict, isList, str, type Value } from '../data/mod.ts'
import { load, positionOf } from '../yaml/mod.ts'

export class RulePlaces {
  private readonly opts: Dict
  private places: Map<string, string> | undefined

  constructor(opts: Dict) {
    this.opts = opts
  }

  /** `file:line` of a rule; undefined for one that was added while the master runs. */
  of(pattern: string): string | undefined {
    this.places ??= new Map(this.files().flatMap(placesIn))
    return this.places.get(pattern)
  }

  private files(): string[] {
    const reactor = this.opts.get('reactor')
    if (typeof reactor === 'string') return [reactor]
    const main = option(this.opts, 'conf_file')
    if (main === '') return []
    const given = [option(this.opts, 'default_include'), option(this.opts, 'include')]
    const patterns = given.flatMap((value) => (isList(value) ? value.map(str) : [str(value)]))
    const below = (path: string): string => (isAbsolute(path) ? path : join(dirname(main), path))
    return [main, ...patterns.filter((path) => path !== '').flatMap((path) => globFiles(below(path)))]
  }
}

function placesIn(file: string): Array<[string, string]> {
  let content: Value
  try {
    content = load(readFileSync(file, 'utf8'), { name: file, positions: true })
  } catch {
    // the configuration was read before; what has become of it since is told when it is read again
    return []
  }
  const rules = isDict(content) ? content.get('reactor') : content
  if (rules === undefined || !isList(rules)) return []
  return rules.filter(isDict).flatMap((rule) =>
    [...rule.keys()].map((pattern): [string, string] => {
      const line = positionOf(rule, pattern)?.line
      return [str(pattern), line === undefined ? file : `${file}:${line}`]
    }),
  )
}
