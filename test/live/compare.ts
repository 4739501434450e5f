// Whether an output is the recorded one. Minions answer in any order, so texts are compared block by block, and values that
// vary stand in the recording as placeholders.
import { sameLines, sortedNames } from './any-order.ts'
import type { Placeholders } from './placeholders.ts'
import type { Json } from './scenario.ts'

/** Around the summary at the end, which belongs to no minion. */
const RULE = '-'.repeat(43)

/** Split into unindented lines, each with its indented lines. */
function blocks(text: string): string[] {
  const found: string[] = []
  for (const line of text.replace(/\n+$/, '').split('\n')) {
    if (found.length > 0 && line !== RULE && /^(\s|-{4,}$|$)/.test(line)) found[found.length - 1] += `\n${line}`
    else found.push(line)
  }
  return found
}

/** A key in a map of a recording that stands for omitted names. */
const CUT = '...'

const SENT = /^\n?Executing run on (\[.*\])\n\n?/gm

/** The minions of a batch round depend on which return first, and Salt miscounts when several return at once. */
function withoutBatches(text: string): string {
  const sent = [...text.matchAll(SENT)].flatMap(([, list]) => list!.match(/'[^']*'/g) ?? [])
  if (sent.length === 0) return text
  const rest = text.replace(SENT, '').replace(/^minion \S+ was already deleted from tracker, .*\n/gm, '')
  return `Sent to ${sent.sort().join(' ')}\n${rest.replace(/^\n+/gm, '')}`
}

/** Return missing and additional lines; empty if both are equal. */
export function differenceOfTexts(recorded: string, printed: string, known: Placeholders): string {
  if (known.matches(recorded.trimEnd(), printed.trimEnd())) return ''
  const [expected, actual] = [sortedNames(withoutBatches(recorded)), sortedNames(withoutBatches(printed))]
  const left = blocks(actual)
  const missing: string[] = []
  for (const block of blocks(expected)) {
    const [wanted, isNested] = [block.trimEnd(), /^ +Function: salt\./m.test(block)]
    const at = left.findIndex(
      (other) => known.matches(wanted, other.trimEnd()) || (isNested && sameLines(wanted, other.trimEnd(), known)),
    )
    if (at < 0) missing.push(block)
    else left.splice(at, 1)
  }
  const isSame = missing.every((block) => block.trim() === '') && left.every((block) => block.trim() === '')
  return isSame ? '' : [...missing.map((block) => `- ${block}`), ...left.map((block) => `+ ${block}`)].join('\n')
}

/** All JSON documents of a text; dicts are laid together, as one per minion may be printed. */
export function readJson(text: string): Json | undefined {
  const documents: Json[] = []
  let begin = 0
  const lines = text.split('\n')
  for (let end = 0; end < lines.length; end++) {
    const piece = lines
      .slice(begin, end + 1)
      .join('\n')
      .trim()
    if (piece === '') continue
    try {
      documents.push(JSON.parse(piece) as Json)
      begin = end + 1
    } catch {
      // a line of text before the documents, or not a whole document yet
      if (!/^[[{"\d-]|^(true|false|null)$/.test(piece)) begin = end + 1
    }
  }
  if (documents.length === 0) return undefined
  if (documents.length === 1) return documents[0]
  return Object.assign({}, ...documents) as Json
}

/** Lists of plain values are sets; numbers may be given as placeholders. */
export function matchesJson(expected: Json, actual: Json | undefined, known: Placeholders): boolean {
  if (actual === undefined) return false
  if (typeof expected === 'string') {
    if (typeof actual === 'object' && actual !== null) return expected === '<ALL GRAINS>'
    return known.matches(sortedNames(expected), sortedNames(String(actual)))
  }
  if (expected === null || typeof expected !== 'object') return expected === actual
  if (Array.isArray(expected)) return Array.isArray(actual) && matchesList(expected, actual, known)
  if (actual === null || typeof actual !== 'object' || Array.isArray(actual)) return false
  // recordings cut long maps short
  const names = Object.keys(expected).filter((name) => name !== CUT)
  const others = Object.keys(actual)
  if (!(CUT in expected) && names.length !== others.length) return false
  return names.every((name) => {
    if (name in actual) return matchesJson(expected[name]!, actual[name], known)
    const isOwn = (other: string): boolean =>
      known.matches(name, other) && matchesJson(expected[name]!, actual[other], known)
    return others.some((other) => known.attempt(() => isOwn(other)))
  })
}

function matchesList(expected: Json[], actual: Json[], known: Placeholders): boolean {
  if (expected.length !== actual.length) return false
  if (known.attempt(() => expected.every((item, index) => matchesJson(item, actual[index], known)))) return true
  const left = [...actual]
  return expected.every((item) => {
    const at = left.findIndex((other) => known.attempt(() => matchesJson(item, other, known)))
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  })
}
