// A summary of an event: a line of its data, and links to related pages.
import type { LiveEvent } from '../../live/stream.ts'
import { href } from '../../route.ts'

const JID = /^\d{20}(?:_\d+)?$/
const MOST = 200

/** The sender as one word: `minion:web1`. */
export const originWord = (origin: LiveEvent['origin']): string =>
  !origin ? 'unknown' : origin.name === '' ? origin.kind : `${origin.kind}:${origin.name}`

/** The sender as text; there is one master, and its name is long. */
export const senderText = (origin: LiveEvent['origin']): string =>
  !origin ? 'unknown' : origin.kind === 'master' || origin.name === '' ? origin.kind : `${origin.kind} ${origin.name}`

/** The job or call that an event is about. */
function jidOf({ tag, data }: Pick<LiveEvent, 'tag' | 'data'>): string | undefined {
  const [, inTag] = /^salt\/(?:job|run|wheel)\/(\d{20}(?:_\d+)?)(?:\/|$)/.exec(tag) ?? []
  const inData = data['jid']
  return inTag ?? (typeof inData === 'string' && JID.test(inData) ? inData : undefined)
}

/** The minion that an event is about. */
function minionOf({ tag, data, origin }: LiveEvent): string | undefined {
  const [, inTag] = /^salt\/(?:job\/\d{20}(?:_\d+)?\/ret|beacon|minion)\/([^/]+)/.exec(tag) ?? []
  if (inTag !== undefined) return inTag
  if (origin?.kind === 'minion') return origin.name
  return tag.startsWith('salt/auth') && typeof data['id'] === 'string' ? data['id'] : undefined
}

export interface EventLink {
  text: string
  href: string
}

/** Return links to the pages about an event. */
export function linksOf(event: LiveEvent): EventLink[] {
  const jid = jidOf(event)
  const minion = minionOf(event)
  const isRun = /^runner\.state\.orch/.test(String(event.data['fun'] ?? ''))
  return [
    ...(jid !== undefined && isRun ? [{ text: 'Orchestration', href: href(['runs', jid]) }] : []),
    ...(jid !== undefined && event.tag.startsWith('salt/job/') ? [{ text: 'Job', href: href(['jobs', jid]) }] : []),
    ...(minion !== undefined ? [{ text: 'Minion', href: href(['minions', minion]) }] : []),
  ]
}

function word(value: unknown): string {
  if (Array.isArray(value))
    return value.every((each) => typeof each !== 'object') ? `[${value.slice(0, 20).join(', ')}]` : `[${value.length}]`
  if (typeof value === 'object' && value !== null) return '{…}'
  return String(value).slice(0, MOST)
}

/** Fields that the row shows elsewhere, or that are no use in a summary. */
const UNTOLD = new Set(['_stamp', 'jid', 'cmd', 'pub'])

/** Return the data of an event as one short line. */
export function briefData(data: Record<string, unknown>): string {
  let text = ''
  for (const [key, value] of Object.entries(data)) {
    if (UNTOLD.has(key) || value === null || value === '') continue
    text += `${text === '' ? '' : '  '}${key}=${word(value)}`
    if (text.length >= MOST) return `${text.slice(0, MOST)}…`
  }
  return text
}
