// The options about unknown keys: which keys are accepted or refused automatically.
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, str, type Value } from '../data/mod.ts'
import type { PkiKeys } from '../store/mod.ts'
import { type AuthPolicy, isValidId } from '../wire/mod.ts'
import { means } from './configured-pattern.ts'
import type { Quotas } from './quotas.ts'

/** The lines of a file that others cannot write to; a file with wider rights is not trusted. */
function trustedLines(file: string, isPermissive: boolean, log: Log): string[] {
  const stat = file === '' ? undefined : statSync(file, { throwIfNoEntry: false })
  if (!stat?.isFile()) return []
  const forbidden = isPermissive ? 0o002 : 0o022
  if ((stat.mode & forbidden) !== 0) {
    log('warning', `Wrong permissions for ${file}, ignoring content`)
    return []
  }
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

function grainAllows(directory: string, name: string, value: Value): boolean {
  const file = join(directory, name)
  if (name.includes('/') || !statSync(file, { throwIfNoEntry: false })?.isFile()) return false
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
  return lines.some((line) => line !== '' && !line.startsWith('#') && line === str(value))
}

/** The name of a file that lets its minion in once, while it is fresh: `minions_autosign` below the keys. */
function takeStub(opts: Dict, id: string, log: Log): boolean {
  const directory = join(option(opts, 'pki_dir'), 'minions_autosign')
  if (!isValidId(id) || !statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return false
  const minutes = option(opts, 'autosign_timeout')
  const oldest = minutes > 0 ? Date.now() - minutes * 60_000 : 0
  for (const name of readdirSync(directory)) {
    const file = join(directory, name)
    if (statSync(file).mtimeMs >= oldest) continue
    log('warning', `Autosign keyid expired ${file}`)
    rmSync(file)
  }
  if (!existsSync(join(directory, id))) return false
  rmSync(join(directory, id))
  return true
}

export function authPolicy(opts: Dict, keys: PkiKeys, quotas: Quotas, log: Log): AuthPolicy {
  const listedIn = (list: 'autosign_file' | 'autoreject_file', id: string): boolean =>
    trustedLines(option(opts, list), option(opts, 'permissive_pki_access'), log).some((line) => means(line, id))
  const most = option(opts, 'max_minions')
  return {
    openMode: opts.get('open_mode') === true,
    autoReject: (id) => listedIn('autoreject_file', id),
    autoSign: (id, grains) => {
      if (opts.get('auto_accept') === true || listedIn('autosign_file', id) || takeStub(opts, id, log)) return true
      const directory = option(opts, 'autosign_grains_dir')
      if (directory === '' || grains === undefined) return false
      return [...grains].some(([name, value]) => grainAllows(directory, str(name), value))
    },
    mayFile: () => quotas.allowsPending(() => keys.list('minions_pre').length + keys.list('minions_rejected').length),
    signIn: quotas.signIn,
    isFull: (id) => most > 0 && keys.accepted(id) === undefined && keys.list('minions').length >= most,
  }
}
