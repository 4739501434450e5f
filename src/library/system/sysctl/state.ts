// State of kernel parameters.
import { contains, SaltError, splitWords, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, reportOn, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

interface Parameter {
  name: string
  value: Value
  config: string | null
}

const single = (text: string): string => text.replaceAll(/ +|\t+/g, ' ')

async function foreseen(ctx: StateContext, name: string, value: Value, file: Value): Promise<[boolean | null, string]> {
  const configured = await ctx.call('sysctl.show', [], { config_file: file })
  if (configured === null) {
    const doubt = `we failed to check config file at ${str(file)}. The file is either unreadable, or missing.`
    return [null, `Sysctl option ${name} might be changed, ${doubt}`]
  }
  const wanted = str(value)
  const current = str(await ctx.call('sysctl.get', [name]))
  const isConfigured = contains(configured, name)
  if (current === '') {
    if (!isConfigured) return [null, `Sysctl option ${name} would be changed to ${wanted}`]
    const gap = 'is present in configuration file but is not present in the running config.'
    return [null, `Sysctl value ${name} ${gap} The value ${name} is set to be changed to ${wanted}`]
  }
  if (isConfigured) {
    const isSet = splitWords(wanted).join(' ') === splitWords(current).join(' ')
    if (isSet) return [true, `Sysctl value ${name} = ${wanted} is already set`]
    return [null, `Sysctl option ${name} would be changed to ${wanted}`]
  }
  if (single(current) !== single(wanted)) return [null, `Sysctl option ${name} set to be changed to ${wanted}`]
  return [
    null,
    'Sysctl value is currently set on the running system but not in a config file. ' +
      `Sysctl option ${name} set to be changed to ${wanted} in config file.`,
  ]
}

async function present(ctx: StateContext, { name, value, config }: Parameter): Promise<StateReturn> {
  const ret = reportOn(name)
  const file = config ?? (await ctx.call('sysctl.default_config'))
  if (ctx.test) return ret(...(await foreseen(ctx, name, value, file)))
  try {
    const outcome = await ctx.call('sysctl.persist', [name, value, file])
    if (outcome === 'Updated') return ret(true, `Updated sysctl value ${name} = ${str(value)}`, { [name]: value })
    return ret(true, truthy(outcome) ? `Sysctl value ${name} = ${str(value)} is already set` : '')
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    return ret(false, `Failed to set ${name} to ${str(value)}: ${error.message}`)
  }
}

export default defineState({
  name: 'sysctl',
  doc: 'Manage kernel parameters.',
  when: ({ grains }) => grains.get('kernel') === 'Linux' || 'sysctl module could not be loaded',
  functions: {
    present: state({
      doc: 'Ensure the value of a kernel parameter, now and at boot.',
      args: {
        name: arg.string('Parameter'),
        value: arg.any('Value, as number or text; reported as given'),
        config: arg.text('Path of the file; default: the result of sysctl.default_config', { optional: true }),
      },
      run: present,
    }),
  },
})
