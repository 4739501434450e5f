// Selects the entries of a roster that match a target, by the matchers of minions. The id is matched without reading an
// entry. For other kinds, a target has the grains of its roster entry merged over the master's cached ones, and the
// address of its host.
import { lookup as resolveName } from 'node:dns/promises'
import { isIP } from 'node:net'
import { BrineError, type Log, recover } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, isDict, isList, quote, splitWords, str, textOf, truthy, type Value } from '../../data/mod.ts'
import { expandNodegroup, type MatchSubject, match } from '../../match/mod.ts'
import type { RosterListing, RosterRequest } from './backend.ts'
import { addressOfEntry, type RosterEntry } from './entry.ts'
import { RosterError } from './errors.ts'
import { texts } from './files.ts'
import { rangeHosts } from './range-server.ts'

const BY_ID = new Set(['glob', 'pcre', 'list'])

/** Words of compound targets that need the data of a target, and those that need its address. */
const DATA_WORD = /(?:^|\s)[GPIJS]\S?@/
const ADDRESS_WORD = /(?:^|\s)S@/

/** Return the ids that the target means, in the order of the roster. */
export async function chosenIds(
  listing: RosterListing,
  request: RosterRequest,
  entryOf: (id: string) => Promise<RosterEntry | undefined>,
): Promise<string[]> {
  const { tgt, kind } = await withoutRanges(request)
  const groups = groupsOf(listing, request.opts)
  const opts: Dict = new Map([...request.opts, ['nodegroups', groups]])
  const log = sayingOnce(request.log)
  const words = wordsOf(tgt, kind, groups)
  const isCompound = kind === 'compound' || kind === 'nodegroup'
  const needsData = isCompound ? DATA_WORD.test(words) : !BY_ID.has(kind)
  const needsAddress = kind === 'ipcidr' || (isCompound && ADDRESS_WORD.test(words))
  const subjects: MatchSubject[] = []
  for (const id of listing.entries.keys()) {
    const subject: MatchSubject = { id, grains: new Map(), pillar: new Map(), opts, log }
    const entry = needsData ? await entryOf(id) : undefined
    if (needsData && !entry) continue
    if (entry) addData(subject, entry, request)
    subjects.push(subject)
  }
  if (needsAddress)
    await Promise.all(subjects.map(async (subject) => addAddresses(subject, (await entryOf(subject.id))!)))
  return subjects.filter((subject) => isMatch(kind, tgt, subject)).map(({ id }) => id)
}

/** Return the words of a compound target or a nodegroup, with those of the groups in it. */
function wordsOf(tgt: Value, kind: string, groups: Dict): string {
  const text = isList(tgt) ? tgt.map(str).join(' ') : str(tgt)
  if (kind === 'nodegroup') return expandNodegroup(text, groups).join(' ')
  return text.includes('N@')
    ? [text, ...[...groups.keys()].flatMap((name) => expandNodegroup(str(name), groups))].join(' ')
    : text
}

function isMatch(kind: string, tgt: Value, subject: MatchSubject): boolean {
  try {
    return truthy(match(kind, tgt, subject))
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    const text = `Target ${quote(str(tgt))} cannot be matched as ${kind}: ${error.message}`
    throw new RosterError('InvalidTarget', text, { cause: error })
  }
}

/** Replace range expressions by the ids that the range server names. */
async function withoutRanges(request: RosterRequest): Promise<{ tgt: Value; kind: string }> {
  const { tgt, tgtType } = request
  if (tgtType === 'glob' && isList(tgt)) return { tgt, kind: 'list' }
  if (tgtType === 'range') return { tgt: await rangeHosts(request, str(tgt)), kind: 'list' }
  const text = textOf(tgt)
  if (tgtType !== 'compound' || text === undefined || !text.includes('R@')) return { tgt, kind: tgtType }
  const words: string[] = []
  for (const word of splitWords(text)) {
    words.push(word.startsWith('R@') ? `L@${(await rangeHosts(request, word.slice(2))).join(',')}` : word)
  }
  return { tgt: words, kind: 'compound' }
}

/**
 * Return nodegroups by name: those of the master, the lists of `ssh_list_nodegroups`, and the groups of the roster
 * itself.
 */
function groupsOf({ groups = new Map() }: RosterListing, opts: Dict): Dict {
  const all: Dict = new Map(option(opts, 'nodegroups') as Dict)
  for (const [name, ids] of option(opts, 'ssh_list_nodegroups')) all.set(str(name), [`L@${texts(ids).join(',')}`])
  for (const [name, ids] of groups) all.set(name, [`L@${ids.join(',')}`])
  return all
}

function addData(subject: MatchSubject, entry: RosterEntry, { opts, cache }: RosterRequest): void {
  const { settings } = entry
  const minionOptions = [option(opts, 'ssh_minion_opts'), settings.get('minion_opts')]
  const written = [...minionOptions.map((part) => part && isDict(part) && part.get('grains')), settings.get('grains')]
  for (const grains of [cached(cache, 'grains', entry.id), ...written]) {
    if (grains && isDict(grains)) for (const [key, value] of grains) subject.grains.set(key, value)
  }
  subject.grains.set('id', entry.id)
  const pillar = cached(cache, 'pillar', entry.id)
  if (pillar && isDict(pillar)) subject.pillar = pillar
}

async function addAddresses({ grains }: MatchSubject, entry: RosterEntry): Promise<void> {
  for (const address of await addressesOf(addressOfEntry(entry))) {
    const name = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    const known = grains.get(name)
    grains.set(name, [...(known !== undefined && isList(known) ? known : []), address])
  }
}

/** Cached data of a minion; an id that cannot be the key of a cached value has none. */
function cached(cache: RosterRequest['cache'], bank: string, id: string): Value | undefined {
  return recover(
    (error) => error instanceof BrineError && error.code === 'InvalidKey',
    undefined,
    () => cache?.bank(bank).fetch(id),
  )
}

/** Return the addresses of a name; none when it cannot be resolved. */
export async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host)) return [host]
  return recover(
    (error) => (error as NodeJS.ErrnoException).syscall === 'getaddrinfo',
    [],
    async () => (await resolveName(host, { all: true })).map(({ address }) => address),
  )
}

/** Return a log that drops repetitions: matchers report an invalid target for each entry. */
function sayingOnce(log: Log): Log {
  const said = new Set<string>()
  return (level, text) => {
    if (said.has(text)) return
    said.add(text)
    log(level, text)
  }
}
