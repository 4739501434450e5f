// Parser of the output of `iptables-save`: rules by table and chain.
import { type Dict, shlexSplit, splitLines, splitWords, strip, type Value } from '../../../../data/mod.ts'
import { OPTION_NAMES, optionName } from './options.ts'

export function parseSaved(text: string): Dict {
  const found: Dict = new Map()
  let table: Dict = new Map()
  for (const line of splitLines(text)) {
    if (line.startsWith('*')) found.set(line.replaceAll('*', ''), (table = new Map()))
    else if (line.startsWith(':')) readChain(table, line)
    else if (line.startsWith('-A')) readRule(table, line)
  }
  return found
}

/** Parse `:INPUT ACCEPT [12:3456]`. */
function readChain(table: Dict, line: string): void {
  const [name = '', policy = '', counters = ''] = splitWords(line)
  const [packets = '', bytes = ''] = counters.replaceAll(/[[\]]/g, '').split(':')
  table.set(
    name.replaceAll(':', ''),
    new Map<Value, Value>([
      ['policy', policy],
      ['packet count', packets],
      ['byte count', bytes],
      ['rules', []],
      ['rules_comment', new Map()],
    ]),
  )
}

function readRule(table: Dict, line: string): void {
  const options = new Map<string, string[]>()
  for (const [option, value] of pairs(shlexSplit(line))) {
    const name = optionName(option)
    if (name !== undefined) options.set(name, [...(options.get(name) ?? []), value])
  }
  const chain = table.get(options.get('append')?.[0] ?? '')
  if (!(chain instanceof Map)) return
  const shown = OPTION_NAMES.filter((name) => name !== 'append' && options.has(name))
  const rule: Dict = new Map(shown.map((name) => [name, options.get(name)!]))
  const comment = options.get('comment')?.[0]
  if (comment !== undefined) (chain.get('rules_comment') as Dict).set(strip(comment, '"'), rule)
  ;(chain.get('rules') as Value[]).push(rule)
}

/** Return every option with the words up to the next option; a negation before an option becomes part of its value. */
function pairs(words: readonly string[]): [string, string][] {
  const found: [string, string[]][] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    const next = words[at + 1]
    if (word === '!' && next?.startsWith('-')) {
      found.push([next, ['!']])
      at++
    } else if (word.startsWith('-')) found.push([word, []])
    else found.at(-1)?.[1].push(word)
  }
  return found.map(([option, values]) => [option, values.join(' ')])
}
