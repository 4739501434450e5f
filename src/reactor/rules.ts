// The rules: which files react to which events. The option `reactor` is a list of one-key dicts from a glob of tags to
// one or more files, or the path of a YAML file with such a list, which is read again for each event. An entry
// `origin:` among the files restricts the origins of events; a rule with an invalid condition matches nothing.
import { readFileSync } from 'node:fs'
import { type Log, toError } from '../base/mod.ts'
import { isFrom, type Origin, type OriginPattern, readOriginPattern } from '../bus/mod.ts'
import { rawOption } from '../config/mod.ts'
import { type Dict, fnmatch, isDict, isList, str, type Value } from '../data/mod.ts'
import { load } from '../yaml/mod.ts'

export interface Rule {
  pattern: string
  files: string[]
  /** The allowed origins of the event; undefined allows all. */
  origins?: OriginPattern[]
}

export interface ManageResult {
  status: boolean
  comment: string
}

export class Rules {
  private readonly opts: Dict
  private readonly log: Log
  private compiled: { list: Value[]; rules: Rule[] } | undefined
  /** Problems that the log has: a file of rules is read for each event. */
  private readonly told = new Set<string>()

  constructor(opts: Dict, log: Log) {
    this.opts = opts
    this.log = log
  }

  /** The configured list with the rules that were added at run time. */
  list(): Value[] {
    const configured = rawOption(this.opts, 'reactor')
    if (typeof configured !== 'string') return isList(configured) ? configured : []
    return this.listIn(configured)
  }

  private listIn(file: string): Value[] {
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
    if (this.compiled?.list !== list) this.compiled = { list, rules: list.flatMap((entry) => this.read(entry)) }
    return this.compiled.rules
  }

  private read(entry: Value): Rule[] {
    const rule = ruleOf(entry)
    if (!rule) return []
    if (!('problem' in rule)) return [rule]
    if (!this.told.has(rule.problem)) this.log('error', rule.problem)
    this.told.add(rule.problem)
    return []
  }

  /** The rules that an event matches, in their order. */
  matching(tag: string, origin: Origin): Rule[] {
    return this.all().filter(({ pattern, origins }) => fnmatch(tag, pattern) && (!origins || isFrom(origin, origins)))
  }

  add(tag: string, files: Value): ManageResult {
    if (this.at(tag) >= 0) return { status: false, comment: 'Reactor already exists.' }
    const rule = ruleOf(new Map([[tag, files]]))
    if (rule && 'problem' in rule) return { status: false, comment: rule.problem }
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

/** Return the rule of an entry. As in Salt, an entry that is no dict with one key is ignored. */
function ruleOf(entry: Value): Rule | { problem: string } | undefined {
  if (!isDict(entry) || entry.size !== 1) return undefined
  const [[key, value]] = [...entry] as [[Value, Value]]
  const pattern = str(key)
  if (typeof value === 'string') return { pattern, files: [value] }
  if (!isList(value)) return undefined
  const conditions = value.filter(isDict)
  const files = value.filter((item) => !isDict(item)).map(str)
  if (conditions.length === 0) return { pattern, files }
  const origins: OriginPattern[] = []
  const wrong = (why: string) => ({ problem: `The reactor for '${pattern}' answers nothing: ${why}` })
  for (const [name, given] of conditions.flatMap((condition) => [...condition])) {
    if (name !== 'origin') return wrong(`'${str(name)}' is no condition, only origin is`)
    for (const item of isList(given) ? given : [given]) {
      const read = readOriginPattern(item)
      if ('problem' in read) return wrong(read.problem)
      origins.push(read)
    }
  }
  // an empty list of origins allows none
  return { pattern, files, origins }
}
