// Upstreams of RabbitMQ federations.
import { type Dict, equals, loadJson, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { type Given, orError, report, runas, whenRabbit } from './state/report.ts'

const OPTIONS =
  'prefetch_count reconnect_delay ack_mode trust_user_id exchange max_hops expires message_ttl ha_policy queue'.split(
    ' ',
  )

/** What differs, before and after, key by key. */
function difference(before: Dict, after: Dict): Dict {
  const told: Dict = new Map()
  const only = (one: Dict, other: Dict): Dict =>
    new Map([...one].filter(([key, value]) => !other.has(key) || !equals(other.get(key)!, value)))
  const [old, now] = [only(before, after), only(after, before)]
  if (old.size > 0) told.set('old', old)
  if (now.size > 0) told.set('new', now)
  return told
}

async function present(ctx: StateContext, given: Given): Promise<StateReturn> {
  const { uri = null, runas = null } = given
  const name = str(given['name']!)
  const current = await ctx.call('rabbitmq.list_upstreams', [], { runas })
  const chosen = ['uri', ...OPTIONS].map((key) => [key.replaceAll('_', '-'), given[key] ?? null] as const)
  const wanted: Dict = new Map(chosen.filter(([, value]) => truthy(value)))
  const held = current.get(name)
  const changes: Dict =
    held === undefined
      ? new Map<Value, Value>([
          ['old', null],
          ['new', wanted],
        ])
      : difference(loadJson(str(held)) as Dict, wanted)
  if (changes.size === 0) return report(name, true, `Upstream "${name}" already present as specified.`)
  const action = held === undefined ? 'create' : 'update'
  if (ctx.test) return report(name, null, `Upstream "${name}" would have been ${action}d.`)
  try {
    const options = Object.fromEntries(OPTIONS.map((key) => [key, given[key] ?? null]))
    await ctx.call('rabbitmq.set_upstream', [name, uri], { ...options, runas })
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    return report(name, false, `Error trying to ${action} upstream: ${error.message}`)
  }
  return report(name, true, `Upstream "${name}" ${action}d.`, changes)
}

async function absent(ctx: StateContext, name: string, runas: Value): Promise<StateReturn> {
  if (!truthy(await ctx.call('rabbitmq.upstream_exists', [name], { runas }))) {
    return report(name, true, `The upstream "${name}" is already absent.`)
  }
  if (ctx.test) return report(name, null, `Upstream "${name}" would have been deleted.`)
  await ctx.call('rabbitmq.delete_upstream', [name], { runas })
  return report(name, true, `Upstream "${name}" has been deleted.`, { old: name, new: null })
}

const name = arg.any('The name of the upstream')
const options = Object.fromEntries(
  OPTIONS.map((key) => [key, arg.any(`The option ${key.replaceAll('_', '-')}`, { optional: true })]),
)

export default defineState({
  name: 'rabbitmq_upstream',
  doc: 'Keep upstreams of RabbitMQ federations.',
  when: whenRabbit,
  functions: {
    present: state({
      doc: 'An upstream is there.',
      args: { name, uri: arg.any('Its address'), ...options, runas },
      run: (ctx, given) => orError(given['name'] as Value, () => present(ctx, given as Given)),
    }),
    absent: state({
      doc: 'An upstream is not there.',
      args: { name, runas },
      run: (ctx, { name, runas }) => orError(name, () => absent(ctx, str(name), runas)),
    }),
  },
})
