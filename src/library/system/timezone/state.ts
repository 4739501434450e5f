// The time zone of the machine, and whether its hardware clock runs on UTC.
import { equals, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  defineState,
  type Result,
  reportOn,
  type StateContext,
  type StateReturn,
  state,
} from '../../../sdk/mod.ts'

async function system(ctx: StateContext, name: string, utc: Value): Promise<StateReturn> {
  const ret = reportOn(name)
  let isZone: boolean
  try {
    isZone = (await ctx.call('timezone.zone_compare', [name])) === true
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    return ret(false, `Unable to compare desired timezone '${name}' to system timezone: ${error.message}`)
  }
  const runsOnUtc = (await ctx.call('timezone.get_hwclock')) !== 'localtime'
  const asksUtc = ctx.grains.get('kernel') !== 'Windows' && truthy(utc)
  const setsUtc = asksUtc && !equals(utc, runsOnUtc)
  if (isZone && !setsUtc) {
    const further = asksUtc ? `, UTC already set to ${name}` : ''
    return ret(true, `Timezone ${name} already set${further}`)
  }
  if (ctx.test) {
    const messages = [
      ...(isZone ? [] : [`Timezone ${name} needs to be set`]),
      ...(setsUtc ? [`UTC needs to be set to ${str(utc)}`] : []),
    ]
    return ret(null, messages.join(', '))
  }
  const changes: Record<string, Result> = {}
  const messages: string[] = []
  let result: boolean | null = null
  if (!isZone) {
    result = truthy(await ctx.call('timezone.set_zone', [name]))
    if (result) changes['timezone'] = name
    messages.push(result ? `Set timezone ${name}` : 'Failed to set timezone')
  }
  if (setsUtc) {
    result = truthy(await ctx.call('timezone.set_hwclock', ['UTC']))
    if (result) changes['utc'] = utc
    messages.push(result ? `Set UTC to ${str(utc)}` : `Failed to set UTC to ${str(utc)}`)
  }
  return ret(result, messages.join(', '), changes)
}

export default defineState({
  name: 'timezone',
  doc: 'Keep the time zone.',
  functions: {
    system: state({
      doc: 'The machine is in a time zone.',
      args: {
        name: arg.string('The zone, such as America/Denver'),
        utc: arg.any('Whether the clock of the hardware runs on UTC', { default: true }),
      },
      run: (ctx, { name, utc }) => system(ctx, name, utc),
    }),
  },
})
