// The files of package sources on the machine.
import type { Value } from '../../../../data/mod.ts'
import { type FunctionContext, namesIn, textAt } from '../../../../sdk/mod.ts'
import { SOURCES_LIST } from '../sources/source-line.ts'
import { type AptSource, parseSources, sourceTexts } from '../sources/sources.ts'

const PARTS = '/etc/apt/sources.list.d/'

const EMPTY = `## See sources.list(5) for more information, especialy
# Remember that you can only use http, ftp or file URIs
# CDROMs are managed through the apt-cdrom tool.
`

/** All entries, those of sources.list first. */
export async function readSources(ctx: FunctionContext): Promise<AptSource[]> {
  const parts = (await namesIn(ctx.host, PARTS)).filter((name) => /\.(sources|list)$/.test(name))
  const sources: AptSource[] = []
  for (const file of [SOURCES_LIST, ...parts.map((name) => `${PARTS}${name}`)]) {
    if ((await ctx.host.stat(file))?.type !== 'file') continue
    const failed = (): void => ctx.log('error', `Could not parse source file '${file}'`)
    sources.push(...parseSources(file, (await textAt(ctx.host, file)) ?? '', failed))
  }
  return sources
}

/** Write the files of all entries; unchanged files are not written. */
export async function writeSources(ctx: FunctionContext, sources: readonly AptSource[]): Promise<void> {
  const texts = sources.length > 0 ? sourceTexts(sources) : new Map([[SOURCES_LIST, EMPTY]])
  for (const [file, text] of texts) {
    if ((await textAt(ctx.host, file)) !== text) await ctx.host.write(file, text)
  }
}

export type Repo = Map<string, Value>

/** Return whether two lists hold the same words in any order. */
export const sameWords = (a: readonly string[], b: readonly string[]): boolean =>
  a.every((word) => b.includes(word)) && b.every((word) => a.includes(word))
