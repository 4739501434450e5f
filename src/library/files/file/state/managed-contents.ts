// The content of a managed file where it is written in the state, in the pillar or in the grains.
import { PyError, splitLines, str, textOf, truthy, typeError, typeName, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'
import type { ManagedOptions } from './managed-options.ts'
import { textList } from './text-list.ts'

/** The content (null if there is none), or the comment of a failed report. */
export type Contents = { fault: string; result?: boolean | null } | { contents: Value }

const MALFORMED =
  'Contents specified by contents/contents_pillar/contents_grains is not a string or list of strings, and is not ' +
  'binary data. SLS is likely malformed.'
const BINARY =
  'Contents specified by contents/contents_pillar/contents_grains appears to be binary data, and as will not be able ' +
  'to be treated as a Jinja template.'

/** Return the content from the pillar or the grains. */
async function lookUp(ctx: StateContext, options: ManagedOptions): Promise<Contents> {
  const { contents_pillar, contents_grains, contents_delimiter: delimiter } = options
  const isPillar = contents_pillar !== null
  const keys = isPillar ? contents_pillar : contents_grains
  const nowhere = new Map<Value, Value>()
  const get = async (key: Value): Promise<Value | undefined> => {
    const found = isPillar
      ? await ctx.call('pillar.get', [key, nowhere], { delimiter, unmask: true })
      : await ctx.call('grains.get', [key, nowhere], { delimiter })
    return found === nowhere ? undefined : found
  }
  const noun = isPillar ? 'Pillar' : 'Grain'
  if (!Array.isArray(keys)) {
    const found = await get(keys)
    return found === undefined ? { fault: `${noun} ${str(keys)} does not exist` } : { contents: found }
  }
  const parts: string[] = []
  for (const [index, key] of keys.entries()) {
    const found = await get(key)
    if (found === undefined) return { fault: `${noun} ${str(key)} does not exist` }
    const text = textOf(found)
    if (text === undefined) throw typeError(`sequence item ${index}: expected str instance, ${typeName(found)} found`)
    parts.push(text)
  }
  return { contents: parts.join('\n') }
}

function emptiness(options: ManagedOptions): string {
  const origin = (['contents_pillar', 'contents_grains'] as const).find((name) => truthy(options[name]))
  const what = origin === undefined ? "'contents'" : `${origin} ${str(options[origin])}`
  return `${what} value would result in empty contents. Set allow_empty to True to allow the managed file to be empty.`
}

/** Return the content as lines that end with newlines; binary content is unchanged. */
function written(value: Value, options: ManagedOptions): Contents {
  let parts: string[]
  try {
    parts = textList(value, options.encoding)
  } catch (error) {
    if (!(error instanceof PyError) || error.code !== 'UnicodeDecodeError') throw error
    return options.template ? { fault: BINARY } : { contents: value }
  }
  if (parts.length === 0) return { fault: MALFORMED }
  const text = parts
    .flatMap((part) => splitLines(part))
    .map((line) => `${line}\n`)
    .join('')
  return { contents: options.contents_newline ? text : text.replace(/\n+$/, '').replace(/\r+$/, '') }
}

async function rendered(ctx: StateContext, contents: Value, options: ManagedOptions): Promise<Contents> {
  const { template, context, defaults } = options
  const given = { template, context, defaults, saltenv: ctx.env }
  const answer = await ctx.call('file.apply_template_on_contents', [contents], given)
  if (!(answer instanceof Map)) return { contents: answer }
  const result = (answer.get('result') ?? false) as boolean | null
  return { fault: str(answer.get('comment') ?? 'Error while applying template on contents'), result }
}

/** Return the content that the options give; null when the source has it. */
export async function contentsOf(ctx: StateContext, options: ManagedOptions): Promise<Contents> {
  let value = options.contents
  if (options.contents_pillar !== null || options.contents_grains !== null) {
    const found = await lookUp(ctx, options)
    if ('fault' in found) return found
    value = found.contents
  }
  if (value === null) return { contents: null }
  if (!options.allow_empty && !truthy(value)) return { fault: emptiness(options) }
  const text = written(value, options)
  return 'fault' in text || !options.template ? text : rendered(ctx, text.contents, options)
}
