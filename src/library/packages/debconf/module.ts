// Answers to the questions of packages, through debconf-utils.
import { str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, oneLine, reads, ret, runAll } from '../../../sdk/mod.ts'
import { saltenv } from '../common/params.ts'

const ANSWER = /^([^#]\S+)[\t ]+(\S+)[\t ]+(\S+)[\t ]+([^\n]*)$/gm

async function selections(ctx: FunctionContext, withEmpty: boolean): Promise<Map<string, Value[]>> {
  const { stdout } = await runAll(ctx, 'debconf-get-selections')
  const found = new Map<string, Value[]>()
  for (const [, name, question, type, value] of stdout.matchAll(ANSWER)) {
    if (!withEmpty && value === '') continue
    found.set(name!, [...(found.get(name!) ?? []), [question!, type!, value!]])
  }
  return found
}

const load = (ctx: FunctionContext, path: string) => runAll(ctx, ['debconf-set-selections', path])

async function setFile(ctx: FunctionContext, path: Value, saltenv: string): Promise<boolean> {
  const cached = await ctx.call('cp.cache_file', [path, saltenv])
  if (!truthy(cached)) return false
  await load(ctx, str(cached))
  return true
}

async function setAnswer(ctx: FunctionContext, words: readonly Value[]): Promise<true> {
  const path = await ctx.host.tempFile({ prefix: 'salt-' })
  try {
    await ctx.host.write(path, oneLine('An answer of debconf', words.map(str).join(' ')))
    await load(ctx, path)
  } finally {
    await ctx.host.remove(path)
  }
  return true
}

const pkg = arg.text('Package name')

export default defineModule({
  name: 'debconfmod',
  virtual: 'debconf',
  doc: 'Manage the answers of debconf.',
  when: async ({ grains, host }) => {
    if (grains.get('os_family') !== 'Debian') return 'The debconfmod module could not be loaded: unsupported OS family'
    const found = (await host.which('debconf-get-selections')) !== undefined
    return found || 'The debconfmod module could not be loaded: debconf-utils is not installed.'
  },
  functions: {
    get_selections: reads({
      doc: 'List all answers.',
      args: { fetchempty: arg.flag('List empty answers too', { default: true }) },
      returns: ret.dict('Question, type and value of each answer, by package name'),
      run: async (ctx, { fetchempty }) => new Map<Value, Value>(await selections(ctx, fetchempty)),
    }),
    show: reads({
      doc: 'List the answers for a package.',
      args: { name: pkg },
      returns: ret.optional(
        ret.list('Question, type and value of each answer; None for a package that debconf does not know'),
      ),
      example: 'debconf.show tzdata',
      run: async (ctx, { name }) => (await selections(ctx, true)).get(name) ?? null,
    }),
    set: changes({
      doc: 'Set an answer for a package.',
      calledAs: 'set_',
      args: {
        package: pkg,
        question: arg.text('Question, such as `dash/sh`'),
        type: arg.text('Type of the answer, such as `boolean` or `select`'),
        value: arg.any('Answer; a value that is not a text is written as `str()` writes it'),
        extra: arg.rest('Further words of the answer'),
      },
      returns: ret.boolean('True'),
      example: 'debconf.set dash dash/sh boolean true',
      run: (ctx, { package: name, question, type, value, extra }) =>
        setAnswer(ctx, [name, question, type, value, ...extra]),
    }),
    set_template: changes({
      doc: 'Set answers from a template.',
      args: {
        path: arg.text('Path or URL of the template'),
        template: arg.any('Template engine, such as `jinja`; None for none'),
        context: arg.any('Dict of variables, or None'),
        defaults: arg.any('Dict of default variables; `context` takes precedence'),
        saltenv,
        kwargs: arg.open('Further variables'),
      },
      returns: ret.boolean('Whether the file was found'),
      example: 'debconf.set_template salt://pathto/pkg.selections.jinja jinja None None',
      run: async (ctx, { path, template, context, defaults, saltenv, kwargs }) => {
        const request = { path, dest: null, template, saltenv, context, defaults }
        const rendered = await ctx.call('cp.get_template', [], new Map([...kwargs, ...Object.entries(request)]))
        return setFile(ctx, rendered, saltenv)
      },
    }),
    set_file: changes({
      doc: 'Set answers from a file.',
      args: { path: arg.text('Path or URL of the file'), saltenv, kwargs: arg.ignored() },
      returns: ret.boolean('Whether the file was found'),
      example: 'debconf.set_file salt://pathto/pkg.selections',
      run: (ctx, { path, saltenv }) => setFile(ctx, path, saltenv),
    }),
  },
})
