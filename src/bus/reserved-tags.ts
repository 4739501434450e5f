// The table of tags that a sender may fire. It holds for minions, syndics, users of external authentication and outside
// senders. Reserved are all tags that the master, its programs, runners, engines and reactor fire themselves, in Brine
// or in Salt 3008. Other tags are free, also below `salt/`.
import { isJid } from '../base/mod.ts'
import { isOwn, type Origin, originText } from './origin.ts'

/** Longest tag that is taken, in UTF-16 units. */
const LONGEST_TAG = 1024

/** Second parts of the master's own tags, after `salt/`. */
const RESERVED_BELOW_SALT: ReadonlySet<string> = new Set([
  'api',
  'auth',
  'batch',
  'cloud',
  'cluster',
  'engine',
  'event',
  'event_listen',
  'fileserver',
  'job',
  'key',
  'master',
  'netapi',
  'orchestrate',
  'orchestration',
  'presence',
  'queue',
  'reactor',
  'reactors',
  'run',
  'ssh',
  'stats',
  'thorium',
  'wheel',
])

/** The first parts of old tags of the master's own, without `salt/` in front. */
const RESERVED_FIRST: ReadonlySet<string> = new Set(['cluster', 'fileserver', 'key', 'new_job', 'syndic'])

/**
 * Tags that contain a minion id belong to that minion. Each entry lists the parts before the id; `*` stands for a job
 * id.
 */
const OWNED: readonly (readonly string[])[] = [
  ['salt', 'minion'],
  ['salt', 'beacon'],
  ['salt', 'syndic'],
  ['salt', 'job', '*', 'prog'],
  ['salt', 'job', '*', 'start'],
  ['salt', 'state_result', '*'],
]

/** Tags in which a minion reports about itself without its id. */
const ABOUT_SENDER: ReadonlySet<string> = new Set(['minion_start', 'syndic_start', '_salt_error'])

const CONTROL = /[\0-\x1f\x7f-\x9f]/
const PART = /[^/]/

/**
 * Split a tag into its parts. Slashes at the ends and double slashes are removed, so that they cannot disguise a
 * reserved tag.
 */
function partsOf(tag: string): string[] {
  const parts = tag.split('/')
  return parts.includes('') ? parts.filter((part) => part !== '') : parts
}

/**
 * A tag that looks like a return but has no job id. Salt lets a minion fire such a tag with its own id, and nothing
 * collects it.
 */
const isOfNoJob = ([first, family, job, what]: readonly string[]): boolean =>
  first === 'salt' && family === 'job' && what === 'ret' && !isJid(job)

/** The minion that a tag belongs to by the name in it. */
function owner(parts: readonly string[]): string | undefined {
  if (parts[0] !== 'salt') return undefined
  if (isOfNoJob(parts)) return parts[4]
  const pattern = OWNED.find((own) => own.every((part, at) => part === '*' || part === parts[at]))
  return pattern && parts[pattern.length]
}

function isReserved(parts: readonly string[]): boolean {
  const [first = '', second = '', third] = parts
  if (first === 'salt') return RESERVED_BELOW_SALT.has(second)
  // `minion/refresh/<id>`, `resource/refresh/<id>` and `minion/<id>/resource_refresh`
  if (first === 'minion' || first === 'resource') return second === 'refresh' || third === 'resource_refresh'
  // jids were tags of returns; names with two underscores in front are for the parts of one daemon
  return RESERVED_FIRST.has(first) || first.startsWith('__') || (parts.length === 1 && isJid(first))
}

/**
 * First parts of tags below which nothing is reserved or owned. A cache: most events have few different first parts.
 */
const freeFirsts = new Set<string>()
const MOST_FREE_FIRSTS = 1000

/** Whether all tags with this first part are free. */
function isFree(first: string): boolean {
  if (freeFirsts.has(first)) return true
  if (first === '' || first === 'salt' || first === 'minion' || first === 'resource') return false
  if (isReserved([first])) return false
  if (freeFirsts.size >= MOST_FREE_FIRSTS) freeFirsts.clear()
  freeFirsts.add(first)
  return true
}

/** Slashes in front of a tag make its first part empty. */
function firstPart(tag: string): string {
  const end = tag.indexOf('/')
  return end === -1 ? tag : tag.slice(0, end)
}

/** Whether a text can be a tag: readers end a tag at the first empty line, and terminals obey control characters. */
export const isTag = (tag: string): boolean => tag.length <= LONGEST_TAG && !CONTROL.test(tag) && PART.test(tag)

/** Whether a tag says that the event is about the minion that fired it. */
export const isAboutSender = (tag: string, id: string): boolean => ABOUT_SENDER.has(tag) || owner(partsOf(tag)) === id

/**
 * Why an origin may not fire a tag; undefined when it may. `isHere` says whether a name is that of a minion of this master: a
 * syndic speaks for all others.
 */
export function tagRefusal(origin: Origin, tag: string, isHere: (id: string) => boolean): string | undefined {
  if (isTag(tag) && isFree(firstPart(tag))) return undefined
  const refused = (why: string): string =>
    `Dropped an event of ${originText(origin)} with the tag ${JSON.stringify(tag.slice(0, 100))}: ${why}`
  if (!isTag(tag)) return refused(`tags have up to ${LONGEST_TAG} characters, none of them a control character`)
  if (isOwn(origin)) return undefined
  const parts = partsOf(tag)
  const named = owner(parts)
  if (named === undefined && isReserved(parts)) return refused('it is reserved for the master')
  if (named === undefined) return undefined
  const isOfSender = (origin.kind === 'minion' || origin.kind === 'syndic') && named === origin.name
  if (isOfSender || (origin.kind === 'syndic' && !isHere(named))) return undefined
  return refused(`it belongs to the minion ${named}`)
}
