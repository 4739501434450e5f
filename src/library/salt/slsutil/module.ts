// Merging, rendering and small texts for SLS files and templates.
import { normalize } from 'node:path/posix'
import { contains, iterate, merge, SaltError, str, truthy, update, type Value } from '../../../data/mod.ts'
import { arg, defineModule, deserialize, type FunctionContext, reads, ret, serialized } from '../../../sdk/mod.ts'
import { banner } from './slsutil-banner.ts'

const strategy = {
  strategy: arg.text('smart, aggregate, recurse, overwrite, list or none', { default: 'smart' }),
  renderer: arg.string('The pipe that made the data; decides what smart means', { default: 'yaml' }),
  merge_lists: arg.boolean('Complete lists in place of replacing them', { default: false }),
}

interface Strategy {
  strategy: Value
  renderer: string
  merge_lists: boolean
}

function mergeBy(ctx: FunctionContext, a: Value, b: Value, { strategy, renderer, merge_lists }: Strategy): Value {
  const warn = (message: string): void => ctx.log('warning', message)
  // what is no strategy, such as None, merges as the fallback does
  return merge(a, b, { strategy: str(strategy), renderer, mergeLists: merge_lists, warn })
}

async function render(
  ctx: FunctionContext,
  { path, string, renderer, further }: { path: Value; string: Value; renderer: string; further: Map<string, Value> },
): Promise<Value> {
  if (!truthy(path) && !truthy(string)) throw new SaltError('SaltInvocationError', 'Must pass path or string.')
  if (truthy(path) && truthy(string)) {
    throw new SaltError('SaltInvocationError', 'Must not pass both path and string.')
  }
  const { saltenv = 'base', sls = '', context = new Map(), ...rest } = Object.fromEntries(further)
  const variables = new Map(Object.entries(rest))
  if (context instanceof Map) for (const [name, value] of context) variables.set(str(name), value)
  const request = { renderer, saltenv: str(saltenv), sls: str(sls), context: variables }
  if (truthy(string)) return ctx.render({ ...request, text: str(string) })
  if (str(path).startsWith('/') && (await ctx.host.stat(str(path)))?.type !== 'file') {
    ctx.log('error', `Template does not exist: ${str(path)}`)
    return new Map()
  }
  const text = await ctx.call('cp.get_url', [path, null], { saltenv })
  return ctx.render({ ...request, text: str(text), path: str(path) })
}

/** Without the keywords that only tell who called. */
function withoutPublished(kwargs: ReadonlyMap<string, Value>): Map<string, Value> {
  return new Map([...kwargs].filter(([name]) => !name.startsWith('__')))
}

/** Paths of the file server, listed once for each environment. */
async function listing(
  ctx: FunctionContext,
  kind: 'list_master' | 'list_master_dirs',
  saltenv: string,
): Promise<Value> {
  const slot = `slsutil.${kind}.${saltenv}`
  let paths = ctx.memory.get(slot)
  if (paths === undefined) {
    paths = await ctx.call(`cp.${kind}`, [saltenv])
    ctx.memory.set(slot, paths)
  }
  return paths
}

const fileExists = async (ctx: FunctionContext, path: Value, saltenv: string): Promise<boolean> =>
  contains(await listing(ctx, 'list_master', saltenv), path)

const dirExists = async (ctx: FunctionContext, path: Value, saltenv: string): Promise<boolean> =>
  contains(await listing(ctx, 'list_master_dirs', saltenv), path)

const pathExists = async (ctx: FunctionContext, path: Value, saltenv: string): Promise<boolean> =>
  (await fileExists(ctx, path, saltenv)) || (await dirExists(ctx, path, saltenv))

async function findup(ctx: FunctionContext, startpath: string, filenames: Value, saltenv: string): Promise<string> {
  let folder = startpath === '' ? '' : normalize(startpath).replace(/(.)\/$/, '$1')
  if (folder !== '' && !(await pathExists(ctx, folder, saltenv))) {
    throw new SaltError('SaltInvocationError', `Starting path not found in the state tree: ${folder}`)
  }
  const names = typeof filenames === 'string' ? [filenames] : filenames
  if (!Array.isArray(names)) {
    throw new SaltError('SaltInvocationError', 'Filenames argument must be a string or list of strings')
  }
  for (;;) {
    for (const name of names) {
      const path = folder === '' ? str(name) : `${folder}/${str(name)}`
      if (await pathExists(ctx, path, saltenv)) return path
    }
    if (folder === '') throw new SaltError('CommandExecutionError', 'File pattern(s) not found in path ancestry')
    folder = folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : ''
  }
}

const saltenv = arg.string('The environment of the file server', { default: 'base' })

function existence(what: string, test: typeof fileExists) {
  return reads({
    doc: `Whether the state tree has a ${what} of that path.`,
    args: { path: arg.any('The path below the root'), saltenv },
    returns: ret.boolean('Whether it is there'),
    example: `slsutil.${what}_exists nginx`,
    run: (ctx, { path, saltenv }) => test(ctx, path, saltenv),
  })
}

export default defineModule({
  name: 'slsutil',
  doc: 'Functions for use in SLS files.',
  functions: {
    update: reads({
      doc: 'Merge a dict into another one, which is changed.',
      args: {
        dest: arg.any('The dict to change'),
        upd: arg.any('What is laid over it'),
        recursive_update: arg.boolean('Merge nested dicts, too', { default: true }),
        merge_lists: arg.boolean('Complete lists in place of replacing them', { default: false }),
      },
      returns: ret.dict('The changed dict'),
      example: "slsutil.update '{foo: Foo}' '{bar: Bar}'",
      run: (_ctx, { dest, upd, recursive_update, merge_lists }) =>
        update(dest, upd, { recursive: recursive_update, mergeLists: merge_lists }),
    }),
    merge: reads({
      doc: 'Merge two values by a strategy.',
      args: { obj_a: arg.any('The first value'), obj_b: arg.any('What is laid over it'), ...strategy },
      returns: ret.any('The merged value'),
      example: "slsutil.merge '{foo: Foo}' '{bar: Bar}'",
      run: (ctx, { obj_a, obj_b, ...how }) => mergeBy(ctx, obj_a, obj_b, how),
    }),
    merge_all: reads({
      doc: 'Merge a list of values in order.',
      args: { lst: arg.any('The values'), ...strategy },
      returns: ret.any('The merged value'),
      example: "slsutil.merge_all '[{foo: Foo}, {foo: Bar}]'",
      run: (ctx, { lst, ...how }) => {
        let result: Value = new Map()
        for (const value of iterate(lst)) result = mergeBy(ctx, result, value, how)
        return result
      },
    }),
    renderer: reads({
      doc: 'Run text, or a file of the file server, through a pipe of renderers.',
      args: {
        path: arg.text('The file', { optional: true }),
        string: arg.text('The text', { optional: true }),
        default_renderer: arg.string('The pipe used without a shebang line', { default: 'jinja|yaml' }),
        kwargs: arg.open('Template variables; `saltenv`, `sls` and `context` have their usual meaning'),
      },
      returns: ret.any('What the last renderer gives'),
      examples: [
        "salt '*' slsutil.renderer salt://path/to/file",
        "salt '*' slsutil.renderer string='Hi {{ name }}' name=you",
      ],
      run: (ctx, { path, string, default_renderer, kwargs }) =>
        render(ctx, { path, string, renderer: default_renderer, further: kwargs }),
    }),
    serialize: reads({
      doc: 'A value as text in a format: json, yaml or yamlex.',
      args: {
        serializer: arg.string('The format'),
        obj: arg.any('The value'),
        mod_kwargs: arg.open('Options of the format, such as indent or default_flow_style'),
      },
      returns: ret.any('The text, or bytes'),
      example: "--no-parse=obj slsutil.serialize 'json' obj=\"{'foo': 'Foo!'}\"",
      run: (_ctx, { serializer, obj, mod_kwargs }) => serialized(serializer, obj, withoutPublished(mod_kwargs)),
    }),
    deserialize: reads({
      doc: 'The value that a text in a format stands for.',
      args: {
        serializer: arg.string('The format'),
        stream_or_string: arg.any('The text'),
        mod_kwargs: arg.open('Options of the format; none matters when reading'),
      },
      returns: ret.any('The value'),
      example: 'slsutil.deserialize json \'{"foo": "Foo!"}\'',
      run: (_ctx, { serializer, stream_or_string }) => deserialize(serializer, stream_or_string),
    }),
    banner: reads({
      doc: 'A comment block that says a file is managed.',
      args: {
        width: arg.integer('Columns of the block', { default: 72 }),
        commentchar: arg.string('Begins each line', { default: '#' }),
        borderchar: arg.string('Makes the border', { default: '#' }),
        blockstart: arg.string('A line before the block', { optional: true }),
        blockend: arg.string('A line after the block', { optional: true }),
        title: arg.string('Centred at the top', { optional: true }),
        text: arg.string('Below the title', { optional: true }),
        newline: arg.boolean('End with a line break', { default: false }),
      },
      returns: ret.string('The block'),
      run: (_ctx, options) => banner(options),
    }),
    boolstr: reads({
      doc: 'One of two texts, by whether a value is true.',
      args: {
        value: arg.any('The value'),
        true: arg.any('For a true value', { default: 'true' }),
        false: arg.any('For any other', { default: 'false' }),
      },
      returns: ret.any('The text'),
      run: (_ctx, { value, true: yes, false: no }) => (truthy(value) ? yes : no),
    }),
    file_exists: existence('file', fileExists),
    dir_exists: existence('dir', dirExists),
    path_exists: existence('path', pathExists),
    findup: reads({
      doc: 'The nearest of some files, in a folder of the state tree or one above it.',
      args: {
        startpath: arg.text('Where the search begins; nothing means the top of the tree'),
        filenames: arg.any('A name, or a list of names'),
        saltenv,
      },
      returns: ret.string('The path found'),
      example: 'slsutil.findup formulas/shared/nginx map.jinja',
      run: (ctx, { startpath, filenames, saltenv }) => findup(ctx, startpath ? startpath : '', filenames, saltenv),
    }),
  },
})
