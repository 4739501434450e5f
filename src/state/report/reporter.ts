// What a run of states has to say beside its result: each message goes to the log, with its place in the tree, and to the
// person who began the job.
import { type Log, withHint } from '../../base/mod.ts'
import type { Dict } from '../../data/mod.ts'
import { type Hint, hintAbout, shownPlace } from '../../sdk/mod.ts'
import type { CompileError } from '../compile/types.ts'

export interface ReporterParts {
  opts: Dict
  log: Log
  hint(hint: Hint): void
}

export class Reporter {
  private readonly parts: ReporterParts

  constructor(parts: ReporterParts) {
    this.parts = parts
  }

  /** Log a message, and tell the person who began the job what the result does not have: its place and what was meant. */
  tell(level: Hint['level'], error: CompileError): void {
    this.log(level, error)
    if (error.at?.file === undefined && error.hint === undefined) return
    this.parts.hint(hintAbout(level, { ...error, text: error.brief ?? error.text }, this.parts.opts))
  }

  /** Log a message, of which the result of the run says all but the place. */
  log(level: Hint['level'], { text, at, hint }: CompileError): void {
    const place = shownPlace(at, this.parts.opts)
    const message = withHint(text, hint)
    this.parts.log(level, place === undefined ? message : `${place}: ${message}`)
  }
}
