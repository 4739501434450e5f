// Web hooks: a POST request becomes an event, for the reactor and for engines.
import { externalOrigin, isTag, type Origin } from '../../bus/mod.ts'
import { type Dict, HIDDEN, truthy, type Value } from '../../data/mod.ts'
import { HttpError } from '../errors.ts'
import type { ApiResource, ResourceAnswer, SaltCall } from './resource.ts'

/** Headers that let their owner into this API: events are read by others. Other secrets are for the reactor to check. */
const SECRET_HEADERS = new Set(['X-Auth-Token', 'Cookie'])

const LONGEST_TAG = 900

/** `content-type` to `Content-Type`. */
const titled = (name: string): string =>
  name.replace(/(^|[^a-z])([a-z])/g, (_, before, first) => before + first.toUpperCase())

function headersOf({ request, peer }: SaltCall): Dict {
  const all: Dict = new Map<Value, Value>([['Remote-Addr', peer.host ?? '']])
  request.headers.forEach((value, name) => {
    const title = titled(name)
    all.set(title, SECRET_HEADERS.has(title) ? HIDDEN : value)
  })
  return all
}

async function fire(call: SaltCall): Promise<ResourceAnswer> {
  const { service, body, caller, rest } = call
  const tag = ['salt', 'netapi', 'hook', ...rest].join('/')
  if (tag.length > LONGEST_TAG || !isTag(tag)) throw new HttpError(400, 'The path of the hook cannot be a tag')
  const data: Dict = new Map<Value, Value>([
    ['body', body.raw],
    ['post', truthy(body.data) ? body.data : new Map()],
    ['headers', headersOf(call)],
  ])
  const origin: Origin = caller.session
    ? { kind: 'user', name: caller.session.user, proof: 'token' }
    : externalOrigin('hook')
  await service.master.fire(tag, data, origin)
  return { value: new Map([['success', true]]) }
}

/** Return the resource of web hooks. */
export const hookResource = (needsLogin: boolean): ApiResource => ({
  handlers: { POST: { answer: fire, parts: 'any', query: 'any' } },
  allow: 'POST',
  sessions: ['POST'],
  login: needsLogin ? ['POST'] : [],
  keepsAnswers: true,
})
