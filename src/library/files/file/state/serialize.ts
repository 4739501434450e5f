// A file with data in a format.
import { type Dict, dictFrom, dictHas, equals, isDict, merge, str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type Bound, expandUser, isFile, type StateContext, state } from '../../../../sdk/mod.ts'
import { offered } from '../managed-request.ts'
import { normalizeMode } from '../modes.ts'
import { type Answer, asDict, begin, fail, fromDict, messageOf } from './answer.ts'
import { refusal } from './check-cmd.ts'
import { removeFile, scratchFile } from './managed.ts'
import { optionsOf, type Serializer, serializerOf } from './serializers.ts'

const serializeArgs = {
  name: arg.string('Path of the file'),
  dataset: arg.any('Data of any type', { optional: true }),
  dataset_pillar: arg.text('Pillar key of the data', { optional: true }),
  ...offered('user', 'group', 'mode', 'backup', 'makedirs', 'show_changes'),
  create: arg.flag('Create the file when it does not exist', { default: true }),
  merge_if_exists: arg.flag('Merge the data into that of the file', { default: false }),
  ...offered('encoding', 'encoding_errors'),
  serializer: arg.text('Format: `yaml`, `json`, `msgpack`, `configparser` …; by default `yaml`', { optional: true }),
  serializer_opts: arg.any('Options for writing the format: a list of dicts', { optional: true }),
  deserializer_opts: arg.any('Options for reading the format: a list of dicts', { optional: true }),
  check_cmd: arg.text('Command that must succeed on the new file before it is put in place', { optional: true }),
  tmp_dir: arg.text('Directory of the temporary file that `check_cmd` checks', { optional: true }),
  tmp_ext: arg.text('Extension of that temporary file', { default: '' }),
  kwargs: arg.ignored('`formatter` for `serializer`; other keywords are ignored'),
}

type Options = Bound<typeof serializeArgs>

const DEFAULTS: ReadonlyMap<string, ReadonlyArray<[string, Value]>> = new Map([
  ['yaml', [['default_flow_style', false]]],
  [
    'json',
    [
      ['indent', 2],
      ['separators', [',', ': ']],
      ['sort_keys', true],
    ],
  ],
])

function writeOptions(format: string, options: Options): Map<string, Value> {
  const chosen = new Map<string, Value>(DEFAULTS.get(format) ?? [])
  if (options.encoding) {
    if (format === 'yaml') chosen.set('allow_unicode', true)
    if (format === 'json') chosen.set('ensure_ascii', false)
  }
  return new Map([...chosen, ...optionsOf(options.serializer_opts)])
}

/** Return the keys whose values differ, with the new and the old value. */
function dataDiff(fresh: Dict, old: Dict): Dict {
  const found: Dict = new Map()
  for (const [key, value] of fresh) {
    const before = old.get(key)
    if (!dictHas(old, key)) found.set(key, dictFrom({ new: value, old: '<_null_>' }))
    else if (isDict(value) && isDict(before!)) {
      const inner = dataDiff(value, before)
      if (inner.size > 0) found.set(key, inner)
    } else if (!equals(value, before!)) found.set(key, dictFrom({ new: value, old: before! }))
  }
  return found
}

interface Dataset {
  data: Value
  /** The data of the file, if the new data was merged into it. */
  old?: Value
}

async function mergeExisting(
  ctx: StateContext,
  path: string,
  data: Value,
  read: NonNullable<Serializer['read']>,
  options: Options,
): Promise<Dataset> {
  const old = await read(await ctx.host.read(path), optionsOf(options.deserializer_opts))
  return old === null ? { data } : { data: merge(old, data, { strategy: 'recurse' }), old }
}

async function writeFile(ctx: StateContext, target: string, answer: Answer, contents: Value, options: Options) {
  const { user, group, backup, makedirs, show_changes, encoding, encoding_errors } = options
  const content = { name: target, sfn: '', ret: asDict(answer), source: null, source_sum: new Map(), contents }
  const owner = { user, group, mode: normalizeMode(options.mode), attrs: null }
  const placing = { saltenv: ctx.env, backup, makedirs, template: null, show_changes, encoding, encoding_errors }
  const wanted = { ...content, ...owner, ...placing }
  return fromDict(await ctx.call('file.manage_file', [], wanted))
}

async function predict(ctx: StateContext, answer: Answer, path: string, contents: Value, options: Options) {
  const further = new Map([...options.kwargs].filter(([key]) => key !== 'env' && key !== 'formatter'))
  const source = { source: null, source_hash: new Map(), source_hash_name: null, contents, skip_verify: false }
  const owner = { user: options.user, group: options.group, mode: normalizeMode(options.mode), attrs: null }
  const rendering = { template: null, context: null, defaults: null, saltenv: ctx.env }
  const wanted = { ...Object.fromEntries(further), name: path, ...source, ...owner, ...rendering }
  const changes = (await ctx.call('file.check_managed_changes', [], wanted)) as Dict
  if (!truthy(changes)) return { ...answer, comment: `The file ${path} is in the correct state` }
  if (!options.show_changes) changes.set('diff', '<show_changes=False>')
  return { ...answer, changes, result: null, comment: `Dataset will be serialized and stored into ${path}` }
}

/** Run `check_cmd` on the new content; return the report of a failure. */
async function tryOut(ctx: StateContext, answer: Answer, path: string, contents: Value, options: Options) {
  const scratch = await scratchFile(ctx, path, options)
  try {
    const tried = await writeFile(ctx, scratch, { ...answer, changes: new Map() }, contents, options)
    const refused = tried.changes.size > 0 ? await refusal(ctx, str(options.check_cmd), scratch) : undefined
    return refused && fromDict(new Map([...asDict({ ...answer, changes: tried.changes }), ...refused]))
  } catch (error) {
    return fail(answer, `Unable to check_cmd file: ${messageOf(error)}`)
  } finally {
    await removeFile(ctx, scratch)
  }
}

async function datasetOf(ctx: StateContext, options: Options): Promise<Value> {
  const { dataset, dataset_pillar } = options
  return dataset_pillar ? ctx.call('pillar.get', [dataset_pillar], { unmask: false }) : dataset
}

async function store(ctx: StateContext, options: Options): Promise<Answer> {
  const path = await expandUser(ctx, options.name)
  const answer = begin(path)
  if (path === '') return fail(answer, 'Must provide name to file.serialize')
  if (!options.create && !(await isFile(ctx, path))) {
    return { ...answer, comment: `File ${path} is not present and is not set for creation` }
  }
  const formatter = options.kwargs.get('formatter') ?? null
  if (options.serializer && truthy(formatter)) {
    return fail(answer, 'Only one of serializer and formatter are allowed')
  }
  const name = (options.serializer || (truthy(formatter) ? str(formatter) : 'yaml')).toLowerCase()
  if (truthy(options.dataset) && options.dataset_pillar) {
    return fail(answer, "Only one of 'dataset' and 'dataset_pillar' is permitted")
  }
  const data = await datasetOf(ctx, options)
  if (data === null) return fail(answer, "Neither 'dataset' nor 'dataset_pillar' was defined")
  const serializer = await serializerOf(ctx, name)
  if (!serializer) {
    const reason = 'It either does not exist or its prerequisites are not installed.'
    return fail(answer, `The ${name} serializer could not be found. ${reason}`)
  }
  return writeData(ctx, answer, { data, name, serializer }, options)
}

interface Job {
  data: Value
  name: string
  serializer: Serializer
}

async function writeData(ctx: StateContext, answer: Answer, { data, name, serializer }: Job, options: Options) {
  const path = str(answer.name)
  let dataset: Dataset = { data }
  if (options.merge_if_exists) {
    if (await isFile(ctx, path)) {
      if (!serializer.read) return fail(answer, `merge_if_exists is not supported for the ${name} serializer`)
      try {
        dataset = await mergeExisting(ctx, path, data, serializer.read, options)
      } catch (error) {
        return fail(answer, `Failed to deserialize existing data: ${messageOf(error)}`)
      }
      if (dataset.old !== undefined && equals(dataset.old, dataset.data)) {
        return { ...answer, comment: `The file ${path} is in the correct state` }
      }
    }
  } else if (truthy(options.deserializer_opts)) {
    answer.warnings = ["The 'deserializer_opts' option is ignored unless merge_if_exists is set to True."]
  }
  const written = await serializer.write(dataset.data, writeOptions(name, options))
  const contents: Value = typeof written === 'string' ? `${written}\n` : written
  const refused = options.check_cmd && !ctx.test && (await tryOut(ctx, answer, path, contents, options))
  if (refused) return refused
  const report = ctx.test
    ? await predict(ctx, answer, path, contents, options)
    : await writeFile(ctx, path, answer, contents, options)
  const { old } = dataset
  if (old !== undefined && isDict(old) && isDict(dataset.data)) report.changes.set('diff', dataDiff(dataset.data, old))
  return report
}

export const serialize = state({
  doc: 'Ensure that a file has data in a format.',
  args: serializeArgs,
  run: store,
})
