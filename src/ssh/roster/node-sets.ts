// Node sets of ClusterShell: `web[1-3,5],db[01-04/2]!db03`. Names are separated by commas; `!` takes names away, `&` keeps common
// names and `^` keeps names that only one side has. Operators apply from left to right.
import { quote } from '../../data/mod.ts'
import { RosterError } from './errors.ts'
import { MOST_TARGETS } from './scan.ts'

type Join = (left: Set<string>, right: Set<string>) => Set<string>

const OPERATORS: Readonly<Record<string, Join>> = {
  ',': (left, right) => new Set([...left, ...right]),
  '!': (left, right) => new Set([...left].filter((name) => !right.has(name))),
  '&': (left, right) => new Set([...left].filter((name) => right.has(name))),
  '^': (left, right) => new Set([...left, ...right].filter((name) => left.has(name) !== right.has(name))),
}

const LONGEST = 64 * 1024

/** Return the names that a node set means, each once. */
export function expandNodeSet(expression: string): string[] {
  if (expression.length > LONGEST) throw new RosterError('InvalidTarget', 'The node set is too long')
  let names = new Set<string>()
  let operator = ','
  for (const part of expression.split(/([,!&^](?![^[]*\]))/)) {
    if (Object.hasOwn(OPERATORS, part)) operator = part
    else if (part.trim() !== '') names = OPERATORS[operator]!(names, new Set(expandPattern(part.trim(), expression)))
  }
  return [...names]
}

function expandPattern(pattern: string, expression: string): string[] {
  const wrong = (why: string): RosterError =>
    new RosterError('InvalidTarget', `${quote(expression)} is no node set: ${why}`)
  if (/[\s\p{Cc}]/u.test(pattern)) throw wrong(`${quote(pattern)} has a space`)
  let names = ['']
  for (const part of pattern.split(/(\[[^[\]]*\])/)) {
    const choices = part.startsWith('[') && part.endsWith(']') ? expandRanges(part.slice(1, -1), wrong) : [part]
    if (choices === undefined || /[[\]]/.test(choices[0] ?? ''))
      throw wrong(`brackets of ${quote(pattern)} do not match`)
    if (names.length * choices.length > MOST_TARGETS) throw wrong(`it has more than ${MOST_TARGETS} names`)
    names = names.flatMap((name) => choices.map((choice) => name + choice))
  }
  return names
}

/** `1-3,5` or `01-10/2`; numbers keep the width of the first one. */
function expandRanges(text: string, wrong: (why: string) => RosterError): string[] {
  return text.split(',').flatMap((range) => {
    const [, first, last = first, step = '1'] = /^(\d{1,12})(?:-(\d{1,12})(?:\/(\d{1,9}))?)?$/.exec(range.trim()) ?? []
    if (first === undefined || Number(step) === 0 || Number(last) < Number(first)) {
      throw wrong(`${quote(range)} is no range of numbers`)
    }
    if ((Number(last) - Number(first)) / Number(step) >= MOST_TARGETS) {
      throw wrong(`it has more than ${MOST_TARGETS} names`)
    }
    const width = first.startsWith('0') ? first.length : 0
    const numbers: string[] = []
    for (let at = Number(first); at <= Number(last!); at += Number(step)) numbers.push(String(at).padStart(width, '0'))
    return numbers
  })
}
