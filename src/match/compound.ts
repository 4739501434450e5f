// Compound targets: words joined by `and`, `or`, `not` and parentheses. Each word is evaluated by the matcher of its
// letter, or as a glob. Also nodegroups, which are names of compound targets.
import { option } from '../config/mod.ts'
import { splitWords, str, textOf, truthy, type Value } from '../data/mod.ts'
import { grain, grainPcre, pillar, pillarPcre, resource } from './by-data.ts'
import { glob, list, managingMinion, pcre } from './by-id.ts'
import { ipcidr } from './ipcidr.ts'
import { expandNodegroup, knowsNodegroup, targetWord } from './nodegroup.ts'
import type { Matcher, MatchOptions, MatchSubject } from './subject.ts'
import { parseTarget, TARGET_OPERATORS } from './target.ts'
import { type Term, truthOf } from './truth.ts'

/**
 * Matchers by letter. `R` (range) needs a client library for range servers, which peers do not have, so it is unknown
 * here too.
 */
const ENGINES: ReadonlyMap<string, Matcher> = new Map([
  ['G', grain],
  ['P', grainPcre],
  ['I', pillar],
  ['J', pillarPcre],
  ['L', list],
  ['S', ipcidr],
  ['E', pcre],
  ['T', resource],
  ['M', managingMinion],
])

export const compound: Matcher = (target, subject, options = {}) => {
  const words = wordsOf(target)
  if (words === undefined) {
    subject.log?.('error', 'Compound target received that is neither string, list nor tuple')
    return false
  }
  const terms: Term[] = []
  while (words.length > 0) {
    const word = words.shift()!
    if (TARGET_OPERATORS.has(word)) {
      if (!addOperator(terms, word, subject)) return false
      continue
    }
    const { engine, delimiter, pattern } = parseTarget(word)
    if (engine === 'N') {
      words.unshift(...expandNodegroup(pattern, option(subject.opts, 'nodegroups'), subject.log))
      continue
    }
    const matcher = engine === undefined ? glob : ENGINES.get(engine)
    if (matcher === undefined) {
      subject.log?.('error', `Unrecognized target engine "${engine}" for target expression "${word}"`)
      return false
    }
    const engineOptions: MatchOptions = { id: options.id || subject.id }
    if (delimiter !== undefined) engineOptions.delimiter = delimiter
    terms.push(truthy(matcher(engine === undefined ? word : pattern, subject, engineOptions)))
  }
  const truth = truthOf(terms)
  if (truth === undefined) subject.log?.('error', `Invalid compound target: ${str(target)}`)
  return truth ?? false
}

/** For `match: nodegroup` in a top file. */
export const nodegroup: Matcher = (target, subject) => {
  const nodegroups = option(subject.opts, 'nodegroups')
  if (!knowsNodegroup(nodegroups, target)) return false
  return compound(expandNodegroup(str(target), nodegroups, subject.log), subject)
}

function wordsOf(target: Value): string[] | undefined {
  const text = textOf(target)
  if (text !== undefined) return splitWords(text)
  if (!Array.isArray(target)) return undefined
  return target.map(targetWord)
}

/** Add an operator; false if it is not allowed at this position. A `not` after an operand means `and not`. */
function addOperator(terms: Term[], word: string, subject: MatchSubject): boolean {
  const last = terms.at(-1)
  if (last === undefined) {
    if (word !== '(' && word !== 'not') {
      subject.log?.('error', `Invalid beginning operator: ${word}`)
      return false
    }
  } else {
    if (last === '(' && (word === 'and' || word === 'or')) {
      subject.log?.('error', `Invalid beginning operator after "(": ${word}`)
      return false
    }
    if (word === 'not' && last !== 'and' && last !== 'or' && last !== '(') terms.push('and')
  }
  terms.push(word)
  return true
}
