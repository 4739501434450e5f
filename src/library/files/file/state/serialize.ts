// A file with data in some format.
import { type Dict, dictHas, equals, isDict, merge, str, textOf, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type StateContext, state } from '../../../../sdk/mod.ts'
import { type Answer, asDict, begin, dict, fail, fromDict, messageOf } from './answer.ts'
import { refusal } from './check-cmd.ts'
import { removeFile, scratchFile } from './managed.ts'
import { normalizeMode } from './modes.ts'
import { expandUser, isFile } from './paths.ts'
import { optionsOf, type Serializer, serializerOf } from './serializers.ts'

type Options = Record<string, Value> & { name: string; kwargs: ReadonlyMap<string, Value> }

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
  if (truthy(options['encoding']!)) {
    if (format === 'yaml') chosen.set('allow_unicode', true)
    if (format === 'json') chosen.set('ensure_ascii', false)
  }
  return new Map([...chosen, ...optionsOf(options['serializer_opts']!)])
}

/** What of the new data the old has not: new and old value of each key. */
function dataDiff(fresh: Dict, old: Dict): Dict {
  const found: Dict = new Map()
  for (const [key, value] of fresh) {
    const before = old.get(key)
    if (!dictHas(old, key)) found.set(key, dict({ new: value, old: '<_null_>' }))
    else if (isDict(value) && isDict(before!)) {
      const inner = dataDiff(value, before)
      if (inner.size > 0) found.set(key, inner)
    } else if (!equals(value, before!)) found.set(key, dict({ new: value, old: before! }))
  }
  return found
}

interface Dataset {
  data: Value
  /** What the file held, where it was merged. */
  old?: Value
}

async function mergeExisting(
  ctx: StateContext,
  path: string,
  data: Value,
  read: NonNullable<Serializer['read']>,
  options: Options,
): Promise<Dataset> {
  const old = await read(await ctx.host.read(path), optionsOf(options['deserializer_opts']!))
  return old === null ? { data } : { data: merge(old, data, { strategy: 'recurse' }), old }
}

async function writeFile(ctx: StateContext, target: string, answer: Answer, contents: Value, options: Options) {
  const { user, group, backup, makedirs, show_changes, encoding, encoding_errors } = options
  const wanted = new Map<string, Value>([
    ['name', target],
    ['sfn', ''],
    ['ret', asDict(answer)],
    ['source', null],
    ['source_sum', new Map()],
    ['user', user!],
    ['group', group!],
    ['mode', normalizeMode(options['mode']!)],
    ['attrs', null],
    ['saltenv', ctx.env],
    ['backup', backup!],
    ['makedirs', makedirs!],
    ['template', null],
    ['show_changes', show_changes!],
    ['encoding', encoding!],
    ['encoding_errors', encoding_errors!],
    ['contents', contents],
  ])
  return fromDict(await ctx.call('file.manage_file', [], wanted))
}

async function predict(ctx: StateContext, answer: Answer, path: string, contents: Value, options: Options) {
  const further = new Map([...options.kwargs].filter(([key]) => key !== 'env' && key !== 'formatter'))
  const wanted: Array<[string, Value]> = [
    ['name', path],
    ['source', null],
    ['source_hash', new Map()],
    ['source_hash_name', null],
    ['user', options['user']!],
    ['group', options['group']!],
    ['mode', normalizeMode(options['mode']!)],
    ['attrs', null],
    ['template', null],
    ['context', null],
    ['defaults', null],
    ['saltenv', ctx.env],
    ['contents', contents],
    ['skip_verify', false],
  ]
  const changes = (await ctx.call('file.check_managed_changes', [], new Map([...further, ...wanted]))) as Dict
  if (!truthy(changes)) return { ...answer, comment: `The file ${path} is in the correct state` }
  if (!truthy(options['show_changes']!)) changes.set('diff', '<show_changes=False>')
  return { ...answer, changes, result: null, comment: `Dataset will be serialized and stored into ${path}` }
}

/** Tries `check_cmd` on the new content: a report when it does not pass. */
async function tryOut(ctx: StateContext, answer: Answer, path: string, contents: Value, options: Options) {
  const scratch = await scratchFile(ctx, path, {
    tmp_dir: textOf(options['tmp_dir']!) ?? null,
    tmp_ext: str(options['tmp_ext']!),
  })
  try {
    const tried = await writeFile(ctx, scratch, { ...answer, changes: new Map() }, contents, options)
    const refused = tried.changes.size > 0 ? await refusal(ctx, options['check_cmd']!, scratch) : undefined
    return refused && fromDict(new Map([...asDict({ ...answer, changes: tried.changes }), ...refused]))
  } catch (error) {
    return fail(answer, `Unable to check_cmd file: ${messageOf(error)}`)
  } finally {
    await removeFile(ctx, scratch)
  }
}

async function datasetOf(ctx: StateContext, options: Options): Promise<Value | undefined> {
  const { dataset, dataset_pillar } = options
  return truthy(dataset_pillar!) ? ctx.call('pillar.get', [dataset_pillar!], { unmask: false }) : dataset!
}

async function store(ctx: StateContext, options: Options): Promise<Answer> {
  const path = await expandUser(ctx, options.name)
  const answer = begin(path)
  if (path === '') return fail(answer, 'Must provide name to file.serialize')
  if (!truthy(options['create']!) && !(await isFile(ctx, path))) {
    return { ...answer, comment: `File ${path} is not present and is not set for creation` }
  }
  const formatter = options.kwargs.get('formatter') ?? null
  if (truthy(options['serializer']!) && truthy(formatter)) {
    return fail(answer, 'Only one of serializer and formatter are allowed')
  }
  const format = [options['serializer']!, formatter].map((each) => (truthy(each) ? str(each).toLowerCase() : ''))
  const name = format.find((each) => each !== '') ?? 'yaml'
  if (truthy(options['dataset']!) && truthy(options['dataset_pillar']!)) {
    return fail(answer, "Only one of 'dataset' and 'dataset_pillar' is permitted")
  }
  const data = await datasetOf(ctx, options)
  if (data === null) return fail(answer, "Neither 'dataset' nor 'dataset_pillar' was defined")
  const serializer = serializerOf(name)
  if (!serializer) {
    const reason = 'It either does not exist or its prerequisites are not installed.'
    return fail(answer, `The ${name} serializer could not be found. ${reason}`)
  }
  return writeData(ctx, answer, { data: data!, name, serializer }, options)
}

interface Job {
  data: Value
  name: string
  serializer: Serializer
}

async function writeData(ctx: StateContext, answer: Answer, { data, name, serializer }: Job, options: Options) {
  const path = str(answer.name)
  let dataset: Dataset = { data }
  if (truthy(options['merge_if_exists']!)) {
    if (await isFile(ctx, path)) {
      try {
        dataset = await mergeExisting(ctx, path, data, serializer.read, options)
      } catch (error) {
        return fail(answer, `Failed to deserialize existing data: ${messageOf(error)}`)
      }
      if (dataset.old !== undefined && equals(dataset.old, dataset.data)) {
        return { ...answer, comment: `The file ${path} is in the correct state` }
      }
    }
  } else if (truthy(options['deserializer_opts']!)) {
    answer.warnings = ["The 'deserializer_opts' option is ignored unless merge_if_exists is set to True."]
  }
  const written = await serializer.write(dataset.data, writeOptions(name, options))
  const contents: Value = typeof written === 'string' ? `${written}\n` : written
  const refused = truthy(options['check_cmd']!) && !ctx.test && (await tryOut(ctx, answer, path, contents, options))
  if (refused) return refused
  const report = ctx.test
    ? await predict(ctx, answer, path, contents, options)
    : await writeFile(ctx, path, answer, contents, options)
  const { old } = dataset
  if (old !== undefined && isDict(old) && isDict(dataset.data)) report.changes.set('diff', dataDiff(dataset.data, old))
  return report
}

const optional = (doc: string) => arg.any(doc, { optional: true })
const empty = (doc: string) => arg.any(doc, { default: '' })
const on = (doc: string) => arg.any(doc, { default: true })
const off = (doc: string) => arg.any(doc, { default: false })

export const serialize = state({
  doc: 'Write data to a file in some format.',
  args: {
    name: arg.string('The path'),
    dataset: optional('The data'),
    dataset_pillar: optional('The pillar key of the data'),
    user: optional('The owner'),
    group: optional('The group'),
    mode: optional('The mode'),
    backup: empty('Keep the old file: `minion`'),
    makedirs: off('Make the directories above it'),
    show_changes: on('Tell the differences'),
    create: arg.flag('Make the file when it is not there', { default: true }),
    merge_if_exists: arg.flag('Merge the data into what the file has', { default: false }),
    encoding: optional('The encoding of the file'),
    encoding_errors: arg.any('What to do with what cannot be encoded', { default: 'strict' }),
    serializer: optional('The format: `yaml`, `json`, `msgpack`, `configparser`, …'),
    serializer_opts: optional('Options of the format, for writing'),
    deserializer_opts: optional('Options of the format, for reading'),
    check_cmd: arg.text('A command that must succeed on the new file before it is put in place', { optional: true }),
    tmp_dir: arg.text('Where `check_cmd` sees the file', { optional: true }),
    tmp_ext: arg.text('How the name of that file ends', { default: '' }),
    kwargs: arg.ignored('`formatter` for `serializer`; the rest is ignored'),
  },
  run: (ctx, args) => store(ctx, args as unknown as Options),
})
