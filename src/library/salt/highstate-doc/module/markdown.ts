// Describes one state in Markdown: its requisites with links, and its details with the files that it manages.
import { type Dict, decodeBytes, isDict, isList, str, truthy, type Value } from '../../../../data/mod.ts'
import { dumpYaml, type FunctionContext, isHostError } from '../../../../sdk/mod.ts'

/** Keys that are not shown among the details. */
const PLAIN = new Set(
  '__env__ __id__ __sls__ fun name context order state require require_in watch watch_in'.split(' '),
)

async function yamlOf(data: Dict, isShown: (name: string) => boolean): Promise<string> {
  const shown = new Map([...data].filter(([name]) => isShown(str(name))))
  return shown.size === 0 ? '' : dumpYaml(shown, { default_flow_style: false })
}

const others = (state: Dict): Promise<string> => yamlOf(state, (name) => !PLAIN.has(name))

/** Escape a text so that it does not end its code block. */
const harmless = (text: string): string => text.replaceAll('```', '``[`][markdown parse fix]')

const block = (text: string): string => `\`\`\`\n${text}\n\`\`\`\n`

/** Return the link target of a heading. */
const anchor = (name: string): string => name.replace(/[~`!@#$%^&*()+={}[\]:;"<>,.?/|'\\]/g, '').replaceAll(' ', '-')

const REQUISITES: ReadonlyArray<readonly [name: string, title: string]> = [
  ['watch', 'run or update after changes in:'],
  ['watch_in', 'after changes, run or update:'],
  ['require', 'require:'],
  ['require_in', 'required in:'],
]

export function requisitesOf(state: Dict): string {
  let text = ''
  for (const [name, title] of REQUISITES) {
    const wanted = state.get(name) ?? []
    if (!isList(wanted) || wanted.length === 0) continue
    text += `${title}\n`
    for (const [kind, id] of [...wanted].flatMap((each) => (isDict(each) ? [...each].slice(0, 1) : []))) {
      const whole = `${str(kind)}: ${str(id)}`
      text += ` * [${whole}](#${anchor(whole)})\n`
    }
  }
  return text
}

const FACTS = new Set(['user', 'group', 'mode', 'uid', 'gid', 'size'])

/** Describe a file: its owner, and its content unless it is too long or not text. */
async function fileText(ctx: FunctionContext, name: string, most: number): Promise<string> {
  let stats: Value
  try {
    stats = await ctx.call('file.stats', [name])
  } catch (error) {
    // the states were never applied on this machine
    return `file ${name} is not there: ${(error as Error).message}\n`
  }
  const facts: Dict = isDict(stats) ? stats : new Map()
  const head = `file stat ${name}\n\`\`\`\n${await yamlOf(facts, (fact) => FACTS.has(fact))}\`\`\`\n`
  const size = Number(facts.get('size') ?? 0)
  if (size > most) {
    return head + block(`SKIPPED LARGE FILE!\nSet highstate_doc.config:max_render_file_size > ${size} to render.`)
  }
  return `${head}file data ${name}\n${block(harmless(await contents(ctx, name)))}`
}

async function contents(ctx: FunctionContext, name: string): Promise<string> {
  try {
    const bytes = await ctx.host.read(name)
    return bytes.includes(0) ? '[[skipped binary data]]' : decodeBytes(bytes, 'utf-8', 'replace')
  } catch (error) {
    if (isHostError(error)) return `[[${error.message}]]`
    throw error
  }
}

const MOST_FILES = 10

async function recursed(ctx: FunctionContext, state: Dict, id: string, most: number): Promise<string> {
  const wish = await others(state)
  const head = `recurse copy of files\n${wish === '' ? '' : block(wish)}`
  if (!id.includes('!doc_recurse')) return `${head} > To see the files, put !doc_recurse into the id of the state.\n`
  const found = await ctx.call('file.find', [state.get('name') ?? ''], { type: 'f' })
  const files = isList(found) ? found.map(str) : []
  if (files.length >= MOST_FILES && !id.includes('!doc_recurse_force')) {
    return `${head} > There are ${files.length} files. To see them, put !doc_recurse_force into the id of the state.\n`
  }
  const texts: string[] = []
  for (const file of files) texts.push(await fileText(ctx, file, most))
  return head + texts.join('')
}

async function note(ctx: FunctionContext, state: Dict): Promise<string> {
  let text = state.has('contents') ? `\n${str(state.get('contents')!)}\n` : ''
  if (!state.has('source')) return text
  const source = str(state.get('source')!)
  const found = await ctx.call('cp.get_file_str', [source])
  text += truthy(found) ? `\n${str(found)}\n` : `\nERROR: opening ${source}\n`
  return text
}

function blockReplaced(state: Dict): string {
  const show = (text: string): string => `ensure block of content is in file\n${block(harmless(text))}`
  const [content, source] = [state.get('content') ?? null, state.get('source') ?? null]
  return (truthy(content) ? show(str(content)) : '') + (truthy(source) ? show(`** source: ${str(source)}`) : '')
}

/** Describe the effect of a state; a state without a description is shown as YAML. */
export async function detailsOf(ctx: FunctionContext, state: Dict, id: string, most: number): Promise<string> {
  const name = str(state.get('name') ?? '')
  const known: Readonly<Record<string, () => string | Promise<string>>> = {
    'highstate_doc.note': () => note(ctx, state),
    'pkg.installed': () => `\n${block(`install: ${str(state.get('pkgs') ?? name)}`)}`,
    'file.recurse': () => recursed(ctx, state, id, most),
    'file.blockreplace': () => blockReplaced(state),
    'file.managed': () => fileText(ctx, name, most),
  }
  const text = await known[`${str(state.get('state')!)}.${str(state.get('fun')!)}`]?.()
  if (text) return text
  const wish = await others(state)
  return wish === '' ? '' : `\`\`\`\n${wish}\`\`\`\n`
}
