// The minions of targets: `/v1/targets` and `/v1/nodegroups`. The right is that for the runner function
// `manage.status`; expressions about grains and pillar also need the rights for `cache.grains` and `cache.pillar`.
import { createRoute, z } from '@hono/zod-openapi'
import { option } from '../../config/mod.ts'
import { type Dict, isDict, isList, numberOf, str, type Value } from '../../data/mod.ts'
import type { ApiService } from '../service.ts'
import type { V1App, V1Call } from './call.ts'
import { refusals } from './problems.ts'
import { answer, TargetType } from './shapes.ts'

const Targeted = z
  .object({
    total: z.int().openapi({ description: 'Minions that are meant' }),
    minions: z.array(z.string()).openapi({ description: 'The first of them, by id' }),
    missing: z.array(z.string()).openapi({ description: 'Ids of a list that are no accepted minion' }),
    problem: z.string().nullable().openapi({ description: 'What is wrong with the target' }),
  })
  .openapi('Targeted')

const targets = createRoute({
  method: 'get',
  path: '/v1/targets',
  operationId: 'resolveTarget',
  summary: 'Show the minions that a target means',
  description:
    'Equals the runner function `manage.status`, from what the master knows: no minion is asked. Expressions about grains and addresses need the right for `cache.grains`, those about the pillar the right for `cache.pillar`.',
  tags: ['Minions'],
  request: {
    query: z.strictObject({
      target: z.string().min(1).max(10_000),
      targetType: TargetType.default('glob'),
      limit: z.coerce.number().int().min(0).max(1000).default(20).openapi({ description: 'Most ids' }),
    }),
  },
  responses: { 200: answer(Targeted, 'The minions'), ...refusals(400, 401, 403) },
})

const Nodegroup = z
  .object({
    name: z.string(),
    expression: z.string(),
    minions: z.int().nullable().openapi({ description: 'Minions that are meant; null where this cannot be told' }),
  })
  .openapi('Nodegroup')

const nodegroups = createRoute({
  method: 'get',
  path: '/v1/nodegroups',
  operationId: 'listNodegroups',
  summary: 'List the nodegroups of the master',
  description: 'Equals the runner function `manage.status` with these targets.',
  tags: ['Minions'],
  responses: {
    200: answer(z.object({ items: z.array(Nodegroup), next: z.null() }).openapi('NodegroupList'), 'The nodegroups'),
    ...refusals(401, 403),
  },
})

/** Return the minions of a target, up to a limit. */
export async function resolved(
  call: V1Call,
  tgt: string,
  kind: string,
  limit: number,
): Promise<z.infer<typeof Targeted>> {
  const found: Dict = await call.ask({ cmd: 'targets', tgt, tgt_type: kind, limit })
  const texts = (name: string): string[] => {
    const list: Value = found.get(name) ?? []
    return isList(list) ? list.map(str) : []
  }
  const problems = texts('problems').join('\n')
  return {
    total: Number(numberOf(found.get('total') ?? 0) ?? 0),
    minions: texts('minions'),
    missing: texts('missing'),
    problem: problems === '' ? null : problems,
  }
}

export function addTargetRoutes(site: V1App, { master }: ApiService): void {
  site.openapi(targets, async (c) => {
    const { target, targetType, limit } = c.req.valid('query')
    c.var.call.needClient('runner', 'runner_async')
    return c.json(await resolved(c.var.call, target, targetType, limit), 200)
  })
  site.openapi(nodegroups, async (c) => {
    const { call } = c.var
    await call.need('runner', 'manage.status')
    const groups: Value = option(master.access.opts, 'nodegroups')
    const items: Array<z.infer<typeof Nodegroup>> = []
    for (const [key, group] of isDict(groups) ? groups : []) {
      const name = str(key)
      const { total, problem } = await resolved(call, name, 'nodegroup', 0)
      const expression = isList(group) ? group.map(str).join(' ') : str(group)
      items.push({ name, expression, minions: problem === null ? total : null })
    }
    return c.json({ items, next: null }, 200)
  })
}
