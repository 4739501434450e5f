// State of the time zone and the hardware clock.
import { SaltError, str, truthy } from '../../../data/mod.ts'
import {
  arg,
  defineState,
  type Result,
  reportOn,
  type StateContext,
  type StateReturn,
  state,
} from '../../../sdk/mod.ts'

async function system(ctx: StateContext, name: string, utc: boolean): Promise<StateReturn> {
  const ret = reportOn(name)
  let isZone: boolean
  try {
    isZone = (await ctx.call('timezone.zone_compare', [name])) === true
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    return ret(false, `Unable to compare desired timezone '${name}' to system timezone: ${error.message}`)
  }
  const runsOnUtc = (await ctx.call('timezone.get_hwclock')) !== 'localtime'
  const asksUtc = ctx.grains.get('kernel') !== 'Windows' && utc
  const setsUtc = asksUtc && !runsOnUtc
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
  doc: 'Manage the time zone.',
  functions: {
    system: state({
      doc: 'Ensure the time zone of the machine.',
      args: {
        name: arg.string('Time zone, such as America/Denver'),
        utc: arg.flag('Whether the hardware clock is in UTC', { default: true }),
      },
      run: (ctx, { name, utc }) => system(ctx, name, utc),
    }),
  },
})
