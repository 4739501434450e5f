// Requests to Route 53, which has a method and a path for each action, and documents in XML.
import { setTimeout as sleep } from 'node:timers/promises'
import { type XmlElement, xmlLine } from '../../../data/mod.ts'
import { awsEscaped, type FunctionContext } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import { AwsCaller } from '../common/caller.ts'
import type { AwsLogin } from '../common/login.ts'

const ROOT = '/2013-04-01'
const SYNC_TRIES = 60
const SYNC_PAUSE_MS = 2000

export const routeOf = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 'route53', login)

export const withDot = (name: string): string => (name.endsWith('.') ? name : `${name}.`)

/** Return the last part of an id such as `/hostedzone/Z123`. */
export const shortId = (id: string): string => id.split('/').pop() ?? id

/** Return a name or value of AWS with its escapes resolved, such as `\\052` for an asterisk. */
export const nameText = (text: string): string =>
  text.replace(/(?:\\[0-3][0-7]{2})+/g, (escapes) =>
    Buffer.from(
      escapes
        .split('\\')
        .slice(1)
        .map((octal) => Number.parseInt(octal, 8)),
    ).toString(),
  )

export async function get(route53: AwsCaller, action: string, path: string, query = {}): Promise<AwsAnswer> {
  return route53.xml(action, await route53.rest({ action, method: 'GET', path: `${ROOT}${path}`, query }))
}

/** An element: its name, and its text or the elements in it. */
export type Xml = [name: string, content: string | Xml[]]

const element = ([name, content]: Xml): XmlElement => ({
  name,
  attributes: new Map(),
  children: typeof content === 'string' ? [content] : content.map(element),
})

export async function post(route53: AwsCaller, action: string, path: string, content: Xml[]): Promise<AwsAnswer> {
  const root = element([`${action}Request`, content])
  root.attributes.set('xmlns', 'https://route53.amazonaws.com/doc/2013-04-01/')
  const headers = { 'content-type': 'text/xml' }
  const answer = await route53.rest({ action, method: 'POST', path: `${ROOT}${path}`, headers, body: xmlLine(root) })
  return route53.xml(action, answer)
}

export async function remove(route53: AwsCaller, action: string, path: string): Promise<AwsAnswer> {
  return route53.xml(action, await route53.rest({ action, method: 'DELETE', path: `${ROOT}${path}` }))
}

/** Wait until all servers have a change; return whether they have. */
export async function isSynced(route53: AwsCaller, answer: AwsAnswer): Promise<boolean> {
  const id = shortId(answer.text('ChangeInfo.Id') ?? '')
  if (id === '' || answer.text('ChangeInfo.Status') === 'INSYNC') return true
  for (let attempt = 0; attempt < SYNC_TRIES; attempt++) {
    const status = await get(route53, 'GetChange', `/change/${awsEscaped(id)}`)
    if (status.text('ChangeInfo.Status') === 'INSYNC') return true
    await sleep(SYNC_PAUSE_MS)
  }
  return false
}
