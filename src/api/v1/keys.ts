// Keys of minions: `/v1/keys`. Reading equals the wheel functions `key.list_all` and `key.finger`; actions are calls of `key.accept`,
// `key.reject` and `key.delete` with the rights of the caller.
import { createRoute, z } from '@hono/zod-openapi'
import { option } from '../../config/mod.ts'
import { isDict, type Value } from '../../data/mod.ts'
import { pemFingerprint } from '../../wire/mod.ts'
import { HttpError } from '../errors.ts'
import type { ApiService } from '../service.ts'
import type { V1App } from './call.ts'
import { FOLDERS, KEY_STATES, type KeyStateName } from './minion-facts.ts'
import { refusals } from './problems.ts'
import { answer, body, cursorOf, line, MinionId, pageOf, paging, placeOf } from './shapes.ts'

const Key = z.object({ id: z.string(), state: z.enum(KEY_STATES) }).openapi('Key')

const KeyDetails = Key.extend({
  fingerprint: z.string().openapi({ description: 'By the hash of the option `hash_type`' }),
}).openapi('KeyDetails')

const tags = ['Keys']

const list = createRoute({
  method: 'get',
  path: '/v1/keys',
  operationId: 'listKeys',
  summary: 'List the keys of minions, by state and id',
  description: 'Equals the wheel function `key.list_all`.',
  tags,
  request: {
    query: z.strictObject({
      q: line(255).optional().openapi({ description: 'A part of the id' }),
      state: z.enum(KEY_STATES).optional(),
      ...paging,
    }),
  },
  responses: { 200: answer(pageOf(Key).openapi('KeyList'), 'A page of keys'), ...refusals(400, 401, 403) },
})

const KeyId = MinionId.regex(/^[^*?[\],]+$/, 'must not be a glob')

const params = z.object({ id: KeyId })

const one = createRoute({
  method: 'get',
  path: '/v1/keys/{id}',
  operationId: 'getKey',
  summary: 'Show the keys of a minion with their fingerprints',
  description:
    'Equals the wheel function `key.finger`. A minion may have a key that is accepted and others that were denied.',
  tags,
  request: { params },
  responses: { 200: answer(z.array(KeyDetails), 'The keys'), ...refusals(400, 401, 403, 404) },
})

const Action = z
  .strictObject({
    action: z.enum(['accept', 'reject', 'delete']),
    includeAccepted: z.boolean().optional().openapi({ description: 'Reject a key that is accepted, too' }),
    includeRejected: z.boolean().optional().openapi({ description: 'Accept a key that is rejected, too' }),
    includeDenied: z.boolean().optional().openapi({ description: 'Accept or reject a key that is denied, too' }),
  })
  .openapi('KeyAction')

const act = createRoute({
  method: 'post',
  path: '/v1/keys/{id}',
  operationId: 'changeKey',
  summary: 'Accept, reject or delete the key of a minion',
  description:
    'Calls the wheel function `key.accept`, `key.reject` or `key.delete`. The answer has the keys of the minion afterwards.',
  tags,
  request: { params, body: body(Action) },
  responses: { 200: answer(z.array(Key), 'The keys of the minion now'), ...refusals(400, 401, 403, 404, 409) },
})

export function addKeyRoutes(site: V1App, service: ApiService): void {
  const { opts, stores } = service.master.access
  const { keys } = stores
  const keysOf = (id: string) =>
    KEY_STATES.flatMap((state) => {
      const pem = keys.pem(FOLDERS[state], id)
      return pem === undefined ? [] : [{ id, state, pem }]
    })
  site.openapi(list, async (c) => {
    const { q, state, limit, cursor } = c.req.valid('query')
    await c.var.call.need('wheel', 'key.list_all')
    const [afterState = '', afterId = ''] = placeOf(cursor, 2) ?? []
    const from = Math.max(0, KEY_STATES.indexOf(afterState as KeyStateName))
    const found = KEY_STATES.slice(from).flatMap((name) => {
      if (state !== undefined && name !== state) return []
      const ids = keys.list(FOLDERS[name]).filter((id) => name !== afterState || id > afterId)
      return ids
        .filter((id) => q === undefined || id.toLowerCase().includes(q.toLowerCase()))
        .map((id) => ({ id, state: name }))
    })
    const items = found.slice(0, limit)
    const last = items.at(-1)
    return c.json({ items, next: found.length > limit && last ? cursorOf([last.state, last.id]) : null }, 200)
  })
  site.openapi(one, async (c) => {
    const { id } = c.req.valid('param')
    await c.var.call.need('wheel', 'key.finger', { match: id })
    const found = keysOf(id)
    if (found.length === 0) throw new HttpError(404, 'There is no key of such a minion')
    const hash = option(opts, 'hash_type')
    return c.json(
      found.map(({ pem, ...key }) => ({ ...key, fingerprint: pemFingerprint(pem, hash) })),
      200,
    )
  })
  site.openapi(act, async (c) => {
    const { id } = c.req.valid('param')
    const { action, includeAccepted, includeRejected, includeDenied } = c.req.valid('json')
    const kwarg = new Map<Value, Value>([['match', id]])
    if (action === 'accept' && includeRejected) kwarg.set('include_rejected', true)
    if (action === 'reject' && includeAccepted) kwarg.set('include_accepted', true)
    if (action !== 'delete' && includeDenied) kwarg.set('include_denied', true)
    const fun = `key.${action}`
    await c.var.call.need('wheel', fun, Object.fromEntries(kwarg) as Record<string, Value>)
    if (keysOf(id).length === 0) throw new HttpError(404, 'There is no key of such a minion')
    const done = await c.var.call.run({ client: 'wheel', fun, arg: [], kwarg })
    const data = isDict(done) ? done.get('data') : undefined
    const isDone = data !== undefined && isDict(data) && data.get('success') !== false
    const now = keysOf(id).map(({ pem: _pem, ...key }) => key)
    if (!isDone || !isAsWanted(action, now)) {
      const states = now.map(({ state }) => state).join(' and ')
      throw new HttpError(409, `The master did not ${action} the key${states && `, which is ${states}`}`)
    }
    return c.json(now, 200)
  })
}

/** Whether keys of a minion are as an action leaves them. */
function isAsWanted(action: z.infer<typeof Action>['action'], keys: ReadonlyArray<{ state: KeyStateName }>): boolean {
  if (action === 'delete') return keys.length === 0
  return keys.some(({ state }) => state === `${action}ed`)
}
