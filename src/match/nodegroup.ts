// Nodegroups: names for compound targets, which may name further groups. A group without operators, wildcards and engine
// letters is a list of ids, or one regular expression when a word looks like it.
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import {
  contains,
  type Dict,
  dictGet,
  SaltError,
  splitWords,
  str,
  textOf,
  typeError,
  typeName,
  type Value,
} from '../data/mod.ts'
import { TARGET_OPERATORS } from './target.ts'

/** The group's words, ready for the compound matcher; none when it is unknown, malformed or within itself. */
export function expandNodegroup(name: string, nodegroups: Value, log?: Log): string[] {
  return new Expansion(nodegroups, log).expand(name, true)
}

class Expansion {
  private readonly open = new Set<string>()
  private readonly nodegroups: Value
  private readonly log: Log | undefined

  constructor(nodegroups: Value, log: Log | undefined) {
    this.nodegroups = nodegroups
    this.log = log
  }

  expand(name: string, outermost: boolean): string[] {
    const words = this.wordsOf(name)
    if (words === undefined) return []
    this.open.add(name)
    const expanded: string[] = []
    let nested = false
    for (const word of words.map(str)) {
      if (word.length >= 3 && word.startsWith('N@')) {
        nested = true
        expanded.push(...this.expand(word.slice(2), false))
      } else expanded.push(word)
    }
    this.open.delete(name)
    if (outermost && !nested) return asOneTarget(words) ?? words.map(targetWord)
    const joined = outermost ? undefined : asOneTarget(words)
    return joined ?? (expanded.length > 0 ? ['(', ...expanded, ')'] : expanded)
  }

  private wordsOf(name: string): Value[] | undefined {
    if (this.open.has(name)) return this.fail(`illegal nested nodegroup "${name}"`)
    const group = this.nodegroups instanceof Map ? dictGet(this.nodegroups, name) : undefined
    if (group === undefined) return this.fail(`unknown nodegroup "${name}"`)
    const text = textOf(group)
    if (text !== undefined) return splitWords(text)
    if (Array.isArray(group)) return group
    this.log?.('error', `Nodegroup '${name}' (${str(group)}) is neither a string, list nor tuple`)
    return undefined
  }

  private fail(problem: string): undefined {
    this.log?.('error', `Failed nodegroup expansion: ${problem}`)
  }
}

const REGEX_CHARACTERS = /[([{\\?}\])]/

/** Words of other types than text fail where Salt's do. */
function asOneTarget(words: readonly Value[]): [string] | undefined {
  if (words.some((word) => TARGET_OPERATORS.has(str(word)))) return undefined
  const texts = words.map((word) => {
    const text = textOf(word)
    if (text === undefined) throw typeError(`argument of type '${typeName(word)}' is not iterable`)
    return text
  })
  if (texts.some((text) => text.includes('*') || /^[A-Z]@/.test(text))) return undefined
  const engine = texts.some((text) => REGEX_CHARACTERS.test(text)) ? 'E' : 'L'
  return [`${engine}@${texts.join(',')}`]
}

/** A word of a target, which must be text. */
export function targetWord(word: Value): string {
  const text = textOf(word)
  if (text === undefined) throw typeError(`expected string or bytes-like object, got '${typeName(word)}'`)
  return text
}

/** Whether `nodegroups` names that group. */
export function knowsNodegroup(nodegroups: Value, name: Value): boolean {
  return nodegroups instanceof Map && contains(nodegroups, name)
}

/** Return the target to publish for a given one: without nodegroups, which minions do not know. */
export function publishedTarget(target: Value, kind: string, opts: Dict): { target: Value; kind: string } {
  const text = textOf(target)
  if (text === undefined || (kind !== 'nodegroup' && kind !== 'compound')) return { target, kind }
  const nodegroups = option(opts, 'nodegroups')
  const words = kind === 'nodegroup' ? resolved(text, nodegroups, opts) : splitWords(text)
  const published = words.flatMap((word) =>
    word.startsWith('N@') && word.length > 2 ? resolved(word.slice(2), nodegroups, opts) : [word],
  )
  return { target: published.join(' '), kind: 'compound' }
}

function resolved(name: string, nodegroups: Value, opts: Dict): string[] {
  if (knowsNodegroup(nodegroups, name)) return expandNodegroup(name, nodegroups)
  const file = option(opts, 'conf_file')
  throw new SaltError('SaltInvocationError', `Node group ${name} unavailable in ${file}`)
}
