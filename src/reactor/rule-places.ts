// The places of the rules of the reactor: a file of the master's configuration, or the file that `reactor` names. Found
// once, when the first reaction is recorded.
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

  /** Return `file:line` of a rule; undefined for a rule that was added at run time. */
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
    // the file was readable at the start; the next reading reports the error
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
