// State of logrotate settings.
import { isA, recover } from '../../../base/mod.ts'
import { equals, intFromText, PyError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineState, reportOn, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

type Setting = Bound<typeof setArgs>

function numberIfOne(value: Value): Value {
  return recover(isA(PyError), value, () => intFromText(str(value)))
}

async function current(ctx: StateContext, kwargs: Readonly<Record<string, Value>>): Promise<Value> {
  return recover(
    (error) => error instanceof PyError && ['AttributeError', 'KeyError'].includes(error.code),
    false,
    () => ctx.call('logrotate.get', [], kwargs),
  )
}

async function set(ctx: StateContext, { name, key, value, setting, conf_file }: Setting): Promise<StateReturn> {
  const ret = reportOn(name)
  const isBlock = setting !== null
  const wanted = numberIfOne(isBlock ? setting : value)
  const place = isBlock ? { key, value } : { key }
  const now = await current(ctx, { ...place, conf_file })
  const subject = isBlock ? `lock '${key}' command '${str(value)}'` : `ommand '${key}'`
  const [upper, lower] = isBlock ? ['B', 'b'] : ['C', 'c']
  if (equals(now, wanted)) return ret(true, `${upper}${subject} already has value: ${str(wanted)}`)
  const changes = { old: now, new: wanted }
  if (ctx.test) return ret(null, `${upper}${subject} will be set to value: ${str(wanted)}`, changes)
  const given = isBlock ? { ...place, setting: wanted } : { key, value: wanted }
  const isSet = truthy(await ctx.call('logrotate.set', [], { ...given, conf_file }))
  return ret(isSet, `${isSet ? 'Set' : 'Unable to set'} ${lower}${subject} value: ${str(wanted)}`, changes)
}

const setArgs = {
  name: arg.text('Name of the state'),
  key: arg.text('Setting, or path of a block'),
  value: arg.any('Value, of any type; or the setting of the block'),
  setting: arg.any('Value of the setting of the block, of any type', { optional: true }),
  conf_file: arg.text('Path of the main file', { default: '/etc/logrotate.conf' }),
}

export default defineState({
  name: 'logrotate',
  doc: 'Manage the configuration of logrotate.',
  when: ({ grains }) => grains.get('kernel') !== 'Windows' || 'logrotate module could not be loaded',
  functions: {
    set: state({ doc: 'Ensure the value of a setting.', args: setArgs, calledAs: 'set_', run: set }),
  },
})
