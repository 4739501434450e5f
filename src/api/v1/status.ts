// The state of the master: `/v1/status`. The right is that for the runner function `manage.status`.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createRoute, z } from '@hono/zod-openapi'
import { brineVersion, SALT_VERSION } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import type { ApiService } from '../service.ts'
import type { V1App } from './call.ts'
import type { EventRate } from './event-rate.ts'
import { timeText } from './json.ts'
import { MasterHistory } from './master-history.ts'
import { KEY_STATES, type MinionFacts } from './minion-facts.ts'
import { refusals } from './problems.ts'
import { answer, Time } from './shapes.ts'
import { slices } from './slices.ts'

const Highstates = z.object({
  clean: z.int().openapi({ description: 'Nothing changed and nothing failed' }),
  changed: z.int(),
  failed: z.int(),
  never: z.int().openapi({ description: 'No highstate is known' }),
  drift: z.int().openapi({ description: 'A newer dry run would change something; these count in the others as well' }),
})

const Health = z.object({
  loopLagMs: z.number().openapi({ description: 'The longest delay of the event loop in the last minutes' }),
  rssBytes: z.int(),
  cpuPercent: z.number().openapi({ description: 'CPU time of the last minute; 100 is one processor' }),
  uptimeSeconds: z.int(),
  storage: z.string().openapi({ description: '`ok`, or what the master cannot write' }),
  openFiles: z.int(),
})

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
    highstates: Highstates.openapi({ description: 'Accepted minions by the result of their last highstate' }),
    busiest: z
      .array(
        z
          .object({ tag: z.string().openapi({ example: 'salt/job/*/ret' }), perMinute: z.number() })
          .openapi('EventKind'),
      )
      .openapi({ description: 'The kinds of events that came most in the last minutes, at most 8' }),
    health: Health.openapi({ description: 'The process that serves the API' }),
    history: z
      .array(
        z
          .object({
            at: Time,
            events: z.number().openapi({ description: 'In a second' }),
            jobs: z.int().openapi({ description: 'Jobs that began' }),
            up: z.int().openapi({ description: 'Minions that were up' }),
          })
          .openapi('StatusMinute'),
      )
      .openapi({ description: 'The last 60 minutes since the API began, oldest first' }),
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

/** Most kinds of events. */
const BUSIEST = 8

/** Count accepted minions by the result of their last highstate. */
async function highstatesOf(ids: readonly string[], { last }: MinionFacts): Promise<z.infer<typeof Highstates>> {
  const counts = { clean: 0, changed: 0, failed: 0, never: 0, drift: 0 }
  const turn = slices()
  for (const id of ids) {
    const highstate = last.highstateOf(id)
    if (!highstate) counts.never++
    else if (highstate.failed > 0) counts.failed++
    else if (highstate.changed > 0) counts.changed++
    else counts.clean++
    if ((last.trialOf(id)?.changed ?? 0) > 0) counts.drift++
    await turn()
  }
  return counts
}

/** Return the history of the master, which goes on until the API ends. */
function historyOf({ master, log, atEnd }: ApiService, facts: MinionFacts): MasterHistory {
  const countUp = async (): Promise<number> => {
    let up = 0
    for (const { isConnected } of (await facts.all()).values()) if (isConnected) up++
    return up
  }
  const history = new MasterHistory({ feed: master.events, log, countUp })
  atEnd(() => history.close())
  return history
}

export function addStatusRoutes(site: V1App, service: ApiService, facts: MinionFacts, rate: EventRate): void {
  const { access, events } = service.master
  const history = historyOf(service, facts)
  service.atEnd(() => rate.close())
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
        highstates: await highstatesOf(
          all.flatMap(({ id, key }) => (key === 'accepted' ? [id] : [])),
          facts,
        ),
        busiest: history.kinds.busiest(BUSIEST),
        health: await history.health(),
        history: [...history.minutes],
      },
      200,
    )
  })
}
