// Which files answer which events: the option `reactor`, a list of one-key dicts from a glob of tags to one file or several,
// or the path of a YAML file with such a list, which is read anew for each event.
import { readFileSync } from 'node:fs'
import { type Log, toError } from '../base/mod.ts'
import { type Dict, fnmatch, isDict, isList, str, type Value } from '../data/mod.ts'
import { load } from '../yaml/mod.ts'

export interface Rule {
  pattern: string
  files: string[]
}

export interface ManageResult {
  status: boolean
  comment: string
}

export class Rules {
  private readonly opts: Dict
  private readonly log: Log
  private compiled: { list: Value[]; rules: Rule[] } | undefined

  constructor(opts: Dict, log: Log) {
    this.opts = opts
    this.log = log
  }

  /** The list as it is configured, with what was added since. */
  list(): Value[] {
    const configured = this.opts.get('reactor') ?? []
    if (typeof configured !== 'string') return isList(configured) ? configured : []
    return this.read(configured)
  }

  private read(file: string): Value[] {
    let text: string
    try {
      text = readFileSync(file, 'utf8')
    } catch {
      this.log('error', `Failed to read reactor map: "${file}"`)
      return []
    }
    try {
      const map = load(text)
      return isList(map) ? map : []
    } catch (error) {
      this.log('error', `Failed to parse YAML in reactor map: "${file}"`)
      this.log('debug', toError(error).message)
      return []
    }
  }

  all(): Rule[] {
    const list = this.list()
    // a list of the configuration stays, and changes only here
    if (this.compiled?.list !== list) this.compiled = { list, rules: list.flatMap(ruleOf) }
    return this.compiled.rules
  }

  /** The rules that a tag matches, in their order. */
  matching(tag: string): Rule[] {
    return this.all().filter(({ pattern }) => fnmatch(tag, pattern))
  }

  add(tag: string, files: Value): ManageResult {
    if (this.at(tag) >= 0) return { status: false, comment: 'Reactor already exists.' }
    this.list().push(new Map([[tag, files]]))
    this.compiled = undefined
    return { status: true, comment: 'Reactor added.' }
  }

  delete(tag: string): ManageResult {
    const at = this.at(tag)
    if (at < 0) return { status: false, comment: 'Reactor does not exists.' }
    this.list().splice(at, 1)
    this.compiled = undefined
    return { status: true, comment: 'Reactor deleted.' }
  }

  private at(tag: string): number {
    return this.list().findIndex((entry) => isDict(entry) && [...entry.keys()][0] === tag)
  }
}

/** What is no dict with one key is passed over. */
function ruleOf(entry: Value): Rule[] {
  if (!isDict(entry) || entry.size !== 1) return []
  const [[pattern, files]] = [...entry] as [[Value, Value]]
  if (typeof files === 'string') return [{ pattern: str(pattern), files: [files] }]
  return isList(files) ? [{ pattern: str(pattern), files: files.map(str) }] : []
}
