// The options of the master, its schedule and its returners: `/v1/options`, `/v1/schedules` and `/v1/returners`.
import { createRoute, z } from '@hono/zod-openapi'
import { effectiveOptions, option, shownValue } from '../../config/mod.ts'
import { type Dict, isDict, isList, numberOf, str, truthy, type Value } from '../../data/mod.ts'
import type { ApiService } from '../service.ts'
import type { V1App } from './call.ts'
import { timeText, toJson } from './json.ts'
import { askOwnMaster } from './master-parts.ts'
import { refusals } from './problems.ts'
import { Any, answer, line, pageOf, Time } from './shapes.ts'

const Option = z
  .object({
    name: z.string(),
    value: Any,
    default: Any,
    origin: z
      .string()
      .nullable()
      .openapi({ description: 'The file and line that set the option; null for the default' }),
    documented: z.string().openapi({ description: 'The meaning of the option' }),
    hasEffect: z.boolean(),
    note: z
      .string()
      .nullable()
      .openapi({ description: 'Why the option has no effect, or which name may have been meant' }),
    secret: z.boolean().openapi({ description: 'Whether the value, or a part of it, is hidden' }),
  })
  .openapi('Option')

const tags = ['Master']

const options = createRoute({
  method: 'get',
  path: '/v1/options',
  operationId: 'listOptions',
  summary: 'List the options of the master with their places',
  description: 'Equals the wheel function `config.values`. Secrets are hidden.',
  tags,
  request: {
    query: z.strictObject({
      q: line(200).optional().openapi({ description: 'A part of the name or of the meaning' }),
      changed: z.enum(['true', 'false']).optional().openapi({ description: '`true`: only options that a file sets' }),
    }),
  },
  responses: { 200: answer(pageOf(Option).openapi('OptionList'), 'The options'), ...refusals(400, 401, 403) },
})

const Schedule = z
  .object({
    name: z.string(),
    function: z.string(),
    when: z.string().openapi({ description: 'When the job runs', example: 'every 300 seconds' }),
    enabled: z.boolean(),
    lastRun: Time.nullable().openapi({ description: 'The last run since the master was started' }),
    nextRun: Time.nullable(),
  })
  .openapi('Schedule')

const schedules = createRoute({
  method: 'get',
  path: '/v1/schedules',
  operationId: 'listSchedules',
  summary: 'List the scheduled jobs of the master',
  description:
    'The option `schedule`, with the times of the running master. Needs the right to call the wheel function `config.values`.',
  tags,
  responses: { 200: answer(pageOf(Schedule).openapi('ScheduleList'), 'The jobs'), ...refusals(401, 403) },
})

const Kind = z.enum(['job_cache', 'ext_job_cache', 'event_return', 'schedule'])

const Returner = z
  .object({
    name: z.string(),
    kinds: z.array(Kind),
    options: z.record(z.string(), Any).openapi({ description: 'The options of the returner, secrets hidden' }),
  })
  .openapi('Returner')

const returners = createRoute({
  method: 'get',
  path: '/v1/returners',
  operationId: 'listReturners',
  summary: 'List the returners that the master uses',
  description: 'Needs the right to call the wheel function `config.values`.',
  tags,
  responses: { 200: answer(pageOf(Returner).openapi('ReturnerList'), 'The returners'), ...refusals(401, 403) },
})

export function addOptionRoutes(site: V1App, service: ApiService): void {
  const { opts } = service.master.access
  site.openapi(options, async (c) => {
    const { q, changed } = c.req.valid('query')
    await c.var.call.need('wheel', 'config.values')
    const part = q?.toLowerCase()
    const items = effectiveOptions(opts, 'master')
      .filter(({ origin }) => changed !== 'true' || origin !== null)
      .filter(({ name, doc }) => part === undefined || `${name}\n${doc}`.toLowerCase().includes(part))
      .map(({ doc, isSecret, value, default: usual, ...item }) => ({
        ...item,
        value: toJson(value),
        default: toJson(usual),
        documented: doc,
        secret: isSecret,
      }))
    return c.json({ items, next: null }, 200)
  })
  site.openapi(schedules, async (c) => {
    await c.var.call.need('wheel', 'config.values')
    const items = (await askOwnMaster(service, 'scheduled_jobs')).map(scheduleOf)
    return c.json({ items, next: null }, 200)
  })
  site.openapi(returners, async (c) => {
    await c.var.call.need('wheel', 'config.values')
    return c.json({ items: returnersIn(opts), next: null }, 200)
  })
}

function scheduleOf(job: Dict): z.infer<typeof Schedule> {
  const time = (name: string): string | null => {
    const seconds = numberOf(job.get(name) ?? null)
    return seconds === undefined ? null : timeText(seconds)
  }
  const text = (name: string): string => str(job.get(name) ?? '')
  return {
    name: text('name'),
    function: text('fun'),
    when: text('when'),
    enabled: truthy(job.get('enabled') ?? true),
    lastRun: time('last_run'),
    nextRun: time('next_run'),
  }
}

const namesIn = (value: Value): string[] =>
  (isList(value) ? value.map(str) : truthy(value) ? str(value).split(',') : []).map((name) => name.trim())

function returnersIn(opts: Dict): z.infer<typeof Returner>[] {
  const found = new Map<string, Set<z.infer<typeof Kind>>>()
  const add = (kind: z.infer<typeof Kind>, value: Value): void => {
    for (const name of namesIn(value)) found.set(name, (found.get(name) ?? new Set()).add(kind))
  }
  add('job_cache', option(opts, 'master_job_cache') ?? '')
  add('ext_job_cache', option(opts, 'ext_job_cache') ?? '')
  add('event_return', option(opts, 'event_return') ?? [])
  add('schedule', opts.get('schedule_returner') ?? null)
  const jobs = option(opts, 'schedule')
  for (const job of isDict(jobs) ? jobs.values() : []) if (isDict(job)) add('schedule', job.get('returner') ?? null)
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, kinds]) => ({ name, kinds: [...kinds], options: optionsOf(opts, name) }))
}

/**
 * Return the options of a returner: those with its name as a prefix. For `mysql`, both `mysql.host` and
 * `alternative.mysql.host` count.
 */
function optionsOf(opts: Dict, name: string): Record<string, unknown> {
  const own = [...opts].filter(([key]) => str(key) === name || str(key).split('.').slice(0, -1).includes(name))
  return Object.fromEntries(own.map(([key, value]) => [str(key), toJson(shownValue(opts, str(key), value))]))
}
