// Usage of volumes and directories, compared with limits. The state changes nothing.
import { type Dict, float, round, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  defineState,
  type Result,
  type StateContext,
  type StateReturn,
  state,
} from '../../../sdk/mod.ts'

interface Limits {
  minimum: number | null
  maximum: number | null
  absolute: boolean
  free: boolean
}

/** Parse a limit as a whole number, or return the problem. */
function limitOf(name: string, given: Value, absolute: boolean): { value: number | null; problem: string } {
  if (given === null) return { value: null, problem: '' }
  const marks = absolute ? /^[ KB]+|[ KB]+$/g : /^[ %]+|[ %]+$/g
  const text = typeof given === 'string' ? given.replaceAll(marks, '') : str(given)
  const value = /^\s*[+-]?\d+\s*$/.test(text)
    ? Number(text)
    : typeof given === 'string'
      ? Number.NaN
      : Math.trunc(Number(text))
  if (Number.isNaN(value)) return { value: null, problem: `${name} must be an integer ` }
  const isOut = !absolute && (value < 0 || value > 100)
  return { value, problem: isOut ? `${name} must be in the range [0, 100] ` : '' }
}

interface Usage {
  used: number
  available: number
  data: Result
}

function ofMount(entry: Dict, absolute: boolean): Usage {
  const number = (key: string): number => Number(str(entry.get(key) ?? 0).replace('%', ''))
  if (absolute) return { used: number('used'), available: number('available'), data: entry }
  return { used: number('capacity'), available: 100 - number('capacity'), data: entry }
}

async function ofPath(ctx: StateContext, name: string, absolute: boolean): Promise<Usage | undefined> {
  if ((await ctx.host.stat(name))?.type !== 'directory') return undefined
  const data = await ctx.call('status.diskusage', [name])
  const entry = data.get(name) as Dict
  const [total, available] = [Number(entry.get('total')), Number(entry.get('available'))]
  if (absolute) return { used: total - available, available, data }
  if (total === 0) return { used: 0, available: 0, data }
  const percent = (part: number): number => Number(str(round(float((part / total) * 100), 1)))
  return { used: percent(total - available), available: percent(available), data }
}

/** Format a value; percentages of directories are floats. */
const shown = (value: number, isFloat: boolean): string => (isFloat ? str(float(value)) : String(value))

function compare({ used, available }: Usage, limits: Limits, isFloat: boolean): [boolean, string] {
  const { minimum, maximum, absolute, free } = limits
  const [what, value] = free ? ['available', available] : ['used', used]
  const unit = absolute ? 'KB' : '%'
  const at = `${unit} at ${shown(value, isFloat)} ${unit}`
  if (minimum !== null && value < minimum) return [false, `Disk ${what} space is below minimum of ${minimum} ${at}`]
  if (maximum !== null && value > maximum) return [false, `Disk ${what} space is above maximum of ${maximum} ${at}`]
  return [true, 'Disk used space in acceptable range']
}

type Request = Bound<typeof statusArgs>

async function status(ctx: StateContext, { name, absolute, free, ...given }: Request): Promise<StateReturn> {
  const ret = (result: boolean, comment: string, data: Result = {}): StateReturn => ({
    name,
    result,
    comment,
    changes: {},
    data,
  })
  const maximum = limitOf('maximum', given.maximum, absolute)
  const minimum = limitOf('minimum', given.minimum, absolute)
  const isEmpty = minimum.value !== null && maximum.value !== null && minimum.value >= maximum.value
  const problem = maximum.problem + minimum.problem + (isEmpty ? 'minimum must be less than maximum ' : '')
  if (problem !== '') return ret(false, problem)
  const limits = { minimum: minimum.value, maximum: maximum.value, absolute, free }
  const entry = (await ctx.call('disk.usage')).get(name) as Dict | undefined
  if (entry) {
    const usage = ofMount(entry, absolute)
    return ret(...compare(usage, limits, false), usage.data)
  }
  const absent = `Disk mount ${name} not present. `
  const usage = await ofPath(ctx, name, absolute)
  if (!usage) return ret(false, `${absent}Directory ${name} does not exist or is not a directory`)
  return ret(...compare(usage, limits, !absolute && usage.used + usage.available !== 0), usage.data)
}

const statusArgs = {
  name: arg.string('Mount point or directory'),
  maximum: arg.any('Maximum in percent, as number or text such as 50%', { optional: true }),
  minimum: arg.any('Minimum in percent, as number or text such as 5%', { optional: true }),
  absolute: arg.flag('Whether the limits are in KB', { default: false }),
  free: arg.flag('Whether the limits apply to free space', { default: false }),
}

export default defineState({
  name: 'disk',
  doc: 'Check the usage of volumes.',
  functions: {
    status: state({
      doc: 'Ensure that the usage of a volume or directory is within limits.',
      args: statusArgs,
      run: status,
    }),
  },
})
