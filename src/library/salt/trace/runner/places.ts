// Finds the file and line of a state of a minion: the SLS file by its name, and in it the line of the ID. Template
// expressions in an ID match any text.
import { str, type Value } from '../../../../data/mod.ts'
import type { MasterContext } from '../../../../sdk/mod.ts'

const TEMPLATED = /\{\{.*?\}\}/g

/** Return whether a line declares an ID. */
function declares(line: string, id: string): boolean {
  const name = /^(['"]?)([^\s#].*?)\1:\s*(?:#.*)?$/.exec(line)?.[2]
  if (name === undefined) return false
  if (name === id) return true
  if (!name.includes('{{')) return false
  const literal = name.split(TEMPLATED).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${literal.join('.*')}$`).test(id)
}

export async function placeOfState(ctx: MasterContext, sls: Value, id: Value): Promise<string | undefined> {
  if (typeof sls !== 'string' || sls === '') return undefined
  const base = sls.replaceAll('.', '/')
  for (const path of [`${base}.sls`, `${base}/init.sls`]) {
    const file = (await ctx.fileServer.find(path, 'base'))?.path
    if (file === undefined) continue
    const lines = Buffer.from(await ctx.host.read(file))
      .toString()
      .split('\n')
    const at = lines.findIndex((line) => declares(line, str(id)))
    return at < 0 ? file : `${file}:${at + 1}`
  }
  return undefined
}
