// Machines and volumes of cloud providers as states, for orchestrations and the minion beside a master.
import { type Dict, dictGet, isDict, pformat, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  settled,
  state,
  type Verdict,
} from '../../../sdk/mod.ts'

const common = {
  onlyif: arg.any('Command, or value: nothing is done unless it succeeds or is true', { optional: true }),
  unless: arg.any('Command, or value: nothing is done if it succeeds or is true', { optional: true }),
} as const

/** Return why nothing is to be done, by `onlyif` and `unless`. */
async function reasonAgainst(ctx: StateContext, onlyif: Value, unless: Value): Promise<string | undefined> {
  const holds = async (condition: Value): Promise<boolean> =>
    typeof condition === 'string'
      ? (await ctx.call('cmd.retcode', [condition], { python_shell: true, ignore_retcode: true })) === 0
      : truthy(condition)
  if (onlyif !== null && !(await holds(onlyif))) return 'onlyif condition is false'
  if (unless !== null && (await holds(unless))) return 'unless condition is true'
  return undefined
}

/** The text of an error in an answer, of the call or of the machine. */
function errorIn(answer: Value, name: string): string | undefined {
  if (!isDict(answer)) return undefined
  const own = answer.get('Error')
  const inner = answer.get(name)
  const error = own ?? (inner !== undefined && isDict(inner) ? inner.get('Error') : undefined)
  return typeof error === 'string' ? error : undefined
}

const isThere = async (ctx: StateContext, name: string): Promise<boolean> =>
  truthy(await ctx.call('cloud.has_instance', [name]))

interface Wanted {
  name: string
  onlyif: Value
  unless: Value
  /** The source of the machine in failure texts. */
  by: string
  made: string
  make(): Promise<Value>
}

/** Create a machine unless it exists. */
const machinePresent = (ctx: StateContext, { name, onlyif, unless, by, made, make }: Wanted) =>
  ensure(ctx, {
    name,
    look: async () => {
      const reason = await reasonAgainst(ctx, onlyif, unless)
      if (reason !== undefined) return settled(reason)
      return (await isThere(ctx, name)) ? settled(`Already present instance ${name}`) : 'missing'
    },
    foresee: () => `Instance ${name} needs to be created`,
    act: async () => {
      const answer = await make()
      const error = errorIn(answer, name)
      if (error !== undefined) return failed(`Failed to create instance ${name} using ${by}: ${error}`)
      return truthy(answer) ? changed(made, answer as Dict) : failed(`Failed to create instance ${name} using ${by}`)
    },
  })

const volumeArgs = {
  name: arg.text('Name of the volume'),
  provider: arg.text('Alias of the provider', { optional: true }),
} as const
const further = arg.open('Arguments of the provider')

async function volumes(ctx: StateContext, provider: string | null): Promise<Dict> {
  const found = await ctx.call('cloud.volume_list', [provider ?? ''])
  return isDict(found) ? found : new Map()
}

const attachments = (volume: Value | undefined): Value =>
  volume !== undefined && isDict(volume) ? (dictGet(volume, 'attachments') ?? null) : null

/** The work of a state on a volume: its function, and the words for its results. */
interface VolumeWork {
  fun: 'cloud.volume_create' | 'cloud.volume_delete' | 'cloud.volume_attach' | 'cloud.volume_detach'
  done: string
  undone: string
}

const CREATE: VolumeWork = { fun: 'cloud.volume_create', done: 'created', undone: 'create' }
const DELETE: VolumeWork = { fun: 'cloud.volume_delete', done: 'deleted', undone: 'delete' }
const ATTACH: VolumeWork = { fun: 'cloud.volume_attach', done: 'attached', undone: 'attach' }
const DETACH: VolumeWork = { fun: 'cloud.volume_detach', done: 'detached', undone: 'detach' }

interface GivenVolume {
  name: string
  provider: string | null
  server_name?: string | null
  kwargs: ReadonlyMap<string, Value>
}

/** Ensure the state of a volume. `look` returns the present one, or that nothing is to be done. */
const volumeState = (
  ctx: StateContext,
  { name, provider, server_name, kwargs }: GivenVolume,
  { fun, done, undone }: VolumeWork,
  look: (volume: Value | undefined) => Value | Verdict | Promise<Value | Verdict>,
) =>
  ensure(ctx, {
    name,
    look: async () => look((await volumes(ctx, provider)).get(name)),
    foresee: () => `Volume ${name} will be ${done}.`,
    act: async (old) => {
      const server: [string, Value][] = server_name === undefined ? [] : [['server_name', server_name]]
      const answer = await ctx.call(fun, [provider, name], new Map<string, Value>([...kwargs, ...server]))
      const error = isDict(answer) ? answer.get('Error') : undefined
      const failure = `Volume ${name} failed to ${undone}.`
      if (error !== undefined) return failed(`${failure} ${str(error)}`)
      return truthy(answer) ? changed(`Volume ${name} was ${done}`, { old, new: answer }) : failed(failure)
    },
  })

export default defineState({
  name: 'cloud',
  doc: 'Ensure that machines and volumes of cloud providers exist or not. Runs on the machine of a master.',
  functions: {
    present: state({
      doc: 'Ensure that a machine exists, made of a provider. Settings of an existing one are not compared.',
      args: {
        name: arg.text('Name of the machine'),
        cloud_provider: arg.text('Alias of the provider'),
        ...common,
        opts: arg.any('Options of Salt’s client, which have no effect', { optional: true }),
        kwargs: arg.open('Settings of the machine'),
      },
      run: (ctx, { name, cloud_provider, onlyif, unless, kwargs }) => {
        const own = new Map([...kwargs].filter(([key]) => !key.startsWith('__')))
        const options = pformat(new Map<Value, Value>(own))
        return machinePresent(ctx, {
          ...{ name, onlyif, unless, by: `provider ${cloud_provider}` },
          made: `Created instance ${name} using provider ${cloud_provider} and the following options: ${options}`,
          make: async () => ctx.call('cloud.create', [cloud_provider, name], own),
        })
      },
    }),
    absent: state({
      doc: 'Ensure that no machine of that name exists at any provider.',
      args: { name: arg.text('Name of the machine'), ...common },
      run: (ctx, { name, onlyif, unless }) =>
        ensure(ctx, {
          name,
          look: async () => {
            const reason = await reasonAgainst(ctx, onlyif, unless)
            if (reason !== undefined) return settled(reason)
            return (await isThere(ctx, name)) ? 'there' : settled(`Already absent instance ${name}`)
          },
          foresee: () => `Instance ${name} needs to be destroyed`,
          act: async () => {
            const answer = await ctx.call('cloud.destroy', [name])
            const error = errorIn(answer, name)
            if (error !== undefined) return failed(`Failed to destroy instance ${name}: ${error}`)
            return isDict(answer)
              ? changed(`Destroyed instance ${name}`, answer)
              : failed(`Failed to destroy instance ${name}`)
          },
        }),
    }),
    profile: state({
      doc: 'Ensure that a machine exists, made of a profile. Settings of an existing one are not compared.',
      args: {
        name: arg.text('Name of the machine'),
        profile: arg.text('Name of the profile'),
        ...common,
        opts: arg.any('Options of Salt’s client, which have no effect', { optional: true }),
        kwargs: arg.open('Settings over those of the profile'),
      },
      run: (ctx, { name, profile, onlyif, unless, kwargs }) =>
        machinePresent(ctx, {
          ...{ name, onlyif, unless, by: `profile ${profile}` },
          made: `Created instance ${name} using profile ${profile}`,
          make: async () => {
            const overrides = new Map<Value, Value>([...kwargs].filter(([key]) => !key.startsWith('__')))
            return ctx.call('cloud.profile', [profile, name], { vm_overrides: overrides })
          },
        }),
    }),
    volume_present: state({
      doc: 'Ensure that a volume exists.',
      args: { ...volumeArgs, kwargs: further },
      run: (ctx, given) =>
        volumeState(ctx, given, CREATE, (volume) =>
          volume === undefined ? null : settled(`Volume exists: ${given.name}`),
        ),
    }),
    volume_absent: state({
      doc: 'Ensure that a volume does not exist.',
      args: { ...volumeArgs, kwargs: further },
      run: (ctx, given) => volumeState(ctx, given, DELETE, (volume) => volume ?? settled('Volume is absent.')),
    }),
    volume_attached: state({
      doc: 'Ensure that a volume is attached to a machine.',
      args: {
        name: volumeArgs.name,
        server_name: arg.text('Name of the machine'),
        provider: volumeArgs.provider,
        kwargs: further,
      },
      run: (ctx, given) =>
        volumeState(ctx, given, ATTACH, async (volume) => {
          const { name, server_name } = given
          if (volume === undefined) return failed(`Volume ${name} does not exist`)
          const where = attachments(volume)
          if (truthy(where)) return settled(`Volume ${name} is already attached: ${str(where)}`)
          return (await isThere(ctx, server_name)) ? volume : failed(`Server ${server_name} does not exist`)
        }),
    }),
    volume_detached: state({
      doc: 'Ensure that a volume is not attached to a machine. A volume or machine that does not exist counts as detached.',
      args: {
        name: volumeArgs.name,
        server_name: arg.text('Name of the machine', { optional: true }),
        provider: volumeArgs.provider,
        kwargs: further,
      },
      run: (ctx, given) =>
        volumeState(ctx, given, DETACH, async (volume) => {
          const { name, server_name } = given
          if (volume === undefined) return settled(`Volume ${name} does not exist`)
          if (!truthy(attachments(volume))) return settled(`Volume ${name} is not currently attached to anything.`)
          if (server_name !== null && !(await isThere(ctx, server_name)))
            return settled(`Server ${server_name} does not exist`)
          return volume
        }),
    }),
  },
})
