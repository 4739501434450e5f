// Snapshots of file systems by snapper.
import { type Dict, failure, isFailure, isList, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { changesOf, diff, intervalOf, intervalOfJob, undo } from './module/comparing.ts'
import { callService, configs, describeSnapshot, dictWords, during, snapshots } from './module/service.ts'

const config = arg.text('Name of the configuration', { default: 'root' })
const num_pre = arg.count('Number of the first snapshot; the last one if not given', { optional: true })
const num_post = arg.count('Number of the second snapshot; the present state if not given', { optional: true })
const userdata = arg.any('Dict of further data of the snapshot', { optional: true })
const jid = arg.text('Job id')

const STATUS = [
  ...['created', 'deleted', 'type changed', 'modified', 'permission changed', 'owner changed', 'group changed'],
  ...['extended attributes changed', 'ACL info changed'],
]

const dictOf = (value: Value): Dict => (value instanceof Map ? new Map(value as Dict) : new Map())

const snapshot = (ctx: FunctionContext, config: string, number: number): Promise<Dict> =>
  during(ctx, 'retrieving snapshot', { config, numbers: [number] }, async () =>
    describeSnapshot(ctx, await callService(ctx, 'GetSnapshot', 'su', config, String(number))),
  )

const configuration = (ctx: FunctionContext, name: string): Promise<Value> =>
  during(ctx, 'retrieving configuration', { config: name }, () => callService(ctx, 'GetConfig', 's', name))

const setConfiguration = (ctx: FunctionContext, name: string, given: ReadonlyMap<string, Value>): Promise<Value> => {
  const shown = (value: Value): Value => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : value)
  const own = [...given].filter(([key]) => !key.startsWith('__'))
  const values = new Map<Value, Value>(own.map(([key, value]) => [key.toUpperCase(), shown(value)]))
  return during(ctx, `setting configuration ${name}`, { config: name }, () =>
    callService(ctx, 'SetConfig', 'sa{ss}', name, ...dictWords(values)),
  )
}

interface Creation {
  config: string
  snapshot_type: string
  pre_number: number | null
  description: string | null
  cleanup_algorithm: string
  userdata: Value
  kwargs: ReadonlyMap<string, Value>
}

async function create(ctx: FunctionContext, given: Creation): Promise<Value> {
  const { config, snapshot_type, pre_number, cleanup_algorithm, kwargs } = given
  const data = dictOf(given.userdata)
  const job = kwargs.get('__pub_jid') ?? null
  if (job !== null) data.set('salt_jid', str(job))
  const description = given.description ?? (job === null ? '' : `salt job ${str(job)}`)
  const words = [description, cleanup_algorithm, ...dictWords(data)]
  const methods = new Map([
    ['single', ['CreateSingleSnapshot', 'sssa{ss}', config]],
    ['pre', ['CreatePreSnapshot', 'sssa{ss}', config]],
    ['post', ['CreatePostSnapshot', 'sussa{ss}', config, String(pre_number)]],
  ])
  const call = methods.get(snapshot_type)
  if (call === undefined) throw failure(`Invalid snapshot type '${snapshot_type}'`)
  if (snapshot_type === 'post' && pre_number === null) {
    throw failure("pre snapshot number 'pre_number' needs to be specified for snapshots of the 'post' type")
  }
  const numbers = pre_number === null ? [] : [pre_number]
  const [method = '', ...rest] = call
  return during(ctx, 'creating a snapshot', { config, numbers }, () => callService(ctx, method, ...rest, ...words))
}

async function remove(ctx: FunctionContext, given: Value, config: string): Promise<Dict> {
  if (!truthy(given)) throw failure('Error: No snapshot ID has been provided')
  const ids = isList(given) ? [...given] : [given]
  const known = (await snapshots(ctx, config)).map((item) => Number(item.get('id')))
  const unknown = ids.filter((id) => !known.includes(Number(id)))
  if (unknown.length > 0) throw failure(`Error: Snapshots '${unknown.map((id) => str(id)).join(', ')}' not found`)
  await callService(ctx, 'DeleteSnapshots', 'sau', config, String(ids.length), ...ids.map((id) => str(id)))
  return new Map([[config, new Map<Value, Value>([['ids', ids]]).set('status', 'deleted')]])
}

/** Make a snapshot, run a function, and make a second snapshot. */
async function runBetween(
  ctx: FunctionContext,
  fun: string,
  args: readonly Value[],
  kwargs: ReadonlyMap<string, Value>,
) {
  if (!ctx.has(fun)) throw failure(`function "${fun}" does not exist`)
  const own = ['config', 'description', 'cleanup_algorithm', 'userdata']
  const publication = [...kwargs].filter(([name]) => name.startsWith('__'))
  const about: Creation = {
    config: str(kwargs.get('config') ?? 'root'),
    description: str(kwargs.get('description') ?? `snapper.run[${fun}]`),
    cleanup_algorithm: str(kwargs.get('cleanup_algorithm') ?? 'number'),
    userdata: kwargs.get('userdata') ?? null,
    ...{ snapshot_type: 'pre', pre_number: null, kwargs: new Map(publication) },
  }
  const pre = await create(ctx, about)
  const given = new Map([...kwargs].filter(([name]) => !own.includes(name) && !name.startsWith('__')))
  const work = async (): Promise<Value> => ctx.call(fun, [...args], given)
  const answer = await work().catch((error: unknown): Value => {
    if (isFailure(error)) return error.message
    throw error
  })
  await create(ctx, { ...about, snapshot_type: 'post', pre_number: Number(pre) })
  return answer
}

const settings = {
  list_configs: reads({
    doc: 'Return all configurations.',
    returns: ret.dict('Settings by name of the configuration'),
    run: (ctx) => during(ctx, 'listing configurations', {}, () => configs(ctx)),
  }),
  get_config: reads({
    doc: 'Return a configuration.',
    args: { name: config },
    returns: ret.any('List of the name, the subvolume and the settings'),
    run: (ctx, { name }) => configuration(ctx, name),
  }),
  set_config: changes({
    doc: 'Set values of a configuration.',
    args: { name: config, kwargs: arg.open('Settings, such as timeline_create=False') },
    returns: ret.boolean('True'),
    example: 'snapper.set_config root TIMELINE_CREATE=True',
    run: async (ctx, { name, kwargs }) => {
      await setConfiguration(ctx, name, kwargs)
      return true
    },
  }),
  create_config: changes({
    doc: 'Create a configuration for a subvolume.',
    args: {
      name: arg.text('Name of the configuration', { optional: true }),
      subvolume: arg.text('Path of the subvolume', { optional: true }),
      fstype: arg.text('Type of the file system, such as btrfs', { optional: true }),
      template: arg.text('Template of the configuration', { optional: true }),
      extra_opts: arg.any('Dict of settings', { optional: true }),
    },
    returns: ret.any('List of the name, the subvolume and the settings'),
    example: 'snapper.create_config myconfig /foo/bar/ btrfs',
    run: async (ctx, { name, subvolume, fstype, template, extra_opts }) => {
      for (const [key, value] of Object.entries({ name, subvolume, fstype })) {
        if (!value) throw failure(`You must provide a "${key}" for the new configuration`)
      }
      const words = [name!, subvolume!, fstype!, template ?? '']
      await during(ctx, 'creating the new configuration', {}, () => callService(ctx, 'CreateConfig', 'ssss', ...words))
      if (truthy(extra_opts)) await setConfiguration(ctx, name!, dictOf(extra_opts) as Map<string, Value>)
      return configuration(ctx, name!)
    },
  }),
}

const taking = {
  list_snapshots: reads({
    doc: 'Return the snapshots of a configuration.',
    args: { config },
    returns: ret.any('List of the snapshots'),
    example: 'snapper.list_snapshots config=myconfig',
    run: (ctx, { config }) => snapshots(ctx, config),
  }),
  get_snapshot: reads({
    doc: 'Return a snapshot.',
    args: { number: arg.count('Number of the snapshot', { default: 0 }), config },
    returns: ret.dict('The snapshot'),
    example: 'snapper.get_snapshot 1',
    run: (ctx, { number, config }) => snapshot(ctx, config, number),
  }),
  create_snapshot: changes({
    doc: 'Create a snapshot.',
    args: {
      config,
      snapshot_type: arg.text('single, pre or post', { default: 'single' }),
      pre_number: arg.count('Number of the snapshot before, for the type post', { optional: true }),
      description: arg.text('Description; the job if not given', { optional: true }),
      cleanup_algorithm: arg.text('Cleanup algorithm', { default: 'number' }),
      userdata,
      kwargs: arg.open('Keywords of the publication'),
    },
    returns: ret.any('Number of the snapshot'),
    run: create,
  }),
  create_baseline: changes({
    doc: 'Create a snapshot that is marked as a baseline.',
    args: { tag: arg.text('Tag of the baseline', { default: 'baseline' }), config },
    returns: ret.any('Number of the snapshot'),
    example: 'snapper.create_baseline my_custom_baseline',
    run: (ctx, { tag, config }) => {
      const about = { snapshot_type: 'single', pre_number: null, description: 'baseline snapshot' }
      const data = new Map<Value, Value>([['baseline_tag', tag]])
      return create(ctx, { config, ...about, cleanup_algorithm: 'number', userdata: data, kwargs: new Map() })
    },
  }),
  delete_snapshot: changes({
    doc: 'Delete snapshots.',
    args: { snapshots_ids: arg.any('Number of a snapshot, or a list of numbers', { optional: true }), config },
    returns: ret.dict('The deleted snapshots'),
    example: 'snapper.delete_snapshot 54',
    run: (ctx, { snapshots_ids, config }) => remove(ctx, snapshots_ids, config),
  }),
  modify_snapshot: changes({
    doc: 'Change description, further data or cleanup algorithm of a snapshot.',
    args: {
      snapshot_id: arg.count('Number of the snapshot', { optional: true }),
      description: arg.text('New description', { optional: true }),
      userdata,
      cleanup: arg.text('New cleanup algorithm', { optional: true }),
      config,
    },
    returns: ret.dict('The snapshot'),
    example: 'snapper.modify_snapshot 54 description="my snapshot description"',
    run: async (ctx, { snapshot_id, description, userdata, cleanup, config }) => {
      if (!snapshot_id) throw failure('Error: No snapshot ID has been provided')
      const held = await snapshot(ctx, config, snapshot_id)
      const data = userdata === null ? (held.get('userdata') as Dict) : dictOf(userdata)
      const texts = [description ?? str(held.get('description')!), cleanup ?? str(held.get('cleanup')!)]
      await callService(ctx, 'SetSnapshot', 'sussa{ss}', config, String(snapshot_id), ...texts, ...dictWords(data))
      return snapshot(ctx, config, snapshot_id)
    },
  }),
  run: changes({
    doc: 'Run a function between two snapshots.',
    args: {
      function: arg.text('Function'),
      args: arg.rest('Arguments of the function'),
      kwargs: arg.open(
        'Keywords of the function; config, description, cleanup_algorithm and userdata of the snapshots',
      ),
    },
    returns: ret.any('What the function returns'),
    example: 'snapper.run file.append args=\'["/etc/motd", "some text"]\'',
    run: (ctx, given) => runBetween(ctx, given.function, given.args, given.kwargs),
  }),
}

const comparing = {
  status: reads({
    doc: 'Return the files that differ between two snapshots.',
    args: { config, num_pre, num_post },
    returns: ret.dict('How they differ, by path'),
    example: 'snapper.status num_pre=19 num_post=20',
    run: async (ctx, { config, num_pre, num_post }) => {
      const found = await changesOf(ctx, await intervalOf(ctx, config, num_pre, num_post))
      return new Map([...found].map(([path, status]): [Value, Value] => [path, new Map([['status', status]])]))
    },
  }),
  changed_files: reads({
    doc: 'Return the paths of the files that differ between two snapshots.',
    args: { config, num_pre, num_post },
    returns: ret.texts('The paths'),
    example: 'snapper.changed_files num_pre=19 num_post=20',
    run: async (ctx, { config, num_pre, num_post }) => [
      ...(await changesOf(ctx, await intervalOf(ctx, config, num_pre, num_post))).keys(),
    ],
  }),
  undo: changes({
    doc: 'Undo the changes of files between two snapshots.',
    args: { config, files: arg.words('Files; all that differ if not given', { optional: true }), num_pre, num_post },
    returns: ret.dict('How many files were created, changed and deleted'),
    run: async (ctx, { config, files, num_pre, num_post }) =>
      undo(ctx, await intervalOf(ctx, config, num_pre, num_post), files ?? []),
  }),
  undo_jid: changes({
    doc: 'Undo the changes that a job made.',
    args: { jid, config },
    returns: ret.dict('How many files were created, changed and deleted'),
    example: 'snapper.undo_jid 20160607130930720112',
    run: async (ctx, { jid, config }) => undo(ctx, await intervalOfJob(ctx, jid, config), []),
  }),
  diff: reads({
    doc: 'Return how files differ between two snapshots.',
    args: { config, filename: arg.text('Path of one file; all if not given', { optional: true }), num_pre, num_post },
    returns: ret.dict('Comment and difference, by path'),
    example: 'snapper.diff filename=/var/log/snapper.log num_pre=19 num_post=20',
    run: async (ctx, { config, filename, num_pre, num_post }) =>
      diff(ctx, await intervalOf(ctx, config, num_pre, num_post), filename),
  }),
  diff_jid: reads({
    doc: 'Return how files differ before and after a job.',
    args: { jid, config },
    returns: ret.dict('Comment and difference, by path'),
    example: 'snapper.diff_jid 20160607130930720112',
    run: async (ctx, { jid, config }) => diff(ctx, await intervalOfJob(ctx, jid, config), null),
  }),
  status_to_string: reads({
    doc: 'Return the words for a number that the service has for the changes of a file.',
    args: { dbus_status: arg.count('The number') },
    returns: ret.texts('The words'),
    example: 'snapper.status_to_string 9',
    run: (_ctx, { dbus_status }) => STATUS.filter((_, bit) => (dbus_status >> bit) % 2 === 1),
  }),
}

export default defineModule({
  name: 'snapper',
  doc: 'Manage snapshots of file systems by snapper.',
  when: async ({ host }) =>
    ((await host.which('snapper')) !== undefined && (await host.which('busctl')) !== undefined) ||
    'The snapper module cannot be loaded: snapper is missing',
  functions: { ...settings, ...taking, ...comparing },
})
