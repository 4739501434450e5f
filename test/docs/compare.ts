// Compares printed output with real output. Values that differ from run to run are masked on both sides. A line `…` stands for any lines,
// `…` inside a line for any text. Minions answer in any order, so their blocks may be in any order too.

const MASKS: readonly (readonly [pattern: RegExp, mask: string])[] = [
  [/\b20\d{18}\b/g, '<jid>'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|\+00:00)?/g, '<time>'],
  [/\d{4}, \w{3} \d\d \d\d:\d\d:\d\d\.\d+/g, '<time>'],
  [/\b\d\d:\d\d:\d\d(?:\.\d+)?\b/g, '<time>'],
  [/ +\d+(?:\.\d+)? (ms|s)\b/g, ' <n> $1'],
  [/\b(pid|PID) \d+/g, '$1 <n>'],
  [/(?:[0-9a-f]{2}:){15,31}[0-9a-f]{2}/g, '<fingerprint>'],
]

/** Objects of JSON have no order either. */
function inOrder(line: string): string {
  if (!line.startsWith('{')) return line
  try {
    return JSON.stringify(sorted(JSON.parse(line)))
  } catch {
    return line
  }
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}

const unordered = (text: string): string =>
  MASKS.reduce((all, [pattern, mask]) => all.replace(pattern, mask), text.replace(/[ \t]+$/gm, '')).trim()

const masked = (text: string): string => unordered(text).split('\n').map(inOrder).join('\n')

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function patternOf(shown: string): RegExp {
  const lines = shown
    .split('\n')
    .map((line) => (line.trim() === '…' ? '(?:.*\n)*?' : `${line.split('…').map(escaped).join('.*')}\n`))
  return new RegExp(`^${lines.join('')}$`)
}

const matches = (shown: string, real: string): boolean => patternOf(shown).test(`${real}\n`)

/** Split output before each line that is the id of a minion. */
function blocksOf(text: string, ids: readonly string[]): string[] {
  const blocks: string[] = []
  for (const line of text.split('\n')) {
    if (blocks.length === 0 || ids.some((id) => line === `${id}:`)) blocks.push(line)
    else blocks[blocks.length - 1] += `\n${line}`
  }
  return blocks
}

/** Return whether real output is what the document shows. */
export function isShown(shown: string, real: string, ids: readonly string[]): boolean {
  const [wanted, got] = [masked(shown), masked(real)]
  // a shortened line of JSON cannot be put in order
  if (matches(wanted, got) || matches(unordered(shown), unordered(real))) return true
  const left = blocksOf(got, ids)
  const missing = blocksOf(wanted, ids).filter((block) => {
    const at = left.findIndex((candidate) => matches(block.trimEnd(), candidate.trimEnd()))
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
  return missing.length === 0 && left.length === 0
}
