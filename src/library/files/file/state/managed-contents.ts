// The content of a managed file where it is written in the state, in the pillar or in the grains.
import {
  type Dict,
  PyError,
  SaltError,
  splitLines,
  str,
  textOf,
  truthy,
  typeError,
  typeName,
  type Value,
} from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'
import type { ManagedOptions } from './managed-options.ts'
import { textList } from './text-list.ts'

/** A failed report's comment, or the content; null where there is none. */
export type Contents = { fault: string; result?: boolean | null } | { contents: Value }

const MALFORMED =
  'Contents specified by contents/contents_pillar/contents_grains is not a string or list of strings, and is not ' +
  'binary data. SLS is likely malformed.'
const BINARY =
  'Contents specified by contents/contents_pillar/contents_grains appears to be binary data, and as will not be able ' +
  'to be treated as a Jinja template.'

/** Which look-ups of a list failed is told by key for pillars; Salt shows an object for grains. */
async function lookUp(ctx: StateContext, options: ManagedOptions): Promise<Contents> {
  const isPillar = options['contents_pillar'] !== null
  const keys = isPillar ? options['contents_pillar']! : options['contents_grains']!
  const nowhere = new Map<Value, Value>()
  const get = async (key: Value): Promise<Value | undefined> => {
    const delimiter = { delimiter: options['contents_delimiter']! }
    const found = isPillar
      ? await ctx.call('pillar.get', [key, nowhere], { ...delimiter, unmask: true })
      : await ctx.call('grains.get', [key, nowhere], delimiter)
    return found === nowhere ? undefined : found
  }
  const noun = isPillar ? 'Pillar' : 'Grain'
  if (!Array.isArray(keys)) {
    const found = await get(keys)
    return found === undefined ? { fault: `${noun} ${str(keys)} does not exist` } : { contents: found }
  }
  const parts: string[] = []
  for (const [index, key] of (keys as Value[]).entries()) {
    const found = await get(key)
    if (found === undefined) return { fault: `${noun} ${str(key)} does not exist` }
    const text = textOf(found)
    if (text === undefined) throw typeError(`sequence item ${index}: expected str instance, ${typeName(found)} found`)
    parts.push(text)
  }
  return { contents: parts.join('\n') }
}

function emptiness(options: ManagedOptions): string {
  const source = ['contents_pillar', 'contents_grains'].find((name) => truthy(options[name]!))
  const what = source === undefined ? "'contents'" : `${source} ${str(options[source]!)}`
  return `${what} value would result in empty contents. Set allow_empty to True to allow the managed file to be empty.`
}

/** Lines with newlines; bytes that are no text stay as they are. */
function written(value: Value, options: ManagedOptions): Contents {
  let parts: string[]
  try {
    parts = textList(value, options['encoding']!)
  } catch (error) {
    if (!(error instanceof PyError) || error.code !== 'UnicodeDecodeError') throw error
    return truthy(options['template']!) ? { fault: BINARY } : { contents: value }
  }
  if (parts.length === 0) return { fault: MALFORMED }
  const text = parts
    .flatMap((part) => splitLines(part))
    .map((line) => `${line}\n`)
    .join('')
  return { contents: truthy(options['contents_newline']!) ? text : text.replace(/\n+$/, '').replace(/\r+$/, '') }
}

async function rendered(ctx: StateContext, contents: Value, options: ManagedOptions): Promise<Contents> {
  const { template, context, defaults } = options
  const given = { template: template!, context: context!, defaults: defaults!, saltenv: ctx.env }
  const answer = await ctx.call('file.apply_template_on_contents', [contents], given)
  if (!(answer instanceof Map)) return { contents: answer }
  const ret: Dict = answer
  const result = (ret.get('result') ?? false) as boolean | null
  return { fault: str(ret.get('comment') ?? 'Error while applying template on contents'), result }
}

/** The content; null when the source has it. */
export async function contentsOf(ctx: StateContext, options: ManagedOptions): Promise<Contents> {
  let value: Value = options['contents']!
  if (options['contents_pillar'] !== null || options['contents_grains'] !== null) {
    const found = await lookUp(ctx, options)
    if ('fault' in found) return found
    value = found.contents
  }
  if (value === null) return { contents: null }
  if (!truthy(options['allow_empty']!) && !truthy(value)) return { fault: emptiness(options) }
  const text = written(value, options)
  return 'fault' in text || !truthy(options['template']!) ? text : rendered(ctx, text.contents, options)
}

/** Whether an error is a failure of a command. */
export const isFailure = (error: unknown): error is SaltError =>
  error instanceof SaltError && error.code === 'CommandExecutionError'
