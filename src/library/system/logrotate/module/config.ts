// Parser of the logrotate configuration, as in Salt: settings by name, and a dict of settings for each path of a block.
// Files of an `include` directory are read as well; `include files` lists their keys.
import { type Dict, isDict, isList, splitLines, splitWords, str, type Value } from '../../../../data/mod.ts'
import type { Host } from '../../../../sdk/mod.ts'

const SCRIPTS = new Set(['firstaction', 'lastaction', 'prerotate', 'postrotate', 'preremove'])

const numberIfOne = (value: string): Value => {
  const text = value.trim()
  return /^[+-]?\d+(_\d+)*$/.test(text) ? Number(text.replaceAll('_', '')) : value
}

function setting(words: readonly string[]): Value {
  if (words.length > 2) return words.slice(1).join(' ')
  return words.length > 1 ? numberIfOne(words[1]!) : true
}

async function include(host: Host, folder: string, into: Dict): Promise<void> {
  const files = (into.get('include files') ?? new Map()) as Dict
  into.set('include files', files)
  for (const name of await host.list(folder)) {
    const keys = (files.get(name) ?? []) as Value[]
    files.set(name, keys)
    for (const [key, value] of await parseConfig(host, `${folder.replace(/\/$/, '')}/${name}`)) {
      into.set(key, value)
      keys.push(key)
    }
  }
}

export async function parseConfig(host: Host, path: string): Promise<Dict> {
  const found: Dict = new Map()
  let block: Dict | undefined
  let names: string[] = []
  let before: string[] = []
  let script: { name: string; lines: string[] } | undefined
  for (const raw of splitLines(Buffer.from(await host.read(path)).toString())) {
    const line = raw.trim()
    if (script) {
      if (line !== 'endscript') script.lines.push(line)
      else {
        ;(block ?? found).set(script.name, script.lines)
        script = undefined
      }
      continue
    }
    if (line === '' || line.startsWith('#')) continue
    const words = splitWords(line)
    if (line.includes('}')) {
      for (const name of names) found.set(name, block ?? new Map())
      names = []
      block = undefined
    } else if (line.includes('{')) {
      names = words.length === 1 && before.length > 0 ? before : words.slice(0, -1)
      block = new Map()
    } else {
      if (words[0] === 'include') await include(host, words[1]!, found)
      if (SCRIPTS.has(words[0]!) && words.length === 1) script = { name: words[0]!, lines: [] }
      else {
        before = words
        ;(block ?? found).set(words[0]!, setting(words))
      }
    }
  }
  return found
}

/** Return the text of a block. */
export function blockText(key: string, block: Dict): string {
  const lines: string[] = []
  for (const [name, value] of block) {
    const isScript = SCRIPTS.has(str(name)) && isList(value)
    if (isScript) lines.push(`    ${str(name)}\n`, ...value.map((line) => `        ${str(line)}\n`), '    endscript\n')
    else lines.push(`    ${str(name)} ${value === true ? '' : str(value)}\n`)
  }
  return `${key} {\n${lines.join('')}}`
}

export const blockOf = (config: Dict, key: string): Dict | undefined => {
  const value = config.get(key)
  return value !== undefined && isDict(value) ? value : undefined
}
