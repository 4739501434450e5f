// The targets that an expression means, over all rosters of the option `roster`; else the host that the target itself names.
import { didYouMean, withHint } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import type { Backend, RosterListing, RosterRequest } from './backend.ts'
import { BACKENDS } from './backends.ts'
import { chosenIds } from './choose.ts'
import { directTarget, hostAndUser } from './direct.ts'
import { addressOfEntry, EntryReader, type RosterEntry } from './entry.ts'
import { RosterError } from './errors.ts'
import { texts } from './files.ts'
import { ownRosterBackend } from './own.ts'
import { addToRoster } from './update.ts'

/**
 * Return the targets of an expression. If several rosters have a target, the first roster's entry counts. An unreadable
 * roster is logged and has no targets. A target in no roster may be `user@host` or a resolvable name; with
 * `ssh_update_roster` it is added to the flat roster.
 */
export async function rosterTargets(request: RosterRequest): Promise<RosterEntry[]> {
  const failures: RosterError[] = []
  const found = await lookedUp(request, failures)
  const direct = found.length === 0 && !request.isInRoster ? await directTarget(request) : undefined
  for (const failure of failures) {
    // a host that was named directly needs no roster
    const isNeedless =
      direct !== undefined && failure.code === 'RosterMissing' && option(request.opts, 'roster_file') === ''
    request.log(isNeedless ? 'debug' : 'error', withHint(failure.message, failure.hint))
  }
  if (!direct) return found
  if (option(request.opts, 'ssh_update_roster')) await addToRoster(request, direct)
  return [direct]
}

/** Return the targets of the rosters. A user before `@` applies to the targets that the rest matches. */
async function lookedUp(request: RosterRequest, failures: RosterError[]): Promise<RosterEntry[]> {
  const found = await inRosters(request, failures)
  const named = found.length === 0 ? hostAndUser(request) : undefined
  if (named?.user === undefined) return found
  failures.length = 0
  const others = await inRosters({ ...request, tgt: named.host }, failures)
  for (const { settings } of others) settings.set('user', named.user)
  return others
}

async function inRosters(request: RosterRequest, failures: RosterError[]): Promise<RosterEntry[]> {
  const found = new Map<string, RosterEntry>()
  const reader = new EntryReader(request.opts, request.log)
  for (const name of rosterNames(request)) {
    try {
      const backend = await backendOf(name, request)
      for (const entry of await entriesOf(name, backend, request, reader)) {
        if (!found.has(entry.id)) found.set(entry.id, entry)
      }
    } catch (error) {
      if (!(error instanceof RosterError) || error.code === 'InvalidTarget') throw error
      failures.push(described(name, error))
    }
  }
  return [...found.values()]
}

const rosterNames = ({ opts }: RosterRequest): string[] => {
  const names = texts(opts.get('roster'))
  return names.length > 0 ? names : [option(opts, 'roster')]
}

async function backendOf(name: string, request: RosterRequest): Promise<Backend> {
  const backend = (await ownRosterBackend(name, request, Object.keys(BACKENDS))) ?? BACKENDS[name]
  if (backend) return backend
  throw new RosterError('RosterBroken', `Roster '${name}' is not available`, {
    hint: didYouMean(name, Object.keys(BACKENDS)),
  })
}

async function entriesOf(
  name: string,
  backend: Backend,
  request: RosterRequest,
  reader: EntryReader,
): Promise<RosterEntry[]> {
  const listing = await backend.read(request)
  const known = new Map<string, Promise<RosterEntry | undefined>>()
  const entryOf = (id: string): Promise<RosterEntry | undefined> => {
    const entry = known.get(id) ?? readEntry(name, listing, id, reader)
    known.set(id, entry)
    return entry
  }
  const ids = backend.chooses ? [...listing.entries.keys()] : await chosenIds(listing, request, entryOf)
  const entries: RosterEntry[] = []
  for (const id of ids) {
    const entry = await entryOf(id)
    if (entry) entries.push(entry)
  }
  return entries
}

async function readEntry(name: string, listing: RosterListing, id: string, reader: EntryReader) {
  const raw = listing.entries.get(id)!
  const value = typeof raw === 'function' ? await raw() : raw
  return value === undefined ? undefined : reader.read(id, value, `${name} roster ${listing.source}`)
}

/** Errors about files in Salt's words, which name the backend. */
function described(name: string, error: RosterError): RosterError {
  if (error.code !== 'RosterMissing' && error.code !== 'RosterUnreadable') return error
  return new RosterError(error.code, `Can't access roster for backend ${name}: ${error.message}`, {
    hint: error.hint,
    cause: error,
  })
}

/**
 * Return the hosts of all targets for `-H`: by roster file, the host by id. An unreadable roster throws. Rosters of
 * expressions, such as `scan`, list nothing.
 */
export async function rosterHosts(
  request: Omit<RosterRequest, 'tgt' | 'tgtType'>,
): Promise<Map<string, Map<string, string>>> {
  const everything: RosterRequest = { ...request, tgt: '*', tgtType: 'glob' }
  const reader = new EntryReader(request.opts, request.log)
  const hosts = new Map<string, Map<string, string>>()
  for (const name of rosterNames(everything)) {
    try {
      const backend = await backendOf(name, everything)
      if (backend.chooses)
        throw new RosterError('RosterBroken', `The ${name} roster has no list of hosts: its targets are expressions`)
      const listing = await backend.read(everything)
      const own = hosts.get(listing.source) ?? new Map<string, string>()
      hosts.set(listing.source, own)
      for (const id of listing.entries.keys()) {
        const entry = await readEntry(name, listing, id, reader)
        if (entry && !own.has(id)) own.set(id, addressOfEntry(entry))
      }
    } catch (error) {
      throw error instanceof RosterError ? described(name, error) : error
    }
  }
  return hosts
}
