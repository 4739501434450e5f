// Volumes of Docker.
import { type Dict, isDict, isList, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  foreseen,
  type StateContext,
  type StateReturn,
  settled,
  state,
  Verdict,
} from '../../../sdk/mod.ts'
import { answered, repacked, whenDocker } from './state/report.ts'

const name = arg.text('Name of the volume')
const driver = arg.text('Driver of the volume', { optional: true })
const volume = {
  name,
  driver,
  driver_opts: arg.any('Options of the driver: a dict, or a list of dicts', { optional: true }),
  force: arg.flag('Whether a volume with another driver is replaced', { default: false }),
}

type Volume = Bound<typeof volume>

async function find(ctx: StateContext, name: string): Promise<Dict | undefined> {
  const all = (await ctx.call('docker.volumes')).get('Volumes') ?? null
  return isList(all) ? all.filter(isDict).find((volume) => volume.get('Name') === name) : undefined
}

async function create(ctx: StateContext, { name, driver, driver_opts }: Volume, removed = {}): Promise<Verdict> {
  const keywords = { driver, driver_opts: driver_opts === null ? null : repacked(driver_opts) }
  const answer = await answered(() => ctx.call('docker.create_volume', [name], keywords))
  if ('refusal' in answer) return failed(`Failed to create volume '${name}': ${answer.refusal}`, removed)
  return changed('', { ...removed, created: answer.value })
}

async function remove(ctx: StateContext, name: string): Promise<{ removed: Value } | Verdict> {
  const answer = await answered(() => ctx.call('docker.remove_volume', [name]))
  if ('refusal' in answer) return failed(`Failed to remove volume '${name}': ${answer.refusal}`)
  return { removed: answer.value }
}

const present = (ctx: StateContext, given: Volume): Promise<StateReturn> =>
  ensure<'missing' | 'other driver'>(ctx, {
    name: given.name,
    look: async () => {
      const { name, driver, force } = given
      const volume = await find(ctx, name)
      if (!volume) return 'missing'
      const held = volume.get('Driver') ?? null
      if (driver === null || held === driver) return settled(`Volume '${name}' already exists.`)
      if (force) return 'other driver'
      const drivers = `('${str(held)}') does not match specified driver ('${driver}')`
      const comment = `Driver for existing volume '${name}' ${drivers} and force is False`
      return ctx.test ? foreseen(comment) : failed(comment)
    },
    foresee: (gap) =>
      gap === 'missing'
        ? `The volume '${given.name}' will be created`
        : `The volume '${given.name}' will be replaced with a new one using the driver '${given.driver}'`,
    act: async (gap) => {
      if (gap === 'missing') return create(ctx, given)
      const removed = await remove(ctx, given.name)
      return removed instanceof Verdict ? removed : create(ctx, given, removed)
    },
  })

const absent = (ctx: StateContext, name: string): Promise<StateReturn> =>
  ensure(ctx, {
    name,
    look: async () => ((await find(ctx, name)) ? 'there' : settled(`Volume '${name}' already absent`)),
    foresee: () => `The volume '${name}' will be removed`,
    act: async () => {
      const removed = await remove(ctx, name)
      return removed instanceof Verdict ? removed : changed('', removed)
    },
  })

export default defineState({
  name: 'docker_volume',
  doc: 'Manage volumes of Docker.',
  when: whenDocker,
  functions: {
    present: state({
      doc: 'Ensure that a volume exists.',
      args: volume,
      run: present,
    }),
    absent: state({
      doc: 'Ensure that a volume does not exist.',
      args: { name, driver },
      run: (ctx, { name }) => absent(ctx, name),
    }),
  },
})
