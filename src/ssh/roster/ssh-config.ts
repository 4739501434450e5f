// The sshconfig roster: names of `Host` lines in a configuration of OpenSSH. As in ssh itself, the first matching
// `Host` line determines a value, so that `Host *` provides defaults. `Match` blocks are skipped.
import { globFiles, option } from '../../config/mod.ts'
import { type Dict, fnmatch, shlexSplit, type Value } from '../../data/mod.ts'
import type { Host } from '../../host/mod.ts'
import type { Backend, RawEntry } from './backend.ts'
import { RosterError } from './errors.ts'
import { below, expandHome, type FileTexts, readText } from './files.ts'

const TEXTS: FileTexts = {
  missing: () => 'Cannot find SSH config file',
  denied: (file) => `Cannot access SSH config file: ${file}`,
}

/** Keywords of OpenSSH, in lower case, by the settings of a roster. */
const SETTINGS: ReadonlyMap<string, string> = new Map([
  ['user', 'user'],
  ['port', 'port'],
  ['identityfile', 'priv'],
])

const DEEPEST_INCLUDE = 16

/** The lines of a `Host` block; undefined patterns mark a `Match` block. */
interface Block {
  patterns: readonly string[] | undefined
  values: Map<string, string>
}

export const sshconfig: Backend = {
  async read({ opts, host }) {
    const named = option(opts, 'ssh_config_file')
    const source = await expandHome(host, named)
    const blocks: Block[] = []
    await readBlocks(host, source, blocks, 0)
    // ssh reads its usual file by itself
    const isUsual = source === (await expandHome(host, '~/.ssh/config'))
    const entries = new Map<string, RawEntry>()
    for (const name of namesIn(blocks)) {
      const settings = valuesFor(name, blocks)
      if (!isUsual) settings.set('ssh_config_file', source)
      entries.set(name, settings)
    }
    return { source, entries }
  },
}

function* namesIn(blocks: readonly Block[]): Generator<string> {
  for (const { patterns = [] } of blocks) yield* patterns.filter((pattern) => !/[*?!]/.test(pattern))
}

function valuesFor(name: string, blocks: readonly Block[]): Dict {
  const settings: Dict = new Map<Value, Value>([['host', name]])
  for (const { patterns, values } of blocks) {
    if (patterns === undefined || !isMeant(name, patterns)) continue
    for (const [key, value] of values) if (!settings.has(key)) settings.set(key, value)
  }
  return settings
}

function isMeant(name: string, patterns: readonly string[]): boolean {
  if (patterns.some((pattern) => pattern.startsWith('!') && fnmatch(name, pattern.slice(1)))) return false
  return patterns.some((pattern) => fnmatch(name, pattern))
}

async function readBlocks(host: Host, file: string, blocks: Block[], depth: number): Promise<void> {
  if (depth > DEEPEST_INCLUDE) throw new RosterError('RosterBroken', `${file} is included too deeply`)
  let patterns: Block['patterns'] = depth === 0 ? ['*'] : blocks.at(-1)!.patterns
  const open = (next: Block['patterns']): void => {
    patterns = next
    blocks.push({ patterns, values: new Map() })
  }
  open(patterns)
  for (const line of (await readText(host, file, TEXTS)).split('\n')) {
    const [, keyword = '', rest = ''] = /^\s*([A-Za-z]+)(?:\s*=\s*|\s+)(.*)$/.exec(line) ?? []
    const name = keyword.toLowerCase()
    if (name === 'host') open(wordsOf(rest, file))
    else if (name === 'match') open(undefined)
    else if (name === 'include') {
      for (const included of await includedFiles(host, wordsOf(rest, file))) {
        await readBlocks(host, included, blocks, depth + 1)
      }
      open(patterns)
    } else {
      const key = SETTINGS.get(name)
      const { values } = blocks.at(-1)!
      if (key !== undefined && !values.has(key)) values.set(key, await settingOf(host, key, rest, file))
    }
  }
}

async function settingOf(host: Host, key: string, text: string, file: string): Promise<string> {
  const value = wordsOf(text, file)[0] ?? ''
  return key === 'priv' ? expandHome(host, value) : value
}

/** Relative names are below `~/.ssh`, as for ssh. */
async function includedFiles(host: Host, patterns: readonly string[]): Promise<string[]> {
  const folder = await expandHome(host, '~/.ssh')
  const found: string[] = []
  for (const pattern of patterns) {
    found.push(...globFiles(below(folder, await expandHome(host, pattern))).sort())
  }
  return found
}

function wordsOf(text: string, file: string): string[] {
  try {
    return shlexSplit(text.replace(/(^|\s)#.*$/, ''))
  } catch (error) {
    throw new RosterError('RosterBroken', `${file} has an open quote: ${text.trim()}`, { cause: error })
  }
}
