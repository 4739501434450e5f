// Keys of minions: `/v1/keys`. Reading equals the wheel functions `key.list_all` and `key.finger`; actions are calls of `key.accept`,
// `key.reject` and `key.delete` with the rights of the caller (see key-actions.ts).
import { createRoute, z } from '@hono/zod-openapi'
import { option } from '../../config/mod.ts'
import { pemFingerprint } from '../../wire/mod.ts'
import { HttpError } from '../errors.ts'
import type { ApiService } from '../service.ts'
import type { V1App } from './call.ts'
import { changeKey, includeOf, MOST_KEYS, wheelDone } from './key-actions.ts'
import { FOLDERS, KEY_STATES, type KeyStateName } from './minion-facts.ts'
import { refusals } from './problems.ts'
import { answer, body, cursorOf, line, MinionId, pageOf, paging, placeShape } from './shapes.ts'
import { slices } from './slices.ts'

const Key = z.object({ id: z.string(), state: z.enum(KEY_STATES) }).openapi('Key')

const KeyDetails = Key.extend({
  fingerprint: z.string().openapi({ description: 'By the hash of the option `hash_type`' }),
}).openapi('KeyDetails')

const ListedKey = Key.extend({
  fingerprint: z
    .string()
    .nullable()
    .optional()
    .openapi({ description: 'By the hash of the option `hash_type`; null where the key has just gone' }),
  sha256: z.string().nullable().optional().openapi({ description: 'The fingerprint by SHA-256' }),
}).openapi('ListedKey')

const KeyList = pageOf(ListedKey)
  .extend({ hashType: z.string().openapi({ description: 'The option `hash_type`', example: 'sha256' }) })
  .openapi('KeyList')

const tags = ['Keys']

/** Keys are small, and users who compare them need all. */
const MOST_LISTED = 5000

const list = createRoute({
  method: 'get',
  path: '/v1/keys',
  operationId: 'listKeys',
  summary: 'List the keys of minions, by state and id',
  description: 'Equals the wheel function `key.list_all`, and with fingerprints `key.finger` of `*`.',
  tags,
  request: {
    query: z.strictObject({
      q: line(255).optional().openapi({ description: 'A part of the id' }),
      state: z.enum(KEY_STATES).optional(),
      fingerprints: z.enum(['true', 'false']).optional().openapi({ description: '`true`: with fingerprints' }),
      ...paging,
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(MOST_LISTED)
        .default(100)
        .openapi({ description: 'Most items of a page' }),
    }),
  },
  responses: { 200: answer(KeyList, 'A page of keys'), ...refusals(400, 401, 403) },
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

const Actions = z.enum(['accept', 'reject', 'delete'])

const Action = z
  .strictObject({
    action: Actions,
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

const Chosen = z
  .strictObject({
    id: KeyId,
    state: z.enum(KEY_STATES).openapi({ description: 'Which key of the minion is meant' }),
    fingerprint: line(300)
      .optional()
      .openapi({ description: 'The fingerprint by SHA-256 that the key must have; another key is left alone' }),
  })
  .openapi('ChosenKey')

const KeyResult = z
  .object({
    id: z.string(),
    state: z.enum(KEY_STATES),
    done: z.boolean(),
    reason: z.string().nullable().openapi({ description: 'Why nothing was done' }),
  })
  .openapi('KeyResult')

const actOnSeveral = createRoute({
  method: 'post',
  path: '/v1/keys',
  operationId: 'changeKeys',
  summary: 'Accept, reject or delete several keys',
  description:
    'Calls the wheel function `key.accept`, `key.reject` or `key.delete` for each key, with the rights of the caller for that minion. A key that is deleted while the minion has another one is deleted by `key.delete_dict`. One item for each key, in their order.',
  tags,
  request: {
    body: body(z.strictObject({ action: Actions, keys: z.array(Chosen).min(1).max(MOST_KEYS) }).openapi('KeysAction')),
  },
  responses: {
    200: answer(z.object({ items: z.array(KeyResult) }).openapi('KeyResults'), 'What was done with each key'),
    ...refusals(400, 401, 403, 413, 415),
  },
})

export function addKeyRoutes(site: V1App, service: ApiService): void {
  addReading(site, service)
  addActions(site, service)
}

/** Return all keys of a minion. */
const keysOf = ({ keys }: ApiService['master']['access']['stores'], id: string) =>
  KEY_STATES.flatMap((state) => {
    const pem = keys.pem(FOLDERS[state], id)
    return pem === undefined ? [] : [{ id, state, pem }]
  })

function addReading(site: V1App, service: ApiService): void {
  const { opts, stores } = service.master.access
  const { keys } = stores
  const hashType = option(opts, 'hash_type')
  const fingerprintsOf = ({ id, state }: { id: string; state: KeyStateName }) => {
    const pem = keys.pem(FOLDERS[state], id)
    if (pem === undefined) return { fingerprint: null, sha256: null }
    const sha256 = pemFingerprint(pem)
    return { fingerprint: hashType === 'sha256' ? sha256 : pemFingerprint(pem, hashType), sha256 }
  }
  site.openapi(list, async (c) => {
    const { q, state, fingerprints, limit, cursor } = c.req.valid('query')
    await c.var.call.need('wheel', 'key.list_all')
    if (fingerprints === 'true') await c.var.call.need('wheel', 'key.finger', { match: '*' })
    const [afterState = '', afterId = ''] = placeShape(cursor, 2) ?? []
    const from = Math.max(0, KEY_STATES.indexOf(afterState as KeyStateName))
    const found = KEY_STATES.slice(from).flatMap((name) => {
      if (state !== undefined && name !== state) return []
      const ids = keys.list(FOLDERS[name]).filter((id) => name !== afterState || id > afterId)
      return ids
        .filter((id) => q === undefined || id.toLowerCase().includes(q.toLowerCase()))
        .map((id) => ({ id, state: name }))
    })
    const items: z.infer<typeof ListedKey>[] = found.slice(0, limit)
    const last = items.at(-1)
    const turn = slices()
    if (fingerprints === 'true') {
      for (const item of items) {
        Object.assign(item, fingerprintsOf(item))
        await turn()
      }
    }
    const next = found.length > limit && last ? cursorOf([last.state, last.id]) : null
    return c.json({ items, next, hashType }, 200)
  })
  site.openapi(one, async (c) => {
    const { id } = c.req.valid('param')
    await c.var.call.need('wheel', 'key.finger', { match: id })
    const found = keysOf(stores, id)
    if (found.length === 0) throw new HttpError(404, 'There is no key of such a minion')
    return c.json(
      found.map(({ pem, ...key }) => ({ ...key, fingerprint: pemFingerprint(pem, hashType) })),
      200,
    )
  })
}

function addActions(site: V1App, service: ApiService): void {
  const { stores } = service.master.access
  site.openapi(act, async (c) => {
    const { id } = c.req.valid('param')
    const { action, includeAccepted, includeRejected, includeDenied } = c.req.valid('json')
    const include = includeOf(action, [
      ...(includeAccepted ? (['accepted'] as const) : []),
      ...(includeRejected ? (['rejected'] as const) : []),
      ...(includeDenied ? (['denied'] as const) : []),
    ])
    await c.var.call.need('wheel', `key.${action}`, { match: id, ...include })
    if (keysOf(stores, id).length === 0) throw new HttpError(404, 'There is no key of such a minion')
    const isDone = await wheelDone(c.var.call, `key.${action}`, { match: id, ...include })
    const now = keysOf(stores, id).map(({ pem: _pem, ...key }) => key)
    if (!isDone || !isAsWanted(action, now)) {
      const states = now.map(({ state }) => state).join(' and ')
      throw new HttpError(409, `The master did not ${action} the key${states && `, which is ${states}`}`)
    }
    return c.json(now, 200)
  })
  site.openapi(actOnSeveral, async (c) => {
    const { action, keys: chosen } = c.req.valid('json')
    const items: z.infer<typeof KeyResult>[] = []
    for (const key of chosen) {
      const reason = (await changeKey(c.var.call, stores.keys, action, key)) ?? null
      items.push({ id: key.id, state: key.state, done: reason === null, reason })
    }
    return c.json({ items }, 200)
  })
}

/** Whether keys of a minion are in the state that an action produces. */
function isAsWanted(action: z.infer<typeof Actions>, keys: ReadonlyArray<{ state: KeyStateName }>): boolean {
  if (action === 'delete') return keys.length === 0
  return keys.some(({ state }) => state === `${action}ed`)
}
