// The sshknownhosts roster: the names of a file of known host keys.
import { option } from '../../config/mod.ts'
import type { Dict, Value } from '../../data/mod.ts'
import type { Backend, RawEntry } from './backend.ts'
import { expandHome, type FileTexts, readText } from './files.ts'

const TEXTS: FileTexts = {
  missing: () => 'Cannot find SSH known_hosts file',
  denied: (file) => `Cannot access SSH known_hosts file: ${file}`,
}

export const sshknownhosts: Backend = {
  async read({ opts, host, log }) {
    const source = await expandHome(host, option(opts, 'ssh_known_hosts_file') || '~/.ssh/known_hosts')
    const text = await readText(host, source, TEXTS)
    const entries = new Map<string, RawEntry>()
    let hashed = 0
    for (const line of text.split('\n').map((one) => one.trim())) {
      if (line === '' || line.startsWith('#') || line.startsWith('@revoked')) continue
      const fields = line.replace(/^@cert-authority\s+/, '').split(/\s+/)
      if (fields.length < 3) log('warning', `Not enough fields found in known_hosts in line : ${line}`)
      else if (fields[0]!.startsWith('|')) hashed++
      else for (const name of fields[0]!.split(',')) addName(entries, name)
    }
    if (hashed > 0) log('info', `${source} has ${hashed} hashed names, which cannot be targets`)
    return { source, entries }
  },
}

/** A name with a port is `[name]:port`; its id has no brackets, which are a pattern in a target. Patterns are no targets. */
function addName(entries: Map<string, RawEntry>, name: string): void {
  if (/[*?!]/.test(name)) return
  const [, host = name, port] = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(name) ?? []
  const id = port === undefined ? host : `${host}:${port}`
  const settings: Dict = new Map<Value, Value>([['host', host], ...(port ? ([['port', Number(port)]] as const) : [])])
  if (!entries.has(id)) entries.set(id, settings)
}
