// The state of the master: `/v1/status`. Equals the runner function `manage.status`, from what the master knows.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createRoute, z } from '@hono/zod-openapi'
import { brineVersion, SALT_VERSION } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import type { ApiService } from '../service.ts'
import type { V1App } from './call.ts'
import type { EventRate } from './event-rate.ts'
import { timeText } from './json.ts'
import { KEY_STATES, type MinionFacts } from './minion-facts.ts'
import { refusals } from './problems.ts'
import { answer, Time } from './shapes.ts'

const Status = z
  .object({
    id: z.string().openapi({ description: 'The id of the master' }),
    version: z.string().openapi({ description: 'The version of Brine' }),
    saltVersion: z.string().openapi({ description: 'The version of Salt that it stands for' }),
    apiStarted: Time,
    minions: z.object({ up: z.int(), down: z.int(), pending: z.int(), rejected: z.int(), denied: z.int() }),
    jobs: z.object({ stored: z.int(), running: z.int() }),
    events: z.object({
      last: z.int().openapi({ description: 'The number of the last event' }),
      perSecond: z.number().openapi({ description: 'Over the last minute' }),
    }),
    stores: z.record(z.string(), z.int()).openapi({ description: 'Bytes on disk, by store' }),
  })
  .openapi('Status')

const route = createRoute({
  method: 'get',
  path: '/v1/status',
  operationId: 'getStatus',
  summary: 'Show the state of the master',
  description: 'Equals the runner function `manage.status`, from what the master knows: no minion is asked.',
  tags: ['Master'],
  responses: { 200: answer(Status, 'The state'), ...refusals(401, 403) },
})

const STORES: Readonly<Record<string, string>> = {
  jobs: 'jobs.db',
  orchestrations: 'orchestrations.db',
  reactions: 'reactions.db',
  api: 'api.db',
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** The bytes of the stores. The log beside a database counts as well. */
function storeSizes(cachedir: string): Record<string, number> {
  const sizes = Object.entries(STORES).map(([name, file]): [string, number] => {
    const path = join(cachedir, file)
    return [name, sizeOf(path) + sizeOf(`${path}-wal`)]
  })
  const journal = join(cachedir, 'events')
  const files = statSync(journal, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(journal) : []
  return { ...Object.fromEntries(sizes), journal: files.reduce((sum, name) => sum + sizeOf(join(journal, name)), 0) }
}

export function addStatusRoutes(site: V1App, service: ApiService, facts: MinionFacts, rate: EventRate): void {
  const { access, events } = service.master
  site.openapi(route, async (c) => {
    await c.var.call.need('runner', 'manage.status')
    const all = [...(await facts.all()).values()]
    const counts = Object.fromEntries(KEY_STATES.map((state) => [state, all.filter(({ key }) => key === state).length]))
    const up = all.filter(({ isConnected }) => isConnected).length
    const { pending = 0, rejected = 0, denied = 0, accepted = 0 } = counts
    const { ledger } = access.stores.jobs
    return c.json(
      {
        id: option(access.opts, 'id') || 'master',
        version: brineVersion(),
        saltVersion: SALT_VERSION,
        apiStarted: timeText(service.began),
        minions: { up, down: accepted - up, pending, rejected, denied },
        jobs: { stored: ledger.count(), running: ledger.running() },
        events: { last: events.last, perSecond: rate.perSecond },
        stores: storeSizes(option(access.opts, 'cachedir')),
      },
      200,
    )
  })
}
