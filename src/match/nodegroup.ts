// Nodegroups: names for compound targets, which may name further groups. A group without operators, wildcards and engine
// letters is a list of ids, or one regular expression when a word looks like it.
import type { Log } from '../base/mod.ts'
import { contains, dictGet, splitWords, str, textOf, type Value } from '../data/mod.ts'
import { OPERATORS } from './target.ts'

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
    for (const word of words) {
      if (word.length >= 3 && word.startsWith('N@')) {
        nested = true
        expanded.push(...this.expand(word.slice(2), false))
      } else expanded.push(word)
    }
    this.open.delete(name)
    if (outermost && !nested) return asOneTarget(words) ?? words
    const joined = outermost ? undefined : asOneTarget(words)
    return joined ?? (expanded.length > 0 ? ['(', ...expanded, ')'] : expanded)
  }

  private wordsOf(name: string): string[] | undefined {
    if (this.open.has(name)) return this.fail(`illegal nested nodegroup "${name}"`)
    const group = this.nodegroups instanceof Map ? dictGet(this.nodegroups, name) : undefined
    if (group === undefined) return this.fail(`unknown nodegroup "${name}"`)
    const text = textOf(group)
    if (text !== undefined) return splitWords(text)
    if (Array.isArray(group)) return group.map((word) => str(word))
    this.log?.('error', `Nodegroup '${name}' (${str(group)}) is neither a string, list nor tuple`)
    return undefined
  }

  private fail(problem: string): undefined {
    this.log?.('error', `Failed nodegroup expansion: ${problem}`)
  }
}

const REGEX_CHARACTERS = /[([{\\?}\])]/

function asOneTarget(words: readonly string[]): [string] | undefined {
  if (words.some((word) => OPERATORS.has(word) || word.includes('*') || /^[A-Z]@/.test(word))) return undefined
  const engine = words.some((word) => REGEX_CHARACTERS.test(word)) ? 'E' : 'L'
  return [`${engine}@${words.join(',')}`]
}

/** Whether `nodegroups` names that group. */
export function knowsNodegroup(nodegroups: Value, name: Value): boolean {
  return nodegroups instanceof Map && contains(nodegroups, name)
}
