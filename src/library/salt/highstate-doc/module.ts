// A document of what Salt keeps in place on this machine, made of its states by a template. States whose id has `!doc_skip`
// are left out; `highstate_doc.config` says what else is, and what is replaced in the text.
import { compileRegex, type Dict, decodeBytes, isDict, isList, SaltError, str, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, isHostError, reads, ret } from '../../../sdk/mod.ts'
import { detailsOf, requisitesOf } from './module/markdown.ts'
import { BASIC, DEFAULT, FULL } from './module/templates.ts'

type Given = ReadonlyMap<string, Value>

const failed = (message: string): SaltError => new SaltError('CommandExecutionError', message)

async function configOf(ctx: FunctionContext, given: Given): Promise<Dict> {
  const config: Dict = new Map<Value, Value>([['filter_id_regex', ['.*!doc_skip']]])
    .set('filter_function_regex', [])
    .set('replace_text_regex', new Map())
    .set('processor', 'highstate_doc.processor_markdown')
    .set('max_render_file_size', 10000)
    .set('note', null)
  const configured = await ctx.call('config.get', ['highstate_doc.config', new Map()])
  for (const [name, value] of isDict(configured) ? configured : []) config.set(name, value)
  for (const [name, value] of given) if (config.has(name)) config.set(name, value)
  return config
}

function matchesAny(patterns: Value, text: string): boolean {
  return isList(patterns) && [...patterns].some((pattern) => compileRegex(str(pattern)).match(text) !== null)
}

async function lowStates(ctx: FunctionContext, given: Given): Promise<Value[]> {
  const config = await configOf(ctx, given)
  const low = await ctx.call('state.show_lowstate')
  if (!isList(low) || [...low].some((each) => !isDict(each))) {
    throw failed('ERROR: to see details run: [salt-call state.show_lowstate] <-----***-SEE-***')
  }
  const shown: Value[] = []
  for (const state of low as Value[]) {
    if (!isDict(state)) continue
    const name = `${str(state.get('state')!)}.${str(state.get('fun')!)}`
    if (matchesAny(config.get('filter_function_regex')!, name)) continue
    if (matchesAny(config.get('filter_id_regex')!, str(state.get('__id__')!))) continue
    shown.push(await ctx.call(str(config.get('processor')!), [state, config], given))
  }
  return shown
}

async function processed(ctx: FunctionContext, state: Dict, config: Dict): Promise<Dict> {
  const field = (name: string): Value => state.get(name) ?? null
  const idFull = `${str(field('state'))}: ${str(field('__id__'))}`
  const most = Number(config.get('max_render_file_size') ?? 10000)
  const markdown: Dict = new Map<Value, Value>([['requisites', requisitesOf(state)]])
  markdown.set('details', await detailsOf(ctx, state, idFull, most))
  return new Map<Value, Value>([['vars', state]])
    .set('state', field('state'))
    .set('name', field('name'))
    .set('function', field('fun'))
    .set('id', field('__id__'))
    .set('id_full', idFull)
    .set('state_function', `${str(field('state'))}.${str(field('fun'))}`)
    .set('markdown', markdown)
}

async function rendered(ctx: FunctionContext, text: Value, maker: Value, given: Given): Promise<string> {
  const config = await configOf(ctx, given)
  const template = text ?? (maker === null ? null : await ctx.call(str(maker), [], given))
  if (template === null) throw failed('No jinja template text')
  const context = new Map<string, Value>([
    ['config', config],
    ['lowstates', await lowStates(ctx, given)],
    ['kwargs', new Map<Value, Value>(given)],
  ])
  let shown = str(await ctx.render({ text: str(template), renderer: 'jinja', saltenv: 'base', context }))
  const replaced = config.get('replace_text_regex') ?? null
  for (const [pattern, by] of isDict(replaced) ? replaced : []) {
    shown = compileRegex(str(pattern)).sub(str(by), shown)
  }
  return shown
}

const kwargs = arg.open('Values of the configuration, for this call')

const template = (doc: string, name: string, text: string) =>
  reads({
    doc,
    args: { kwargs },
    returns: ret.string('The template'),
    example: `highstate_doc.${name}`,
    run: () => text,
  })

export default defineModule({
  name: 'highstate_doc',
  doc: 'Write a document of what Salt keeps in place here.',
  functions: {
    markdown_basic_jinja_template: template(
      'The template with one heading for each state.',
      'markdown_basic_jinja_template',
      BASIC,
    ),
    markdown_default_jinja_template: template(
      'The same with a preface about the machine.',
      'markdown_default_jinja_template',
      DEFAULT,
    ),
    markdown_full_jinja_template: template(
      'The same with addresses, routes, rules and mounts behind it.',
      'markdown_full_jinja_template',
      FULL,
    ),
    read_file: reads({
      doc: 'What a file holds; None when it cannot be read.',
      args: { name: arg.string('The file') },
      returns: ret.any('The text, or None'),
      example: 'highstate_doc.read_file /root/README.md',
      run: async (ctx, { name }) => {
        try {
          return decodeBytes(await ctx.host.read(name))
        } catch (error) {
          if (!isHostError(error)) throw error
          ctx.log('error', error.message)
          return null
        }
      },
    }),
    render: reads({
      doc: 'The document, by a template that is given or one that a function gives.',
      args: {
        jinja_template_text: arg.any('The template', { optional: true }),
        jinja_template_function: arg.any('The function that gives it', {
          default: 'highstate_doc.markdown_default_jinja_template',
        }),
        kwargs,
      },
      returns: ret.string('The document'),
      examples: ['salt-call highstate_doc.render', "salt '*' highstate_doc.render"],
      run: (ctx, { jinja_template_text, jinja_template_function, kwargs }) =>
        rendered(ctx, jinja_template_text, jinja_template_function, kwargs),
    }),
    process_lowstates: reads({
      doc: 'What templates see of each state.',
      args: { kwargs },
      returns: ret.list('The states, without those that are left out'),
      example: 'highstate_doc.process_lowstates',
      run: (ctx, { kwargs }) => lowStates(ctx, kwargs),
    }),
    processor_markdown: reads({
      doc: 'What templates see of one state, in Markdown.',
      args: { lowstate_item: arg.any('The state'), config: arg.any('The configuration'), kwargs },
      returns: ret.dict('The state'),
      examples: [],
      run: (ctx, { lowstate_item, config }) =>
        processed(ctx, isDict(lowstate_item) ? lowstate_item : new Map(), isDict(config) ? config : new Map()),
    }),
  },
})
