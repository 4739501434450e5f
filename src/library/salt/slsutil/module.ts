// Functions for SLS files and templates: merge, render, serialize, search files.
import { normalize } from 'node:path/posix'
import { contains, failure, iterate, merge, misuse, str, update, type Value } from '../../../data/mod.ts'
import { arg, type Bound, callSerializer, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { banner } from './slsutil-banner.ts'

const strategy = {
  strategy: arg.text('Strategy: smart, aggregate, recurse, overwrite, list or none', { default: 'smart' }),
  renderer: arg.string('Renderer of the data, by which `smart` chooses a strategy', { default: 'yaml' }),
  merge_lists: arg.boolean('Append to lists in place of replacing them', { default: false }),
}

function mergeBy(ctx: FunctionContext, a: Value, b: Value, options: Bound<typeof strategy>): Value {
  const warn = (message: string): void => ctx.log('warning', message)
  // an unknown strategy, such as None, merges like the default
  return merge(a, b, { strategy: options.strategy, renderer: options.renderer, mergeLists: options.merge_lists, warn })
}

const renderArgs = {
  path: arg.text('Path of a file, or its URL on the file server', { optional: true }),
  string: arg.text('Text to render', { optional: true }),
  default_renderer: arg.string('Renderer pipe, unless the text begins with a shebang line', { default: 'jinja|yaml' }),
  kwargs: arg.open('Template variables; `saltenv`, `sls` and `context` have their usual meaning'),
}

async function render(ctx: FunctionContext, args: Bound<typeof renderArgs>): Promise<Value> {
  const { path, string, default_renderer: renderer, kwargs } = args
  if (path && string) throw misuse('Must not pass both path and string.')
  const { saltenv = 'base', sls = '', context = new Map(), ...rest } = Object.fromEntries(kwargs)
  const variables = new Map(Object.entries(rest))
  if (context instanceof Map) for (const [name, value] of context) variables.set(str(name), value)
  const request = { renderer, saltenv: str(saltenv), sls: str(sls), context: variables }
  if (string) return ctx.render({ ...request, text: string })
  if (!path) throw misuse('Must pass path or string.')
  if (path.startsWith('/') && (await ctx.host.stat(path))?.type !== 'file') {
    ctx.log('error', `Template does not exist: ${path}`)
    return new Map()
  }
  const text = await ctx.call('cp.get_url', [path, null], { saltenv })
  return ctx.render({ ...request, text: str(text), path, from: path })
}

/** Leave out the keywords of the publication. */
function withoutPublished(kwargs: ReadonlyMap<string, Value>): Map<string, Value> {
  return new Map([...kwargs].filter(([name]) => !name.startsWith('__')))
}

/** Return the paths of the file server, listed once for each environment. */
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

const fileExists = async (ctx: FunctionContext, path: string, saltenv: string): Promise<boolean> =>
  contains(await listing(ctx, 'list_master', saltenv), path)

const dirExists = async (ctx: FunctionContext, path: string, saltenv: string): Promise<boolean> =>
  contains(await listing(ctx, 'list_master_dirs', saltenv), path)

const pathExists = async (ctx: FunctionContext, path: string, saltenv: string): Promise<boolean> =>
  (await fileExists(ctx, path, saltenv)) || (await dirExists(ctx, path, saltenv))

async function findup(ctx: FunctionContext, startpath: string, filenames: Value, saltenv: string): Promise<string> {
  let folder = startpath === '' ? '' : normalize(startpath).replace(/(.)\/$/, '$1')
  if (folder !== '' && !(await pathExists(ctx, folder, saltenv))) {
    throw misuse(`Starting path not found in the state tree: ${folder}`)
  }
  const names = typeof filenames === 'string' ? [filenames] : filenames
  if (!Array.isArray(names)) {
    throw misuse('Filenames argument must be a string or list of strings')
  }
  for (;;) {
    for (const name of names) {
      const path = folder === '' ? str(name) : `${folder}/${str(name)}`
      if (await pathExists(ctx, path, saltenv)) return path
    }
    if (folder === '') throw failure('File pattern(s) not found in path ancestry')
    folder = folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : ''
  }
}

const saltenv = arg.string('Environment of the file server', { default: 'base' })

function existence(what: string, test: typeof fileExists) {
  return reads({
    doc: `Return whether the state tree has a ${what}.`,
    args: { path: arg.text('Path in the state tree'), saltenv },
    returns: ret.boolean('Whether the path exists'),
    example: `slsutil.${what}_exists nginx`,
    run: (ctx, { path, saltenv }) => test(ctx, path, saltenv),
  })
}

export default defineModule({
  name: 'slsutil',
  doc: 'Functions for use in SLS files.',
  examples: 'given',
  functions: {
    update: reads({
      doc: 'Merge a dict into another dict, and return the changed dict.',
      args: {
        dest: arg.any('Dict to change; other types are refused'),
        upd: arg.any('Dict to merge into `dest`; other types are refused'),
        recursive_update: arg.boolean('Merge nested dicts', { default: true }),
        merge_lists: arg.boolean('Append to lists in place of replacing them', { default: false }),
      },
      returns: ret.dict('Changed dict'),
      example: "slsutil.update '{foo: Foo}' '{bar: Bar}'",
      run: (_ctx, { dest, upd, recursive_update, merge_lists }) =>
        update(dest, upd, { recursive: recursive_update, mergeLists: merge_lists }),
    }),
    merge: reads({
      doc: 'Merge two values by a strategy.',
      args: { obj_a: arg.any('Value of any type'), obj_b: arg.any('Value to merge over it'), ...strategy },
      returns: ret.any('Merged value'),
      example: "slsutil.merge '{foo: Foo}' '{bar: Bar}'",
      run: (ctx, { obj_a, obj_b, ...how }) => mergeBy(ctx, obj_a, obj_b, how),
    }),
    merge_all: reads({
      doc: 'Merge a list of values in order.',
      args: { lst: arg.any('List of values, or another iterable'), ...strategy },
      returns: ret.any('Merged value'),
      example: "slsutil.merge_all '[{foo: Foo}, {foo: Bar}]'",
      run: (ctx, { lst, ...how }) => {
        let result: Value = new Map()
        for (const value of iterate(lst)) result = mergeBy(ctx, result, value, how)
        return result
      },
    }),
    renderer: reads({
      doc: 'Render text, or a file of the file server.',
      args: renderArgs,
      returns: ret.any('Result of the last renderer'),
      examples: [
        "salt '*' slsutil.renderer salt://path/to/file",
        "salt '*' slsutil.renderer string='Hi {{ name }}' name=you",
      ],
      run: render,
    }),
    serialize: reads({
      doc: 'Serialize a value.',
      args: {
        serializer: arg.string('Format, such as json, yaml or yamlex'),
        obj: arg.any('Value of any type'),
        mod_kwargs: arg.open('Options of the format, such as `indent` or `default_flow_style`'),
      },
      returns: ret.any('Text, or bytes'),
      example: "--no-parse=obj slsutil.serialize 'json' obj=\"{'foo': 'Foo!'}\"",
      run: (ctx, { serializer, obj, mod_kwargs }) =>
        callSerializer(ctx, [serializer, 'serialize'], obj, withoutPublished(mod_kwargs)),
    }),
    deserialize: reads({
      doc: 'Deserialize text.',
      args: {
        serializer: arg.string('Format, such as json, yaml or yamlex'),
        stream_or_string: arg.any('Text, or bytes'),
        mod_kwargs: arg.open('Options of a format that is not built in; built-in ones have none'),
      },
      returns: ret.any('Value'),
      example: 'slsutil.deserialize json \'{"foo": "Foo!"}\'',
      run: (ctx, { serializer, stream_or_string, mod_kwargs }) =>
        callSerializer(ctx, [serializer, 'deserialize'], stream_or_string, withoutPublished(mod_kwargs)),
    }),
    banner: reads({
      doc: 'Return a comment block that says that a file is managed.',
      args: {
        width: arg.integer('Width of the block in columns', { default: 72 }),
        commentchar: arg.string('Text at the start of each line', { default: '#' }),
        borderchar: arg.string('Character of the border', { default: '#' }),
        blockstart: arg.string('Line before the block', { optional: true }),
        blockend: arg.string('Line after the block', { optional: true }),
        title: arg.string('Title, centred at the top', { optional: true }),
        text: arg.string('Text below the title', { optional: true }),
        newline: arg.boolean('End with a line break', { default: false }),
      },
      returns: ret.string('Comment block'),
      run: (_ctx, options) => banner(options),
    }),
    boolstr: reads({
      doc: 'Return one of two values, by the truth of a value.',
      args: {
        value: arg.flag('Value, by its truth'),
        true: arg.any('Result for a true value, of any type', { default: 'true' }),
        false: arg.any('Result for a false value, of any type', { default: 'false' }),
      },
      returns: ret.any('Chosen value'),
      run: (_ctx, { value, true: yes, false: no }) => (value ? yes : no),
    }),
    file_exists: existence('file', fileExists),
    dir_exists: existence('dir', dirExists),
    path_exists: existence('path', pathExists),
    findup: reads({
      doc: 'Return the nearest of some files, in a folder of the state tree or in a folder above it.',
      args: {
        startpath: arg.text('Folder where the search begins; empty for the top of the tree'),
        filenames: arg.any('File name, or a list of names'),
        saltenv,
      },
      returns: ret.string('Path of the file'),
      example: 'slsutil.findup formulas/shared/nginx map.jinja',
      run: (ctx, { startpath, filenames, saltenv }) => findup(ctx, startpath, filenames, saltenv),
    }),
  },
})
