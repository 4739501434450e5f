// Firing events: `POST /v1/events`. Equals the runner function `event.send`, which refuses tags that are not the caller's to fire.
import { createRoute, z } from '@hono/zod-openapi'
import type { BusEvent } from '../../bus/mod.ts'
import { type Dict, equals, isDict, str, type Value } from '../../data/mod.ts'
import { HttpError } from '../errors.ts'
import type { ApiService } from '../service.ts'
import type { V1App } from './call.ts'
import { BadFields, refusals } from './problems.ts'
import { Any, answer, body, line } from './shapes.ts'

const NewEvent = z
  .strictObject({
    tag: line(1000).openapi({ example: 'myapp/deploy/complete' }),
    data: z.record(z.string().max(1000), Any).optional(),
  })
  .openapi('NewEvent')

const Fired = z
  .object({
    number: z
      .int()
      .nullable()
      .openapi({ description: 'The number of the event; null where the API has not heard it yet' }),
    tag: z.string(),
  })
  .openapi('FiredEvent')

const route = createRoute({
  method: 'post',
  path: '/v1/events',
  operationId: 'fireEvent',
  summary: 'Fire an event',
  description: 'Equals the runner function `event.send`. Tags of the master and of other minions are refused.',
  tags: ['Events'],
  request: { body: body(NewEvent) },
  responses: { 200: answer(Fired, 'The event was fired'), ...refusals(400, 401, 403, 413, 415, 422) },
})

export function addFireRoutes(site: V1App, { master }: ApiService): void {
  site.openapi(route, async (c) => {
    const { tag } = c.req.valid('json')
    const { call } = c.var
    const given = call.body.get('data') ?? new Map<Value, Value>()
    const data: Dict = isDict(given) ? given : new Map()
    let number: number | null = null
    const stop = master.events.listen((event) => {
      if (number === null && isFired(event, tag, call.user, data)) number = event.number
    })
    try {
      const kwarg = new Map<Value, Value>([['tag', tag]]).set('data', data)
      const done = await call.run({ client: 'runner', fun: 'event.send', arg: [], kwarg, full_return: true })
      const result = isDict(done) ? done.get('data') : undefined
      if (result === undefined || !isDict(result)) throw new HttpError(504, 'The master did not answer')
      if (result.get('success') === false) {
        throw new BadFields([{ field: 'tag', reason: lastLine(str(result.get('return') ?? '')) }], 422)
      }
      return c.json({ number, tag }, 200)
    } finally {
      stop()
    }
  })
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''

/** Whether an event is the one that a user fired. The bus adds a time stamp to its data. */
function isFired(event: BusEvent, tag: string, user: string, data: Dict): boolean {
  if (event.tag !== tag || event.origin.kind !== 'user' || event.origin.name !== user) return false
  return equals(new Map([...event.data].filter(([key]) => key !== '_stamp' || data.has('_stamp'))), data)
}
