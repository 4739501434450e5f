// What the log says about a template: the text that it became, as Salt shows it, and how long it took. Values of pillar are
// secrets, so that of a file of the pillar only the keys are shown.
import { isLogged, type Log, namedLog } from '../base/mod.ts'
import { HIDDEN } from '../data/mod.ts'
import type { RenderContext } from './renderer.ts'

const TEMPLATE = 'salt.template'

export function tellRendered(text: string, ctx: RenderContext): void {
  if (ctx.log === undefined || ctx.asFile || !isLogged(ctx.log, 'debug')) return
  // a top file of the pillar says who gets which files
  const shown = ctx.isPillar && ctx.sls !== '' ? withoutValues(text) : text
  const lines = shown.trimEnd().replace(/^/gm, '    ')
  namedLog(ctx.log, TEMPLATE)('debug', `Rendered data from file: ${ctx.path ?? ctx.sls}:\n${lines}`)
}

/** Return what tells the log how long a stage took. */
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

/** `key: value`, with what stands before it on the line. */
const KEY = /^(\s*(?:- +)*[^\s:#'"{[][^:#{}[\]]*:)(?:\s.*)?$/

/** YAML without its values: keys stay, and of other lines the indentation. */
function withoutValues(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      if (line.trim() === '' || /^\s*[^:]*:\s*$/.test(line)) return line
      const key = KEY.exec(line)?.[1]
      return key === undefined ? `${/^\s*/.exec(line)![0]}${HIDDEN}` : `${key} ${HIDDEN}`
    })
    .join('\n')
}
