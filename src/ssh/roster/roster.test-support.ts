// A folder with roster files, and lookups in it.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach } from 'vitest'
import { masterDefaults } from '../../config/mod.ts'
import { type Dict, fromPlain, toPlain, type Value } from '../../data/mod.ts'
import { LocalHost } from '../../host/mod.ts'
import type { RosterRequest } from './backend.ts'
import { rosterTargets } from './mod.ts'

const open: string[] = []

afterEach(() => {
  for (const folder of open.splice(0)) rmSync(folder, { recursive: true, force: true })
})

export interface RosterSite {
  root: string
  opts: Dict
  lines: string[]
  path(name: string): string
  write(name: string, text: string): string
  request(tgt: Value, tgtType?: string): RosterRequest
  /** Ids of the targets. */
  ids(tgt: Value, tgtType?: string): Promise<string[]>
  /** Settings by id, as plain data. */
  settings(tgt: Value, tgtType?: string): Promise<Record<string, unknown>>
}

/** Create a folder with these files; return the options of a master with its configuration there. */
export function rosterSite(files: Record<string, string> = {}, options: Record<string, unknown> = {}): RosterSite {
  const root = mkdtempSync(join(tmpdir(), 'roster-'))
  open.push(root)
  const opts = masterDefaults()
  const set = (key: string, value: unknown) => opts.set(key, fromPlain(value))
  set('__role', 'master')
  set('config_dir', root)
  set('conf_file', join(root, 'master'))
  set('cachedir', join(root, 'cache'))
  set('pki_dir', join(root, 'pki'))
  set('extension_modules', join(root, 'extmods'))
  for (const [key, value] of Object.entries(options)) set(key, value)
  const lines: string[] = []
  const site: RosterSite = {
    root,
    opts,
    lines,
    path: (name) => join(root, name),
    write: (name, text) => {
      const path = join(root, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      if (text.startsWith('#!/')) chmodSync(path, 0o755)
      return path
    },
    request: (tgt, tgtType = 'glob') => ({
      opts,
      log: (level, text) => void lines.push(`${level} ${text}`),
      tgt,
      tgtType,
      host: new LocalHost(),
    }),
    ids: async (tgt, tgtType) => (await rosterTargets(site.request(tgt, tgtType))).map(({ id }) => id),
    settings: async (tgt, tgtType) => {
      const entries = await rosterTargets(site.request(tgt, tgtType))
      return Object.fromEntries(entries.map(({ id, settings }) => [id, toPlain(settings)]))
    },
  }
  for (const [name, text] of Object.entries(files)) site.write(name, text)
  return site
}
