// The hints of a job, printed on stderr after all returns. The output on stdout stays Salt's.
import { LOG_LEVELS, logText } from '../../base/mod.ts'
import type { HintLine, JobHints } from '../../client/mod.ts'
import type { Dict } from '../../data/mod.ts'
import { colorFor, palette } from '../../output/mod.ts'
import { logSettings } from '../logging.ts'
import type { Streams } from '../streams.ts'

/** Print hints like log lines, if the log level and the outputter permit. */
export async function showHints(hints: JobHints, opts: Dict, streams: Streams): Promise<void> {
  if (opts.get('output') === 'quiet') return
  const threshold = logSettings(opts).console.level
  const told = (await hints.lines(opts)).filter(({ level }) => LOG_LEVELS[level] >= threshold)
  for (const hint of told) streams.err(`${lineOf(hint, opts, streams)}\n`)
}

function lineOf({ level, text }: HintLine, opts: Dict, { errTerminal = false }: Streams): string {
  const colors = palette(errTerminal && colorFor(opts, { terminal: true, windows: false }))
  const mark = `${level === 'error' ? colors.RED : colors.YELLOW}[${level.toUpperCase().padEnd(8)}]${colors.ENDC}`
  return `${mark} ${logText(text)}`
}
