// Builder of iptables rules from the arguments of states. Rules are compared by their text, so the order of the words is
// Salt's.
import { isList, iterate, str, type Value } from '../../../../data/mod.ts'
import { INTERNAL_KEYWORDS } from '../../../../sdk/mod.ts'
import { AFTER_JUMP } from './options.ts'

type Options = Map<string, Value>

const negated = (text: string): boolean => text.startsWith('!') || text.startsWith('not')
const affirmed = (text: string): string => text.replaceAll(/(?:!|not)\s?/g, '')
const isEmpty = (value: Value): boolean => value === null || value === ''

/** Return the value of an option without its negation, and the negation as a word. */
function polarity(value: Value): { not: string; text: string } {
  const text = str(value)
  return negated(text) ? { not: '! ', text: affirmed(text) } : { not: '', text }
}

function take(options: Options, name: string): Value | undefined {
  const value = options.get(name)
  options.delete(name)
  return value
}

/** Return the words of the rule, or an error text. */
export function ruleWords(given: ReadonlyMap<string, Value>): string[] | string {
  const options = new Map(given)
  const target = take(options, 'target')
  if (target !== undefined) options.set('jump', target)
  for (const name of ['name', 'state', 'chain', 'save', 'table', ...INTERNAL_KEYWORDS]) options.delete(name)
  const rule: string[] = []
  const simple = (name: string, option: string): void => {
    const value = take(options, name)
    if (value === undefined) return
    const { not, text } = polarity(value)
    rule.push(`${not}${option} ${text}`)
  }
  simple('if', '-i')
  simple('of', '-o')
  if (options.has('proto') && options.get('match') !== 'policy') options.set('protocol', take(options, 'proto')!)
  const hasProtocol = options.has('protocol')
  simple('protocol', '-p')
  matchWords(options, rule, () => simple('proto', '--proto'))
  matchSetWords(options, rule)
  if (options.has('connstate') && !rule.includes('-m state')) rule.push('-m state')
  simple('connstate', '--state')
  simple('dport', '--dport')
  simple('sport', '--sport')
  for (const name of ['dports', 'sports']) {
    if (!options.has(name)) continue
    if (!rule.includes('-m multiport')) {
      rule.push('-m multiport')
      if (!hasProtocol) return 'Error: protocol must be specified'
    }
    rule.push(...portWords(name, take(options, name)!))
  }
  const comment = take(options, 'comment')
  if (comment !== undefined) {
    if (!rule.includes('-m comment')) rule.push('-m comment')
    rule.push(`--comment "${str(comment)}"`)
  }
  if (options.get('set')) simple('set', '--match-set')
  const last = targetWords(options)
  return [...rule, ...otherWords(options), ...last]
}

const NAMED_MATCHES = ['pknock', 'quota2', 'recent']

function matchWords(options: Options, rule: string[], policyProtocol: () => void): void {
  const value = options.get('match')
  if (value === undefined) return
  const matches = isList(value) ? [...iterate(value)].map(str) : str(value).split(',')
  for (const match of matches) {
    rule.push(`-m ${match}`)
    if (!options.has('name_') || !NAMED_MATCHES.includes(match.trim())) continue
    rule.push(`--name ${str(take(options, 'name_')!)}`)
  }
  if (value === 'policy') policyProtocol()
  options.delete('match')
}

function matchSetWords(options: Options, rule: string[]): void {
  const value = take(options, 'match-set')
  if (value === undefined) return
  const sets = typeof value === 'string' ? [value] : [...iterate(value)].map(str)
  for (const set of sets) {
    const { not, text } = polarity(set)
    rule.push(`-m set ${not}--match-set ${text}`)
  }
}

function portWords(name: string, value: Value): string[] {
  const ports = isList(value) ? [...iterate(value)].map(str) : [str(value)]
  if (!ports.some(negated)) return [`--${name} ${ports.join(',')}`]
  return ['!', `--${name} ${ports.map(affirmed).join(',')}`]
}

function targetWords(options: Options): string[] {
  return AFTER_JUMP.filter((name) => options.has(name)).map((name) => {
    const value = take(options, name)!
    if (isEmpty(value)) return `--${name}`
    const text = str(value)
    return /[ \t\n\r\v\f]/.test(text) ? `--${name} "${text}"` : `--${name} ${text}`
  })
}

function otherWords(options: Options): string[] {
  return Array.from(options, ([name, value]) => {
    const { not, text } = isEmpty(value) ? { not: '', text: '' } : polarity(value)
    return `${not}${name.length === 1 ? '-' : '--'}${name}${text === '' ? '' : ` ${text}`}`
  })
}
