// Upstreams of RabbitMQ federations.
import { type Dict, dictFrom, equals, isDict, loadJson, SaltError, str, truthy } from '../../../data/mod.ts'
import { arg, type Bound, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { orError, report, runas, whenRabbit } from './state/report.ts'
import { definition } from './upstream-arguments.ts'

const name = arg.text('Name of the upstream')
const upstream = { name, ...definition, runas }

function parsed(json: string): Dict {
  const value = loadJson(json)
  return isDict(value) ? value : new Map()
}

/** Return the keys that differ, before and after. */
function difference(before: Dict, after: Dict): Dict {
  const found: Dict = new Map()
  const only = (one: Dict, other: Dict): Dict =>
    new Map([...one].filter(([key, value]) => !other.has(key) || !equals(other.get(key) ?? null, value)))
  const [old, now] = [only(before, after), only(after, before)]
  if (old.size > 0) found.set('old', old)
  if (now.size > 0) found.set('new', now)
  return found
}

async function present(ctx: StateContext, given: Bound<typeof upstream>): Promise<StateReturn> {
  const { name, runas, ...options } = given
  const current = await ctx.call('rabbitmq.list_upstreams', [], { runas })
  const chosen = Object.entries(options).filter(([, value]) => truthy(value))
  const wanted: Dict = new Map(chosen.map(([key, value]) => [key.replaceAll('_', '-'), value]))
  const held = current.get(name)
  const changes: Dict =
    held === undefined ? dictFrom({ old: null, new: wanted }) : difference(parsed(str(held)), wanted)
  if (changes.size === 0) return report(name, true, `Upstream "${name}" already present as specified.`)
  const action = held === undefined ? 'create' : 'update'
  if (ctx.test) return report(name, null, `Upstream "${name}" would have been ${action}d.`)
  try {
    await ctx.call('rabbitmq.set_upstream', [name], { ...options, runas })
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    return report(name, false, `Error trying to ${action} upstream: ${error.message}`)
  }
  return report(name, true, `Upstream "${name}" ${action}d.`, changes)
}

async function absent(ctx: StateContext, name: string, runas: string | null): Promise<StateReturn> {
  if (!truthy(await ctx.call('rabbitmq.upstream_exists', [name], { runas }))) {
    return report(name, true, `The upstream "${name}" is already absent.`)
  }
  if (ctx.test) return report(name, null, `Upstream "${name}" would have been deleted.`)
  await ctx.call('rabbitmq.delete_upstream', [name], { runas })
  return report(name, true, `Upstream "${name}" has been deleted.`, { old: name, new: null })
}

export default defineState({
  name: 'rabbitmq_upstream',
  doc: 'Manage upstreams of RabbitMQ federations.',
  when: whenRabbit,
  functions: {
    present: state({
      doc: 'Ensure that an upstream exists.',
      args: upstream,
      run: (ctx, given) => orError(given.name, () => present(ctx, given)),
    }),
    absent: state({
      doc: 'Ensure that an upstream does not exist.',
      args: { name, runas },
      run: (ctx, { name, runas }) => orError(name, () => absent(ctx, name, runas)),
    }),
  },
})
