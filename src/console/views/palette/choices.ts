// The entries of the command palette: pages and actions, and search results of the server.
import { get } from '../../api/client.ts'
import { href, navigate, pageLink, setParams } from '../../route.ts'
import { cycleScheme, schemeName } from '../../scheme.ts'
import { logOut, seemsAllowed, session } from '../../session.ts'
import { copy } from '../../ui/basic.tsx'
import { attempt } from '../../ui/toasts.tsx'
import { VIEWS } from '../../views.ts'
import { firstOf, ranked } from './rank.ts'

export interface Choice {
  kind: string
  title: string
  open(): unknown
}

const MOST = 8

const link = (kind: string, title: string, to: string): Choice => ({ kind, title, open: () => navigate(to) })

const actions = (): Choice[] => [
  { kind: 'action', title: 'Copy the link of this page', open: () => copy(pageLink(), 'Link copied') },
  { kind: 'action', title: `Change the colours (now: ${schemeName()})`, open: cycleScheme },
  { kind: 'action', title: 'Show the keys of the keyboard', open: () => setParams({ help: 1 }) },
  { kind: 'action', title: 'Log out', open: () => attempt(logOut) },
]

/** Return pages and actions that fit a text. */
export const ownChoices = (text: string): Choice[] =>
  ranked([...VIEWS.map(({ name, title }) => link('page', title, href(name))), ...actions()], text)

/** Return the targets that the user ran something on, newest first. */
async function recentTargets(abort: AbortSignal): Promise<Choice[]> {
  const user = session.peek()?.user
  if (user === undefined) return []
  const { items } = await get('/v1/jobs', { query: { user, limit: 50 }, signal: abort })
  const targets = firstOf(items, ({ target, targetType }) => `${targetType} ${target}`)
  return targets
    .slice(0, 5)
    .map(({ target, targetType }) => link('recent target', target, href('run', { target, targetType })))
}

async function minions(text: string, abort: AbortSignal): Promise<Choice[]> {
  if (!seemsAllowed('runner', 'manage.status')) return []
  const { items } = await get('/v1/minions', { query: { q: text, limit: MOST }, signal: abort })
  return items.map(({ id }) => link('minion', id, href(['minions', id])))
}

async function functions(text: string, abort: AbortSignal): Promise<Choice[]> {
  const { items } = await get('/v1/functions', { query: { q: text, limit: MOST }, signal: abort })
  return items.map(({ family, name }) => link(family, name, href('run', { family, function: name })))
}

async function jobs(text: string, abort: AbortSignal): Promise<Choice[]> {
  if (/^\d{8,20}$/.test(text)) {
    const { jid, function: fun } = await get('/v1/jobs/{jid}', { params: { jid: text }, signal: abort })
    return [link('job', `${jid} ${fun}`, href(['jobs', jid]))]
  }
  const query = { function: `*${text.replaceAll('*', '')}*`, limit: MOST }
  const { items } = await get('/v1/jobs', { query, signal: abort })
  return items.map(({ jid, function: fun, target }) => link('job', `${fun} on ${target}`, href(['jobs', jid])))
}

/** Return the server's results for a text; kinds that the user may not read are empty. */
export async function found(text: string, abort: AbortSignal): Promise<Choice[]> {
  const asked = text === '' ? [recentTargets(abort)] : [minions, functions, jobs].map((each) => each(text, abort))
  const settled = await Promise.allSettled(asked)
  return settled.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
}
