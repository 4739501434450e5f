// Renders a document about the states of this machine from a template. States with `!doc_skip` in their ID
// are left out; the option `highstate_doc.config` has further filters and text replacements.
import { compileRegex, type Dict, decodeBytes, failure, isDict, isList, str, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, isHostError, reads, ret } from '../../../sdk/mod.ts'
import { detailsOf, requisitesOf } from './module/markdown.ts'
import { BASIC, DEFAULT, FULL } from './module/templates.ts'

type Given = ReadonlyMap<string, Value>

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
    throw failure('ERROR: to see details run: [salt-call state.show_lowstate] <-----***-SEE-***')
  }
  const shown: Value[] = []
  for (const state of low) {
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

async function rendered(ctx: FunctionContext, text: string | null, maker: string, given: Given): Promise<string> {
  const config = await configOf(ctx, given)
  const template = text ?? (maker === '' ? null : await ctx.call(maker, [], given))
  if (template === null) throw failure('No jinja template text')
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

const kwargs = arg.open('Configuration values for this call')

const template = (doc: string, name: string, text: string) =>
  reads({
    doc,
    args: { kwargs },
    returns: ret.string('Template'),
    example: `highstate_doc.${name}`,
    run: () => text,
  })

export default defineModule({
  name: 'highstate_doc',
  doc: 'Render a document about the states of this machine.',
  functions: {
    markdown_basic_jinja_template: template(
      'Return a template with one heading for each state.',
      'markdown_basic_jinja_template',
      BASIC,
    ),
    markdown_default_jinja_template: template(
      'Return the basic template with an introduction about the machine.',
      'markdown_default_jinja_template',
      DEFAULT,
    ),
    markdown_full_jinja_template: template(
      'Return the default template with addresses, routes, firewall rules and mounts.',
      'markdown_full_jinja_template',
      FULL,
    ),
    read_file: reads({
      doc: 'Return the content of a file, or None if it cannot be read.',
      args: { name: arg.string('Path of the file') },
      returns: ret.optional(ret.string('Text, or None')),
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
      doc: 'Render the document from a template, or from the template that a function returns.',
      args: {
        jinja_template_text: arg.text('Jinja template', { optional: true }),
        jinja_template_function: arg.text('Function that returns the template', {
          default: 'highstate_doc.markdown_default_jinja_template',
        }),
        kwargs,
      },
      returns: ret.string('Document'),
      examples: ['salt-call highstate_doc.render', "salt '*' highstate_doc.render"],
      run: (ctx, { jinja_template_text, jinja_template_function, kwargs }) =>
        rendered(ctx, jinja_template_text, jinja_template_function, kwargs),
    }),
    process_lowstates: reads({
      doc: 'Return the data of each state for templates.',
      args: { kwargs },
      returns: ret.list('States that are not filtered out'),
      run: (ctx, { kwargs }) => lowStates(ctx, kwargs),
    }),
    processor_markdown: reads({
      doc: 'Return the data of one state for templates, with Markdown texts.',
      args: { lowstate_item: arg.dict('Low chunk'), config: arg.dict('Configuration'), kwargs },
      returns: ret.dict('State'),
      examples: [],
      run: (ctx, { lowstate_item, config }) => processed(ctx, lowstate_item, config),
    }),
  },
})
