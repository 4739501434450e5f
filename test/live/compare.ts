// Whether an output is the recorded one. Minions answer in any order, so texts are compared block by block, and values that
// vary stand in the recording as placeholders.
import type { Json } from './scenario.ts'

const PLACEHOLDERS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^JID\d*$/, '\\d{20}(?:_\\d+)?'],
  [/^(STAMP|START_TIME|UUID|ROOTKEY)$/, '\\S+'],
  [/^(TIME|CTIME)$/, '.+'],
  [/^(EPOCH|PID)$/, '\\d+'],
  [/^(MS|DURATION|SECONDS)$/, '[\\d.]+(?: ?m?s)?'],
  [/^PUBKEY$/, '[\\s\\S]+'],
  [/^(FINGER)$/, '[0-9a-f:]+'],
  [/^(TOKEN|HEX)$/, '[0-9a-f]+'],
  [/^(USAGE|DOCSTRING|FRAMES|ALL GRAINS)$/, '[\\s\\S]*'],
]

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The recorded text as a pattern. */
function pattern(text: string): RegExp {
  const parts = text.split(/<([A-Z_ ]+\d*)>/)
  const source = parts.map((part, index) => {
    if (index % 2 === 0) return escaped(part)
    return PLACEHOLDERS.find(([name]) => name.test(part))?.[1] ?? escaped(`<${part}>`)
  })
  return new RegExp(`^${source.join('')}$`)
}

export const matchesText = (expected: string, actual: string): boolean =>
  expected === actual || pattern(expected).test(actual)

/** An unindented line with what is indented below it. */
function blocks(text: string): string[] {
  const found: string[] = []
  for (const line of text.replace(/\n+$/, '').split('\n')) {
    if (found.length > 0 && /^(\s|-{4,}$|$)/.test(line)) found[found.length - 1] += `\n${line}`
    else found.push(line)
  }
  return found
}

/** What is missing or too much; empty when both say the same. */
export function differenceOfTexts(expected: string, actual: string): string {
  if (matchesText(expected.trimEnd(), actual.trimEnd())) return ''
  const left = blocks(actual)
  const missing: string[] = []
  for (const block of blocks(expected)) {
    const at = left.findIndex((other) => matchesText(block.trimEnd(), other.trimEnd()))
    if (at < 0) missing.push(block)
    else left.splice(at, 1)
  }
  if (missing.length === 0 && left.length === 0) return ''
  return [...missing.map((block) => `- ${block}`), ...left.map((block) => `+ ${block}`)].join('\n')
}

/** All JSON documents of a text; dicts are laid together, as one per minion may be printed. */
export function readJson(text: string): Json | undefined {
  const documents: Json[] = []
  let depthStart = 0
  const lines = text.split('\n')
  for (let end = 0; end < lines.length; end++) {
    const piece = lines
      .slice(depthStart, end + 1)
      .join('\n')
      .trim()
    if (piece === '') continue
    try {
      documents.push(JSON.parse(piece) as Json)
      depthStart = end + 1
    } catch {
      // not a whole document yet
    }
  }
  if (documents.length === 0) return undefined
  if (documents.length === 1) return documents[0]
  return Object.assign({}, ...documents) as Json
}

/** Lists of plain values are sets; numbers may be given as placeholders. */
export function matchesJson(expected: Json, actual: Json | undefined): boolean {
  if (actual === undefined) return false
  if (typeof expected === 'string') {
    return typeof actual === 'object' && actual !== null
      ? expected === '<ALL GRAINS>'
      : matchesText(expected, String(actual))
  }
  if (expected === null || typeof expected !== 'object') return expected === actual
  if (Array.isArray(expected)) return Array.isArray(actual) && matchesList(expected, actual)
  if (actual === null || typeof actual !== 'object' || Array.isArray(actual)) return false
  const names = Object.keys(expected)
  const others = Object.keys(actual)
  if (names.length !== others.length) return false
  return names.every((name) => {
    const own = name in actual ? name : others.find((other) => matchesText(name, other))
    return own !== undefined && matchesJson(expected[name]!, actual[own])
  })
}

function matchesList(expected: Json[], actual: Json[]): boolean {
  if (expected.length !== actual.length) return false
  if (expected.every((item, index) => matchesJson(item, actual[index]))) return true
  const left = [...actual]
  return expected.every((item) => {
    const at = left.findIndex((other) => matchesJson(item, other))
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  })
}
