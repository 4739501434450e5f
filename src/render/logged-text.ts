// Log lines about templates: the rendered text, as in Salt, and the duration. Pillar values are secrets, so for a
// pillar file only the keys are shown.
import { isLogged, type Log, namedLog } from '../base/mod.ts'
import { HIDDEN } from '../data/mod.ts'
import type { RenderContext } from './renderer.ts'

const TEMPLATE = 'salt.template'

export function tellRendered(text: string, ctx: RenderContext): void {
  if (ctx.log === undefined || ctx.asFile || !isLogged(ctx.log, 'debug')) return
  // a top file of the pillar contains no secrets, only targets and names
  const shown = ctx.isPillar && ctx.sls !== '' ? withoutValues(text) : text
  const lines = shown.trimEnd().replace(/^/gm, '    ')
  namedLog(ctx.log, TEMPLATE)('debug', `Rendered data from file: ${ctx.path ?? ctx.sls}:\n${lines}`)
}

/** Return a function that logs the duration of a stage. */
export function timing(log: Log | undefined, ctx: RenderContext): (stage: string) => void {
  if (log === undefined || !isLogged(log, 'profile')) return () => {}
  const began = performance.now()
  return (stage) => {
    const seconds = (performance.now() - began) / 1000
    namedLog(log, TEMPLATE)(
      'profile',
      `Time (in seconds) to render '${ctx.path ?? ctx.sls}' using '${stage}' renderer: ${seconds}`,
    )
  }
}

/** `key: value`, with the text before it in the line. */
const KEY = /^(\s*(?:- +)*[^\s:#'"{[][^:#{}[\]]*:)(?:\s.*)?$/
/** A line after which a text of several lines begins. */
const BLOCK = /(?::|^\s*-)\s+[|>]\S*\s*(?:#.*)?$/

const indentOf = (line: string): number => /^\s*/.exec(line)![0].length

/** YAML without its values: keys stay, and of other lines the indentation. */
export function withoutValues(text: string): string {
  /** The indentation of the key, within a block of text. */
  let block: number | undefined
  const shown = text.split('\n').map((line) => {
    if (line.trim() === '') return line
    if (block !== undefined && indentOf(line) <= block) block = undefined
    const key = block === undefined ? KEY.exec(line)?.[1] : undefined
    if (block === undefined && BLOCK.test(line)) block = indentOf(line)
    if (key === undefined) return `${' '.repeat(indentOf(line))}${HIDDEN}`
    return key.length === line.trimEnd().length ? line : `${key} ${HIDDEN}`
  })
  return shown.join('\n')
}
