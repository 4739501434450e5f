// Volumes of Docker.
import { type Dict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { answered, type Given, repacked, report, whenDocker } from './state/report.ts'

async function find(ctx: StateContext, name: string): Promise<Dict | undefined> {
  const all = (await ctx.call('docker.volumes')).get('Volumes') ?? null
  return (truthy(all) ? (all as Dict[]) : []).find((volume) => volume.get('Name') === name)
}

async function create(ctx: StateContext, given: Given, changes: Record<string, Value>): Promise<StateReturn> {
  const name = str(given['name']!)
  const options = given['driver_opts'] ?? null
  const keywords = { driver: given['driver'] ?? null, driver_opts: options === null ? null : repacked(options) }
  const answer = await answered(() => ctx.call('docker.create_volume', [name], keywords))
  if ('refusal' in answer) return report(name, false, `Failed to create volume '${name}': ${answer.refusal}`, changes)
  return report(name, true, '', { ...changes, created: answer.value })
}

async function remove(ctx: StateContext, name: string): Promise<{ value: Value } | { refusal: string }> {
  return answered(() => ctx.call('docker.remove_volume', [name]))
}

async function present(ctx: StateContext, given: Given): Promise<StateReturn> {
  const name = str(given['name']!)
  const driver = given['driver'] ?? null
  const volume = await find(ctx, name)
  if (!volume) return ctx.test ? report(name, null, `The volume '${name}' will be created`) : create(ctx, given, {})
  if (driver === null || volume.get('Driver') === driver) return report(name, true, `Volume '${name}' already exists.`)
  if (!truthy(given['force']!)) {
    const drivers = `('${str(volume.get('Driver')!)}') does not match specified driver ('${str(driver)}')`
    return report(name, ctx.test ? null : false, `Driver for existing volume '${name}' ${drivers} and force is False`)
  }
  if (ctx.test) {
    return report(name, null, `The volume '${name}' will be replaced with a new one using the driver '${str(driver)}'`)
  }
  const answer = await remove(ctx, name)
  if ('refusal' in answer) return report(name, false, `Failed to remove volume '${name}': ${answer.refusal}`)
  return create(ctx, given, { removed: answer.value })
}

async function absent(ctx: StateContext, name: string): Promise<StateReturn> {
  if (!(await find(ctx, name))) return report(name, true, `Volume '${name}' already absent`)
  if (ctx.test) return report(name, null, `The volume '${name}' will be removed`)
  const answer = await remove(ctx, name)
  if ('refusal' in answer) return report(name, false, `Failed to remove volume '${name}': ${answer.refusal}`)
  return report(name, true, '', { removed: answer.value })
}

const name = arg.text('The name of the volume')
const driver = arg.any('Its driver', { optional: true })

export default defineState({
  name: 'docker_volume',
  doc: 'Keep volumes of Docker.',
  when: whenDocker,
  functions: {
    present: state({
      doc: 'A volume is there.',
      args: {
        name,
        driver,
        driver_opts: arg.any('Options of the driver', { optional: true }),
        force: arg.flag('Whether one with another driver is replaced', { default: false }),
      },
      run: (ctx, given) => present(ctx, given),
    }),
    absent: state({
      doc: 'A volume is not there.',
      args: { name, driver },
      run: (ctx, { name }) => absent(ctx, name),
    }),
  },
})
