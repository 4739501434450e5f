// Answers to the questions that packages ask when they are configured: debconf, through debconf-utils.
import { type Dict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret, runAll } from '../../../sdk/mod.ts'

const ANSWER = /^([^#]\S+)[\t ]+(\S+)[\t ]+(\S+)[\t ]+([^\n]*)$/gm

async function selections(ctx: FunctionContext, withEmpty: boolean): Promise<Dict> {
  const { stdout } = await runAll(ctx, 'debconf-get-selections')
  const found: Dict = new Map()
  for (const [, name, question, type, value] of stdout.matchAll(ANSWER)) {
    if (!withEmpty && value === '') continue
    found.set(name!, [...((found.get(name!) ?? []) as Value[]), [question!, type!, value!]])
  }
  return found
}

const load = (ctx: FunctionContext, path: string) => runAll(ctx, ['debconf-set-selections', path])

async function setFile(ctx: FunctionContext, path: Value, saltenv: Value): Promise<boolean> {
  const cached = await ctx.call('cp.cache_file', [path, saltenv])
  if (!truthy(cached)) return false
  await load(ctx, str(cached))
  return true
}

async function setAnswer(ctx: FunctionContext, words: readonly Value[]): Promise<true> {
  const path = await ctx.host.tempFile({ prefix: 'salt-' })
  try {
    await ctx.host.write(path, words.map(str).join(' '))
    await load(ctx, path)
  } finally {
    await ctx.host.remove(path)
  }
  return true
}

const saltenv = arg.any('Where files on the file server are looked up', { default: 'base' })

export default defineModule({
  name: 'debconfmod',
  virtual: 'debconf',
  doc: 'Answers to debconf.',
  when: async ({ grains, host }) => {
    if (grains.get('os_family') !== 'Debian') return 'The debconfmod module could not be loaded: unsupported OS family'
    const found = (await host.which('debconf-get-selections')) !== undefined
    return found || 'The debconfmod module could not be loaded: debconf-utils is not installed.'
  },
  functions: {
    get_selections: reads({
      doc: 'All answers.',
      args: { fetchempty: arg.flag('Whether empty ones are among them', { default: true }) },
      returns: ret.dict('Question, type and value of each answer, by package'),
      example: 'debconf.get_selections',
      run: (ctx, { fetchempty }) => selections(ctx, fetchempty),
    }),
    show: reads({
      doc: 'The answers for a package.',
      args: { name: arg.any('The package') },
      returns: ret.optional(
        ret.list('Question, type and value of each answer; None for a package that debconf does not know'),
      ),
      example: 'debconf.show tzdata',
      run: async (ctx, { name }) => ((await selections(ctx, true)).get(name) as Value[] | undefined) ?? null,
    }),
    set: changes({
      doc: 'Set an answer.',
      calledAs: 'set_',
      args: {
        package: arg.any('The package'),
        question: arg.any('The question'),
        type: arg.any('What kind of answer it is'),
        value: arg.any('The answer'),
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
        path: arg.any('Where it is'),
        template: arg.any('The engine that renders it'),
        context: arg.any('Variables of the template'),
        defaults: arg.any('Variables that the context may override'),
        saltenv,
        kwargs: arg.open('Further variables'),
      },
      returns: ret.boolean('Whether it was found'),
      example: 'debconf.set_template salt://pathto/pkg.selections.jinja jinja None None',
      run: async (ctx, { path, template, context, defaults, saltenv, kwargs }) => {
        const request = { path, dest: null, template, saltenv, context, defaults }
        const rendered = await ctx.call('cp.get_template', [], new Map([...kwargs, ...Object.entries(request)]))
        return setFile(ctx, rendered, saltenv)
      },
    }),
    set_file: changes({
      doc: 'Set answers from a file.',
      args: { path: arg.text('Where it is'), saltenv, kwargs: arg.open('Ignored') },
      returns: ret.boolean('Whether it was found'),
      example: 'debconf.set_file salt://pathto/pkg.selections',
      run: (ctx, { path, saltenv }) => setFile(ctx, path, saltenv),
    }),
  },
})
