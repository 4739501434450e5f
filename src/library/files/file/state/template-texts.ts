// Texts that states take from sources, rendered.
import { type Dict, decodeBytes, iterate, splitLines, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'
import { type Answer, begin, fail } from './answer.ts'

type Options = Readonly<Record<string, Value>>

/** The sources, or what is wrong with how they are given. */
export function pairSources({ source, source_hash, sources, source_hashes }: Options): Value[] | string {
  const [many, hashes] = [sources ?? [], source_hashes ?? []]
  if (truthy(source!) && truthy(many)) return 'source and sources are mutually exclusive'
  if (truthy(source_hash!) && truthy(hashes)) return 'source_hash and source_hashes are mutually exclusive'
  return truthy(source!) ? [source!] : [...iterate(many)]
}

export type Texts = { texts: string[] } | { failed: Answer }

function failed(source: Value, comment: string): Texts {
  const report = { ...fail({ ...begin(source) }, comment), data: [] }
  return { failed: report }
}

export async function templateTexts(ctx: StateContext, sources: readonly Value[], options: Options): Promise<Texts> {
  const { template, defaults, context } = options
  const texts: string[] = []
  for (const source of sources) {
    const variables: Dict = new Map([...entries(defaults!), ...entries(context!)])
    const given = { template: template!, saltenv: ctx.env, context: variables }
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
