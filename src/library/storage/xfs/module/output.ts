// Parsers of the output of XFS programs.
import { type Dict, dictFrom, splitLines, type Value } from '../../../../data/mod.ts'

const filled = (text: string): string[] => splitLines(text).filter((line) => line.trim() !== '')

/** Parse the `name=value` pairs of a line; values may contain spaces, names may not. */
function pairs(line: string): Array<[string, string]> {
  const words: string[] = []
  for (const word of line.replaceAll(' = ', '=*** ').replaceAll(' =', '=').split(' ')) {
    if (words.length === 0 || word.includes('=')) words.push(word)
    else words.push(`${words.pop()} ${word}`)
  }
  return words.map((word) => {
    const [name, value = ''] = word.split('=')
    return [name!, value]
  })
}

/** Parse the geometry of a file system, by section. */
export function geometry(text: string): Dict {
  const found: Dict = new Map()
  let section: Dict = new Map()
  for (const raw of splitLines(text)) {
    const line = raw.replace(/\s+/g, ' ').trim().replaceAll(', ', ' ')
    if (!line.includes('=')) continue
    if (line.startsWith('=')) {
      for (const [name, value] of pairs(line.slice(1).trim())) section.set(name, value)
      continue
    }
    const [[name, kind], ...rest] = pairs(line) as [[string, string], ...Array<[string, string]>]
    section = new Map<Value, Value>([['section', kind === '***' ? name : kind], ...rest])
    found.set(name, section)
  }
  return found
}

const DUMP_FACTS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^session id:.* (\S+)$/, 'Session ID'],
  [/^session label: (.*)$/, 'Session label'],
  [/^media file size\s+(.*)$/, 'Media size'],
  [/^dump complete:\s+(.*)$/, 'Dump complete'],
  [/^Dump Status:\s+(.*)$/, 'Status'],
]

export function dumpFacts(text: string): Dict {
  const found: Dict = new Map()
  const summary: string[] = []
  let isSummary = false
  for (const raw of filled(text)) {
    const line = raw.trim().replace(/^xfsdump: /, '')
    for (const [pattern, name] of DUMP_FACTS) {
      const value = pattern.exec(line)?.[1]
      if (value !== undefined) found.set(name, value)
    }
    if (line.startsWith('Dump Summary:')) isSummary = true
    else if (isSummary && line.startsWith(' ')) summary.push(line.trim())
    else isSummary = false
  }
  return summary.length > 0 ? found.set('Summary', summary.join(' ')) : found
}

/** Parse a tree of sessions and streams that is indented by tabs; the last line is the status. */
export function inventory(text: string): Dict {
  const lines = filled(text)
  const found: Dict = new Map()
  const open: Dict[] = [found]
  for (const line of lines.slice(0, -1)) {
    const depth = /^\t*/.exec(line)![0].length
    const [name, value = ''] = line.trim().split(/:(.*)/)
    open.length = Math.min(open.length, depth + 1)
    const parent = open.at(-1)!
    if (value.trim() === '') {
      const inner: Dict = new Map()
      parent.set(name!.trim(), inner)
      open.push(inner)
    } else parent.set(name!.trim(), value.trim())
  }
  return found.set('restore_status', lines.at(-1) ?? '')
}

/** Parse the data of a session between two rules; empty for another session. */
export function pruned(text: string, session: string): Dict {
  const lines = filled(text).map((line) => line.trim())
  const start = lines.findIndex((line) => line.startsWith('-'))
  const after = lines.slice(start + 1)
  const end = after.findIndex((line) => line.startsWith('-'))
  const facts = after.slice(1, end < 0 ? undefined : end).filter((line) => line.includes(':'))
  const found: Dict = new Map(
    facts.map((line) => {
      const [name, value = ''] = line.split(/:(.*)/)
      return [name!.trim().toLowerCase().replaceAll(' ', '_'), value.trim()]
    }),
  )
  return found.get('uuid') === session ? found : new Map()
}

export function estimates(text: string): Dict {
  return new Map(
    filled(text)
      .slice(1)
      .map((line) => {
        const [directory = '', bsize = '', blocks = '', megabytes = '', logsize = ''] = line.trim().split(/\s+/)
        const facts = { 'block _size': bsize, blocks, megabytes, logsize }
        return [directory, dictFrom(facts)]
      }),
  )
}

/** Parse the XFS devices that blkid exports. */
export function xfsDevices(text: string): Map<string, Dict> {
  const found = new Map<string, Dict>()
  for (const block of text.split('\n\n')) {
    const facts: Dict = new Map(
      filled(block).map((line) => {
        const [name, value = ''] = line.split(/=(.*)/s)
        return [name!.toLowerCase(), value]
      }),
    )
    if (facts.get('type') !== 'xfs') continue
    const device = String(facts.get('devname'))
    facts.delete('type')
    facts.delete('devname')
    found.set(device, facts.set('label', facts.get('label') ?? null))
  }
  return found
}

/** Parse the mounted XFS file systems, by device. */
export function xfsMounts(text: string): Map<string, Dict> {
  const lines = filled(text).map((line) => line.trim().split(' '))
  return new Map(
    lines
      .filter(([, , kind]) => kind === 'xfs')
      .map(([device, place, , options]) => [
        device!,
        new Map<Value, Value>([['mount_point', place!]]).set('options', options!.split(',')),
      ]),
  )
}
