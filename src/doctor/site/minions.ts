// The minions of a site: those with accepted keys, with their grains and pillar in the master's cache. Salt up to 3007
// stores both in `minions/ID/data.p`; later releases and Brine have a bank for each.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isAnyError, recover, toError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, decodeMsgpack, fnmatch, isDict, str, type Value } from '../../data/mod.ts'
import { load } from '../../yaml/mod.ts'
import type { Report } from '../finding.ts'
import { readBounded } from './read-bounded.ts'
import type { DoctorRequest, KnownMinion, SiteDaemon } from './site.ts'

const MOST_CACHED = 16 << 20

export interface FoundMinions {
  minions: KnownMinion[]
  withoutGrains: string[]
}

export function findMinions(master: SiteDaemon, request: DoctorRequest, report: Report): FoundMinions {
  const cachedir = option(master.opts, 'cachedir')
  const accepted = names(join(option(master.opts, 'pki_dir'), 'minions'), '')
  const cached = [...names(join(cachedir, 'minions'), ''), ...names(join(cachedir, 'grains'), '.p')]
  const isWanted = (id: string): boolean => request.minion === undefined || fnmatch(id, request.minion)
  const found: FoundMinions = { minions: [], withoutGrains: [] }
  for (const file of request.grains) found.minions.push(...fromFile(file, report).filter(({ id }) => isWanted(id)))
  // a cache without keys is that of a master that was removed, or of a copy without its keys
  const ids = accepted.length > 0 ? accepted : cached
  for (const id of [...new Set(ids)].filter(isWanted).sort()) {
    const { grains, pillar } = cachedData(cachedir, id, report)
    if (grains) found.minions.push({ id, grains, pillar, from: 'cache' })
    else found.withoutGrains.push(id)
  }
  return found
}

function names(folder: string, ending: string): string[] {
  // the folder is missing, or this user may not read it: no data
  return recover(isAnyError, [], () =>
    readdirSync(folder)
      .filter((name) => name.endsWith(ending) && !name.startsWith('.'))
      .map((name) => name.slice(0, name.length - ending.length)),
  )
}

function cachedData(
  cachedir: string,
  id: string,
  report: Report,
): { grains: Dict | undefined; pillar: Dict | undefined } {
  const both = unpacked(join(cachedir, 'minions', id, 'data.p'), report)
  const part = (name: string): Dict | undefined => {
    const own = unpacked(join(cachedir, name, `${id}.p`), report)
    const value = own ?? both?.get(name) ?? null
    return isDict(value) && value.size > 0 ? value : undefined
  }
  return { grains: part('grains'), pillar: part('pillar') }
}

function unpacked(file: string, report: Report): Dict | undefined {
  const bytes = readBounded(file, MOST_CACHED)
  if (typeof bytes === 'string') {
    if (!bytes.startsWith('no such file')) report('file-skipped', { message: `Cached data: ${bytes}`, at: { file } })
    return undefined
  }
  try {
    const value = decodeMsgpack(bytes, { dialect: 'bus' })
    return isDict(value) ? value : undefined
  } catch (error) {
    report('file-skipped', { message: `Cached data is damaged: ${toError(error).message}`, at: { file } })
    return undefined
  }
}

/** Read one minion, or several by id, such as the output of `salt '*' grains.items --out=json --static`. */
function fromFile(file: string, report: Report): KnownMinion[] {
  const bytes = readBounded(file, MOST_CACHED)
  const value: Value = typeof bytes === 'string' ? null : load(bytes, { name: file })
  if (!isDict(value)) {
    report('file-skipped', {
      message: `The file holds no grains${typeof bytes === 'string' ? `: ${bytes}` : ''}`,
      at: { file },
    })
    return []
  }
  const isOne = ![...value.values()].every((item) => isDict(item) && (item.has('os') || item.has('id')))
  if (isOne) return [{ id: str(value.get('id') ?? 'minion'), grains: value, pillar: undefined, from: 'file' }]
  return [...value].map(([id, grains]) => ({ id: str(id), grains: grains as Dict, pillar: undefined, from: 'file' }))
}
