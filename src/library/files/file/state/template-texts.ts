// Texts that states take from sources, rendered as templates.
import { type Dict, decodeBytes, iterate, splitLines, str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type Bound, type StateContext } from '../../../../sdk/mod.ts'
import { offered } from '../managed-request.ts'
import { type Answer, begin, fail } from './answer.ts'

export const sourceArgs = {
  source: arg.textOrList('URL of a source of the text', { optional: true }),
  source_hash: arg.text('Hash of the source', { optional: true }),
  template: arg.text('Template engine', { default: 'jinja' }),
  sources: arg.textOrList('URLs of several sources: a list', { optional: true }),
  source_hashes: arg.textOrList('Hashes of the sources: a list', { optional: true }),
  ...offered('defaults', 'context'),
}

export type SourceOptions = Bound<typeof sourceArgs>

/** Return the sources, or the failure of options that exclude each other. */
export function pairSources({ source, source_hash, sources, source_hashes }: SourceOptions): Value[] | string {
  if (truthy(source) && truthy(sources)) return 'source and sources are mutually exclusive'
  if (source_hash && truthy(source_hashes)) return 'source_hash and source_hashes are mutually exclusive'
  return truthy(source) ? [source] : [...iterate(sources ?? [])]
}

export type Texts = { texts: string[] } | { failed: Answer }

function failed(source: Value, comment: string): Texts {
  const report = { ...fail({ ...begin(source) }, comment), data: [] }
  return { failed: report }
}

export async function templateTexts(
  ctx: StateContext,
  sources: readonly Value[],
  options: SourceOptions,
): Promise<Texts> {
  const { template, defaults, context } = options
  const texts: string[] = []
  for (const source of sources) {
    const variables: Dict = new Map([...entries(defaults), ...entries(context)])
    const given = { template, saltenv: ctx.env, context: variables }
    const path = await ctx.call('cp.get_template', [source, ''], given)
    if (!truthy(path)) return failed(source, `Failed to load template file ${str(source)}`)
    const text = decodeBytes(await ctx.host.read(str(path)))
    if (splitLines(text).length === 0) {
      return failed(source, `Failed to read rendered template file ${str(path)} (${str(source)})`)
    }
    texts.push(text)
  }
  return { texts }
}

const entries = (value: Value): Iterable<[Value, Value]> => (value instanceof Map ? value : [])
