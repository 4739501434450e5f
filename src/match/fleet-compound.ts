// A compound target as its master reads it: each word becomes the set of minions it means. Unlike on a minion, parentheses
// that were left open are closed.
import { option } from '../config/mod.ts'
import { splitWords, textOf, type Value } from '../data/mod.ts'
import type { FleetQuery } from './fleet-query.ts'
import { expandNodegroup } from './nodegroup.ts'
import type { SetTerm } from './set-expression.ts'
import { parseTarget, TARGET_OPERATORS } from './target.ts'

interface Terms {
  terms: SetTerm[]
  missing: string[]
}

class Building implements Terms {
  readonly terms: SetTerm[] = []
  readonly missing: string[] = []
  /** Parentheses and exclusions that are open. */
  readonly open: Array<'(' | '-'> = []
  private readonly query: FleetQuery

  constructor(query: FleetQuery) {
    this.query = query
  }

  /** Add an operator; false if it is not allowed at this position. */
  operator(word: string): boolean {
    const last = this.terms.at(-1)
    if (word === '(') return this.begin('(')
    if (word === ')') return this.end()
    if (word === 'not') {
      if (last !== undefined && last !== '&' && last !== '|' && last !== '(') this.terms.push('&')
      this.begin('-')
      this.terms.push(new Set(this.query.fleet.accepted), '-')
      return true
    }
    if (last === undefined || last === '(') return false
    this.terms.push(word === 'and' ? '&' : '|')
    return true
  }

  operand(minions: Iterable<string>): void {
    this.terms.push(new Set(minions))
    this.endExclusion()
  }

  get isExcluding(): boolean {
    return this.terms.at(-1) === '-'
  }

  finish(): void {
    for (const _ of this.open) this.terms.push(')')
  }

  private begin(what: '(' | '-'): boolean {
    this.terms.push('(')
    this.open.push(what)
    return true
  }

  private end(): boolean {
    if (this.open.at(-1) !== '(') return false
    this.open.pop()
    this.terms.push(')')
    this.endExclusion()
    return true
  }

  private endExclusion(): void {
    if (this.open.at(-1) !== '-') return
    this.open.pop()
    this.terms.push(')')
  }
}

/** Return the terms of a target; undefined if its syntax is invalid and it matches nothing. */
export function compoundTerms(query: FleetQuery, target: Value, isExact: boolean): Terms | undefined {
  const text = textOf(target)
  const words =
    text !== undefined ? splitWords(text) : Array.isArray(target) ? target.map((word) => textOf(word) ?? '') : undefined
  if (words === undefined) return undefined
  const building = new Building(query)
  while (words.length > 0) {
    const word = words.shift()!
    const { engine, delimiter = ':', pattern } = parseTarget(word)
    if (TARGET_OPERATORS.has(word)) {
      if (!building.operator(word)) return undefined
    } else if (engine === 'N') {
      words.unshift(...expandNodegroup(pattern, option(query.fleet.opts, 'nodegroups'), query.fleet.log))
    } else if (engine === 'L') {
      const { minions, missing } = query.list(pattern)
      if (!building.isExcluding) building.missing.push(...missing)
      building.operand(minions)
    } else {
      const minions = engine === undefined ? query.glob(word) : asked(query, engine, pattern, delimiter, isExact)
      if (minions === undefined) return undefined
      building.operand(minions)
    }
  }
  building.finish()
  return building
}

/** Evaluate the matcher of a letter; `R` needs a client library for range servers, which peers do not have. */
function asked(
  query: FleetQuery,
  engine: string,
  pattern: string,
  delimiter: string,
  isExact: boolean,
): string[] | undefined {
  switch (engine) {
    case 'G':
      return query.within('grains', pattern, { delimiter })
    case 'P':
      return query.within('grains', pattern, { delimiter, regex: true })
    case 'I':
      return query.within('pillar', pattern, isExact ? { delimiter, exact: true } : { delimiter })
    case 'J':
      return query.within('pillar', pattern, isExact ? { delimiter, exact: true } : { delimiter, regex: true })
    case 'S':
      return query.address(pattern)
    case 'E':
      return query.pcre(pattern)
    case 'T':
      return query.resource(pattern)
    case 'M':
      return query.glob(pattern)
    default:
      return undefined
  }
}
